// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import MainstayHTTPTesting
package import TestSupport

/// A ``ScriptedHTTPServer`` with the few answers that the suites of transports need.
package final class LoopbackServer: Sendable {
  /// One request, read whole.
  package struct Received: Sendable {
    package let method: String
    package let path: String
    /// By name in lower case.
    package let headers: [String: String]
    package let body: Data
  }

  /// What is done about a request.
  package enum Answer: Sendable {
    /// A whole answer.
    case reply(Int, headers: [(String, String)] = [], body: Data = Data())
    /// A head and the beginning of a body, and nothing more.
    case endless(Int, body: Data = Data())
    /// A head and the beginning of a body that was to be longer, and the end of the connection.
    case cutOff(Int, body: Data = Data())
    /// Nothing, for as long as the client waits.
    case silence
    /// The connection ends properly, without an answer.
    case hangUp
    /// The connection is reset.
    case reset
    /// Bytes that are no HTTP, and the end of the connection.
    case garbage
  }

  /// A line for each request that came, so that a test can wait for it.
  package let log = Log()
  private let server: ScriptedHTTPServer

  /// Listens on a free port.
  ///
  /// - Parameters:
  ///   - tls: Who it is, for `https`; nil, the default, for `http`.
  ///   - http2: Whether it speaks HTTP/2 as well, with `tls`.
  ///   - answer: What is done about a request, and how many came before it.
  /// - Throws: What SwiftNIO throws where it cannot listen.
  package init(
    tls: CertificateAuthority.Identity? = nil, http2: Bool = false,
    _ answer: @escaping @Sendable (Received, Int) -> Answer
  ) async throws {
    server = try await ScriptedHTTPServer(tls: tls, http2: http2) { [log] request, earlier in
      let scripted = answer(Received(request), earlier).scripted
      log.add("\(request.method) \(request.target)")
      return scripted
    }
  }

  /// Where it listens.
  package var port: Int { server.port }

  /// Such as `http://127.0.0.1:4000`.
  package var origin: String { server.origin }

  /// Waits until a connection, or a stream of HTTP/2, has ended.
  package func connectionEnded() async {
    await server.log.first { event in
      if case .ended = event { true } else { false }
    }
  }

  /// What came, in order.
  package var received: [Received] { server.received.map(Received.init) }
}

extension LoopbackServer.Received {
  fileprivate init(_ request: ReceivedRequest) {
    method = request.method
    path = request.target
    headers = Dictionary(
      request.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
    body = request.body
  }
}

extension LoopbackServer.Answer {
  fileprivate var scripted: ScriptedHTTPServer.Answer {
    switch self {
    case .reply(let status, let headers, let body): .reply(status, headers: headers, body: body)
    case .endless(let status, let body): .unfinished(status, body, then: .silence)
    case .cutOff(let status, let body): .unfinished(status, body, then: .hangUp)
    case .silence: .silence
    case .hangUp: .hangUp
    case .reset: .reset
    case .garbage: .garbage
    }
  }
}

extension ScriptedHTTPServer.Answer {
  /// Ends before the length that it has declared.
  fileprivate static func unfinished(_ status: Int, _ body: Data, then ending: Ending) -> Self {
    var answer = reply(
      status, streaming: .bytes(body), framing: .declaredLength(body.count + 1_000))
    // Without the sign of its end, which HTTP/2 has besides the length.
    answer.extent = .bytes(body.count)
    answer.ending = ending
    return answer
  }
}
