// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import Logging
import MainstayServer
import NIOCore

/// Serves pages that a test wrote itself, by their path.
func withPages(
  _ pages: [String: String], _ test: (_ origin: String) async throws -> Void
) async throws {
  let router = Router()
  for (path, text) in pages {
    router.get(RouterPath(path)) { _, _ in
      Response(
        status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
  }
  try await withServer(router, test)
}

/// Serves what a test routes itself, with the limits that a service has.
func withServer(
  _ router: Router<BasicRequestContext>, _ test: (_ origin: String) async throws -> Void
) async throws {
  let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
  let application = Application(
    router: router, server: .http1(configuration: ConnectionLimits().configuration),
    configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
    onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) },
    logger: Logger(label: "pages") { _ in SwiftLogNoOpLogHandler() })
  let server = Task { try await application.run() }
  defer { server.cancel() }
  guard let port = await ports.first(where: { _ in true }) else {
    throw Unreadable(what: "a port")
  }
  try await test("http://127.0.0.1:\(port)")
}
