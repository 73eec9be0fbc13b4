// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import NIOCore

/// What belongs to one request on its way through the service.
struct UpstreamContext: RequestContext {
  var coreContext: CoreRequestContextStorage

  /// What the faults that are on do to it.
  var plan = FaultPlan()

  private let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// Closes the connection without another byte.
  ///
  /// Whatever is thrown ends the request here; Hummingbird's attempt to answer finds the connection
  /// closed.
  func cut() async -> ConnectionCut {
    try? await channel.close()
    return ConnectionCut()
  }
}

/// The connection was closed in place of an answer.
struct ConnectionCut: Error {}

extension Request {
  /// Whether it may change something.
  var isWrite: Bool { ![.get, .head, .options, .trace].contains(method) }

  /// Whether it is for whoever steers the faults, who is never hit by them.
  var isControl: Bool { uri.path.hasPrefix("/control/") }

  /// The `Idempotency-Key`, when it is one.
  var idempotencyKey: String? {
    guard let key = headers[.idempotencyKey], (1...255).contains(key.utf8.count),
      key.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
    else { return nil }
    return key
  }

  /// The whole body.
  ///
  /// - Throws: `Problem` when it is too large.
  func bytes(upTo maximum: Int) async throws -> [UInt8] {
    // Whoever announces too much is refused before it comes.
    if let length = headers[.contentLength].flatMap({ Int($0) }), length > maximum {
      throw Problem.tooLarge(maximum: maximum)
    }
    do {
      return Array(try await body.collect(upTo: maximum).readableBytesView)
    } catch is NIOTooManyBytesError {
      throw Problem.tooLarge(maximum: maximum)
    }
  }
}

extension Response {
  /// An answer with a JSON document.
  static func json(
    _ document: some Encodable, _ status: HTTPResponse.Status = .ok,
    type: String = "application/json", headers: HTTPFields = [:]
  ) throws -> Response {
    var headers = headers
    headers[.contentType] = type
    let bytes = try JSON.encoder().encode(document)
    return Response(
      status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}
