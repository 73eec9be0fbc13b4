// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Mainstay
import MainstayDashboard
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// What a browser is told to keep away, by the list of OWASP.
///
/// https://owasp.org/www-project-secure-headers/
@Suite(.ends(withinMinutes: 2)) struct ProtectionTests {
  private static let host = "operations.example"
  private static let strict = "strict-transport-security"

  private static let protection = [
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "x-permitted-cross-domain-policies": "none",
    "referrer-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "cache-control": "no-store",
  ]

  /// The head of an answer, as it came over the connection.
  private struct Head {
    let status: Int
    /// By their names in small letters.
    let fields: [String: String]

    init(_ text: String) {
      let lines = text.components(separatedBy: "\r\n")
      status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      let pairs = lines.dropFirst().compactMap { line in
        line.firstIndex(of: ":").map { colon in
          (
            line[..<colon].lowercased(),
            line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
          )
        }
      }
      fields = Dictionary(pairs) { "\($0), \($1)" }
    }

    /// Whatever of the protection is missing, or not as it ought to be.
    var gaps: [String] {
      var gaps = ProtectionTests.protection.filter { fields[$0.key] != $0.value }.map(\.key)
      let policy = fields["content-security-policy"] ?? ""
      for part in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"]
      where !policy.contains(part) { gaps.append(part) }
      if policy.contains("unsafe") || policy.contains("*") { gaps.append(policy) }
      return gaps
    }
  }

  /// A dashboard with all that there is to show, so that it has all its routes.
  private struct Scene {
    static let nowhere = "no/such%20page"
    static let actions = [
      "redrive", "discard", "accept", "resend", "pause", "resume", "reset", "isolate", "release",
    ]

    let outbox: Outbox
    let router = Router(context: LiveContext.self)
    /// What stands in addresses, by the names that the routes have for it.
    let values: [String: String]

    init() async throws {
      outbox = try await brokenOutbox(["a"])
      let monitor = ErrorMonitor()
      monitor.capture(AppError.Network.offline, during: "Load")
      var dashboard = Dashboard(outbox)
      dashboard.errors = monitor
      dashboard.breakers = [CircuitBreaker("catalog")]
      dashboard.pipelines = [Pipeline("catalog") { Retry(maximumAttempts: 2) }.explain()]
      dashboard.connectivity = ConnectivityMonitor(source: ScriptedConnectivitySource(.online))
      dashboard.levels = DegradationController(.standard)
      dashboard.allowedHosts = [ProtectionTests.host]
      values = [
        "name": "orders", "id": try #require(try await outbox.deadLetters().first).id.description,
        "fingerprint": try #require(monitor.groups.first).fingerprint.description,
      ]
      dashboard.mount(on: router)
    }

    /// All that can be asked for, taken from the router: a new route is among them.
    func requests() throws -> [(method: HTTPRequest.Method, path: String)] {
      // No path can be asked for with CONNECT.
      try router.routes.filter { $0.method != .connect }.map { route in
        let parts = try route.path.description.split(separator: "/").map { part in
          if part == "**" { return Self.nowhere }
          guard part.hasPrefix("{") else { return String(part) }
          return try #require(values[String(part.dropFirst().dropLast())], "\(route)")
        }
        return (route.method, "/" + parts.joined(separator: "/"))
      }
    }

    /// Asks on a connection of its own, which it leaves after the head: a stream has no end.
    static func head(
      _ method: HTTPRequest.Method, _ path: String, host: String = "localhost",
      _ fields: [String: String] = [:], on port: Int
    ) async throws -> Head {
      let socket = try Socket(port: port)
      let lines = fields.map { "\($0): \($1)\r\n" }.sorted().joined()
      try socket.send("\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\n\(lines)\r\n")
      return Head(try await socket.read(until: "\r\n\r\n"))
    }
  }

  /// A store that finds no operation.
  private final class BrokenStore: ForwardingStore {
    let store: any OutboxStore = InMemoryStore()

    func operation(_ id: OperationID) async throws -> StoredOperation? {
      throw OutboxError(.unavailable, details: "a test")
    }
  }

  @Test func `every answer of every route carries the headers that protect it`() async throws {
    let scene = try await Scene()
    let requests = try scene.requests()
    try await Application(router: scene.router).live { client in
      let port = try #require(client.port)
      var statuses: Set<Int> = []
      for (method, path) in requests {
        let answers = [
          try await Scene.head(method, path, on: port),
          // Refused by the gate, before there is any route.
          try await Scene.head(method, path, host: "evil.example", on: port),
        ]
        for answer in answers {
          #expect(answer.gaps.isEmpty, "\(method) \(path): \(answer.status)")
          #expect(answer.fields[Self.strict] == nil, "\(method) \(path)")
        }
        #expect(answers[1].status == 403, "\(method) \(path)")
        statuses.insert(answers[0].status)
        // Whatever can be read was there: it was not only looked for.
        if method == .get, !Scene.actions.contains(where: path.hasSuffix) {
          #expect(answers[0].status == (path.hasSuffix(Scene.nowhere) ? 404 : 200), "\(path)")
        }
      }
      #expect(statuses == [200, 404, 405, 422])
    }
    #expect(requests.count > 150)
    await scene.outbox.shutDown()
  }

  @Test func `so does what follows a form, what fails, and what is one too many`() async throws {
    let outbox = try await brokenOutbox(["a"])
    let id = try #require(try await outbox.deadLetters().first).id.description
    var dashboard = Dashboard(outbox)
    dashboard.maximumStreams = 0
    let mail = try await Outbox(store: BrokenStore()) {}
    dashboard.outboxes["mail"] = mail
    try await serve(dashboard) { client in
      func expectProtection(_ answer: TestResponse, _ status: HTTPResponse.Status) {
        #expect(answer.status == status)
        for (name, value) in Self.protection { #expect(answer.header(name) == value) }
        #expect(answer.header("Content-Security-Policy")?.contains("default-src 'none'") == true)
      }
      let visitor = try await Visitor(client)
      expectProtection(try await visitor.get("/mainstay/events"), .serviceUnavailable)
      let form = [("id", id), ("confirmed", "yes")]
      expectProtection(try await visitor.post(AttackTests.discard, form, token: "x"), .forbidden)
      expectProtection(try await visitor.post(AttackTests.discard, form), .seeOther)
      let lost = "/mainstay/outboxes/mail/operations/\(id)"
      expectProtection(try await visitor.get(lost), .serviceUnavailable)
    }
    await mail.shutDown()
    await outbox.shutDown()
  }

  /// How a request comes, and what a browser is told then.
  struct Way: Sendable, CustomTestStringConvertible {
    var host = "operations.example"
    var forwarded: String?
    var isAlwaysSecure = false
    let isSecure: Bool
    let asksForTLS: Bool

    var testDescription: String { "\(host) \(forwarded ?? "-") \(isAlwaysSecure)" }
  }

  @Test(arguments: [
    Way(host: "localhost", isSecure: false, asksForTLS: false),
    Way(host: "127.0.0.1:8080", forwarded: "http", isSecure: false, asksForTLS: false),
    Way(isSecure: false, asksForTLS: false),
    Way(forwarded: "http, https", isSecure: false, asksForTLS: false),
    Way(forwarded: "httpsx", isSecure: false, asksForTLS: false),
    Way(forwarded: "https", isSecure: true, asksForTLS: true),
    Way(host: "\(host):8443", forwarded: "HTTPS , http", isSecure: true, asksForTLS: true),
    Way(isAlwaysSecure: true, isSecure: true, asksForTLS: true),
    Way(host: "LocalHost:8080", forwarded: "https", isSecure: true, asksForTLS: false),
    Way(host: "[::1]:8080", isAlwaysSecure: true, isSecure: true, asksForTLS: false),
    Way(host: "127.0.0.1", isAlwaysSecure: true, isSecure: true, asksForTLS: false),
  ])
  func `the cookie is kept from scripts, other sites and, over TLS, from connections without`(
    way: Way
  ) async throws {
    var dashboard = Dashboard()
    dashboard.isAlwaysSecure = way.isAlwaysSecure
    dashboard.allowedHosts = [Self.host]
    try await serve(dashboard) { client in
      let fields = way.forwarded.map { ["X-Forwarded-Proto": $0] } ?? [:]
      let answer = try await Scene.head(
        .get, "/mainstay", host: way.host, fields, on: try #require(client.port))
      #expect(answer.status == 200)
      let cookie = try #require(answer.fields["set-cookie"]).components(separatedBy: "; ")
      #expect(cookie[0].hasPrefix("mainstay-dashboard="))
      var attributes = ["HttpOnly", "Path=/mainstay", "SameSite=Strict"]
      if way.isSecure { attributes.append("Secure") }
      #expect(cookie.dropFirst().sorted() == attributes)
      // An hour would be of no use to whoever comes once a week.
      #expect(answer.fields[Self.strict] == (way.asksForTLS ? "max-age=31536000" : nil))
    }
  }

  @Test func `a name by which the machine may be called is one in capitals or not`() async throws {
    var dashboard = Dashboard()
    dashboard.allowedHosts = ["MacBook.local"]
    try await serve(dashboard) { client in
      let port = try #require(client.port)
      for (host, status) in [
        ("MacBook.local:8080", 200), ("macbook.local", 200), ("MacBook.example", 403),
      ] {
        let answer = try await Scene.head(.get, "/mainstay", host: host, on: port)
        #expect(answer.status == status, "\(host)")
      }
    }
  }

  @Test func `whoever is refused over TLS is asked for it as well`() async throws {
    var dashboard = Dashboard(authenticator: { _ in false })
    dashboard.challenge = #"Basic realm="Operations""#
    try await serve(dashboard) { client in
      let answer = try await Scene.head(
        .get, "/mainstay", host: Self.host, ["X-Forwarded-Proto": "https"],
        on: try #require(client.port))
      #expect(answer.status == 401)
      #expect(answer.fields[Self.strict] == "max-age=31536000")
    }
  }
}
