// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import InventoryCore
import Logging
import Mainstay
import Testing

/// A service that answers every request with the same words, or as a script says.
struct ScriptedService: Sendable {
  /// The status and the body of an answer to a method.
  typealias Script = @Sendable (_ method: String) -> (status: Int, body: String)

  let client: UpstreamClient
  let origin: URL
  private let server: Task<Void, any Error>

  init(
    status: Int, headers: [String: String] = [:], body: String = "{}",
    type: String = "application/json", clock: some Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }, script: Script? = nil
  ) async throws {
    let router = Router()
    router.add(
      middleware: Always(
        headers: headers, type: type, script: script ?? { _ in (status, body) }))
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
      router: router,
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) },
      logger: Logger(label: "scripted") { _ in SwiftLogNoOpLogHandler() })
    server = Task { try await application.run() }
    let port = try #require(await ports.first { _ in true })
    var settings = UpstreamClient.Settings.patient
    settings.backoff = .constant(.milliseconds(1), jitter: .none)
    settings.maximumAnswerBytes = 10_000
    origin = try #require(URL(string: "http://127.0.0.1:\(port)"))
    client = UpstreamClient(
      origin: origin, settings: settings, evidence: ConnectivityEvidence(since: now()),
      clock: clock, now: now)
  }

  func end() async {
    await client.shutDown()
    server.cancel()
    _ = await server.result
  }
}

private struct Always: RouterMiddleware {
  let headers: [String: String]
  let type: String
  let script: ScriptedService.Script

  func handle(
    _ request: Request, context: BasicRequestContext,
    next: @concurrent (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    _ = try await request.body.collect(upTo: 1_000_000)
    let (status, body) = script(request.method.rawValue)
    var fields: HTTPFields = [.contentType: type]
    for (name, value) in headers {
      if let name = HTTPField.Name(name) { fields[name] = value }
    }
    return Response(
      status: HTTPResponse.Status(code: status), headers: fields,
      body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
  }
}
