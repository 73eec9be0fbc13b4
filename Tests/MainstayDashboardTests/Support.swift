// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Mainstay
import MainstayDashboard
import MainstayOutbox
import MainstayTesting
import NIOCore
import TestSupport
import Testing

/// A visit from this machine, or from wherever the connection comes.
struct LiveContext: RemoteAddressRequestContext {
  var coreContext: CoreRequestContextStorage
  let remoteAddress: SocketAddress?

  init(source: Source) {
    coreContext = CoreRequestContextStorage(source: source)
    remoteAddress = source.channel.remoteAddress
  }
}

/// A visit from another machine.
struct ForeignContext: RemoteAddressRequestContext {
  var coreContext: CoreRequestContextStorage
  let remoteAddress = try? SocketAddress(ipAddress: "192.0.2.7", port: 4000)

  init(source: Source) { coreContext = CoreRequestContextStorage(source: source) }
}

struct Order: QueuedOperation {
  static let kind: OperationKind = "order"
  var text: String
}

/// An outbox whose orders the other side refuses, until a test pauses nothing any more.
func brokenOutbox(
  _ texts: [String], message: LocalizableText = "No.", underlying: [any Error] = []
) async throws -> Outbox {
  let outbox = try await Outbox(store: InMemoryStore()) {
    Worker(for: Order.self) { _, _ in
      throw AppError(
        code: "test.refused", kind: .validation, disposition: .permanent, title: "Refused",
        message: message, underlying: underlying)
    }
  }
  try await outbox.enqueue(contentsOf: texts.map { Order(text: $0) })
  for await snapshot in outbox.changes where snapshot.dead == texts.count { break }
  return outbox
}

/// Visits a dashboard as a browser does: with its cookie, and with the token of its pages.
struct Visitor: Sendable {
  let client: PatientClient
  var cookie = ""
  var token = ""
  /// The page that it came to first.
  let page: String

  init(_ client: PatientClient, at path: String = "/mainstay/outboxes/orders/dead")
    async throws
  {
    self.client = client
    let answer = try await client.execute(uri: path, method: .get, headers: Self.host)
    page = answer.text
    cookie = String((answer.headers[.setCookie] ?? "").prefix { $0 != ";" })
    let parts = page.components(separatedBy: "name=\"token\" value=\"")
    token = parts.count > 1 ? String(parts[1].prefix { $0 != "\"" }) : ""
  }

  static var host: HTTPFields { named("Host", "localhost") }

  static func named(_ name: String, _ value: String) -> HTTPFields {
    guard let name = HTTPField.Name(name) else { return [:] }
    return [name: value]
  }

  func get(_ path: String) async throws -> TestResponse {
    var headers = Self.host
    headers[.cookie] = cookie
    return try await client.execute(uri: path, method: .get, headers: headers)
  }

  /// Sends a form.
  func post(
    _ path: String, _ fields: [(String, String)], adding others: HTTPFields = [:],
    token: String? = nil
  ) async throws -> TestResponse {
    var headers = Self.host
    headers[.cookie] = cookie
    headers[.contentType] = "application/x-www-form-urlencoded"
    for field in others { headers[field.name] = field.value }
    let all = fields + [("token", token ?? self.token)]
    let text = all.map { "\($0.0)=\(Self.escaped($0.1))" }.joined(separator: "&")
    return try await client.execute(
      uri: path, method: .post, headers: headers, body: ByteBuffer(string: text))
  }

  /// What a question on a page sends along when it is answered, without the token.
  static func answer(to page: String) -> [(String, String)] {
    let question = page.components(separatedBy: "<form class=\"question\"").last ?? ""
    return question.matches(of: /<input type="hidden" name="([^"]+)" value="([^"]*)">/)
      .map { (String($0.1), String($0.2)) }.filter { $0.0 != "token" }
  }

  private static func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }
}

extension TestResponse {
  var text: String { String(buffer: body) }

  func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }
}

extension ByteBuffer {
  /// Compares bytes: as characters, a quotation mark with an accent is another one.
  func contains(_ text: String) -> Bool {
    Data(readableBytesView).range(of: Data(text.utf8)) != nil
  }
}

/// Serves a dashboard on a socket of this machine.
func serve<Value: Sendable>(
  _ dashboard: Dashboard,
  _ test: @escaping @Sendable (PatientClient) async throws -> Value
) async throws -> Value {
  let router = Router(context: LiveContext.self)
  dashboard.mount(on: router)
  return try await Application(router: router).live(test)
}

extension Dashboard {
  /// One with an outbox, that tells of its refusals in a log.
  init(_ outbox: Outbox, log: Log = Log(), clock: ManualClock = ManualClock()) {
    self.init(logger: log.logger(), clock: clock)
    outboxes = ["orders": outbox]
  }
}

extension BuiltProgram {
  /// What a `DashboardChild` has in memory, in kilobytes, by its own account.
  var memory: Int {
    get async throws {
      let socket = try Socket(port: port)
      try socket.get("/happen/memory")
      let answer = try await socket.read(until: " kB")
      let line = try #require(answer.split(whereSeparator: \.isNewline).last)
      return try #require(Int(line.filter(\.isNumber)))
    }
  }
}
