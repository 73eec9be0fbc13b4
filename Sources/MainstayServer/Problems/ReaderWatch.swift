// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import HTTPTypes
import Mainstay
import NIOCore

/// Whether the reader of a body has gone: what comes of that is no failure of whoever makes it.
final class ReaderWatch: Sendable {
  private let state = Locked(false)

  /// Whether the connection did not take what was written.
  var hasGone: Bool { state.withLock { $0 } }

  /// What a body is written to, so that this hears of a connection that fails.
  func watching(_ connection: any ResponseBodyWriter) -> some ResponseBodyWriter {
    Watched(connection: connection, watch: self)
  }

  private func noting(_ error: any Error) -> any Error {
    state.withLock { $0 = true }
    return error
  }

  private struct Watched: ResponseBodyWriter {
    var connection: any ResponseBodyWriter
    let watch: ReaderWatch

    @concurrent mutating func write(_ part: ByteBuffer) async throws {
      do {
        try await connection.write(part)
      } catch {
        throw watch.noting(error)
      }
    }

    @concurrent consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
      let watch = watch
      do {
        try await connection.finish(trailingHeaders)
      } catch {
        throw watch.noting(error)
      }
    }
  }
}
