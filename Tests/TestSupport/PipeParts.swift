// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension Pipe {
  /// What is written to the pipe, part by part, until all who may write have closed their end.
  ///
  /// A thread of its own reads, which holds the pipe till then. With `readabilityHandler` the
  /// descriptor may be closed before Dispatch has let go of it; where another process has the same
  /// pipe, its next event then meets memory that is gone.
  public func parts() -> AsyncStream<Data> {
    let (parts, continuation) = AsyncStream.makeStream(of: Data.self)
    let handle = fileHandleForReading
    Thread.detachNewThread {
      while case let data = handle.availableData, !data.isEmpty {
        continuation.yield(data)
      }
      continuation.finish()
    }
    return parts
  }
}
