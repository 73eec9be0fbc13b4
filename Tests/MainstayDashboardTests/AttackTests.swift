// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Mainstay
import MainstayDashboard
import MainstayOutbox
import MainstayTesting
import Metrics
import NIOCore
import TestSupport
import Testing

/// What strangers try, and that each of it is refused, told of and harmless.
@Suite(.ends(withinMinutes: 2)) struct AttackTests {
  static let discard = "/mainstay/outboxes/orders/dead/discard"

  /// Tries something with an order that was given up, which must still be there after.
  private func attack(
    refusedAs refusal: String, with status: HTTPResponse.Status,
    _ attempt: @escaping @Sendable (Visitor, [(String, String)]) async throws -> TestResponse
  ) async throws {
    let outbox = try await brokenOutbox(["a"])
    let id = try #require(try await outbox.deadLetters().first).id.description
    let log = Log()
    try await serve(Dashboard(outbox, log: log)) { client in
      let visitor = try await Visitor(client)
      let answer = try await attempt(visitor, [("id", id), ("confirmed", "yes")])
      #expect(answer.status == status)
      #expect(answer.header("X-Content-Type-Options") == "nosniff")
      #expect(log.lines.contains { $0.contains("refusal=\(refusal)") }, "\(log.lines)")
      #expect(try await outbox.snapshot().dead == 1)
    }
    await outbox.shutDown()
  }

  @Test func `a form of another site is refused by its origin`() async throws {
    try await attack(refusedAs: "foreignOrigin", with: .forbidden) { visitor, form in
      try await visitor.post(
        Self.discard, form, adding: Visitor.named("Origin", "https://evil.example"))
    }
  }

  @Test(arguments: ["cross-site", "same-site", "none"])
  func `a form of another site is refused by where it was sent from`(site: String) async throws {
    try await attack(refusedAs: "foreignOrigin", with: .forbidden) { visitor, form in
      try await visitor.post(Self.discard, form, adding: Visitor.named("Sec-Fetch-Site", site))
    }
  }

  @Test func `a form is taken behind a proxy that writes its own host, on the browser's word`()
    async throws
  {
    let outbox = try await brokenOutbox(["a"])
    let id = try #require(try await outbox.deadLetters().first).id.description
    try await serve(Dashboard(outbox)) { client in
      let visitor = try await Visitor(client)
      var headers = Visitor.named("Origin", "https://operations.example")
      headers.append(contentsOf: Visitor.named("Sec-Fetch-Site", "same-origin"))
      let form = [("id", id), ("confirmed", "yes")]
      let stranger = try await visitor.post(Self.discard, form, adding: headers, token: "AAAA")
      #expect(stranger.status == .forbidden)
      let done = try await visitor.post(Self.discard, form, adding: headers)
      #expect(done.status == .seeOther)
      #expect(try await outbox.snapshot().dead == 0)
    }
    await outbox.shutDown()
  }

  @Test func `a foreign name of this machine is refused, whatever its page says of where it is`()
    async throws
  {
    try await serve(Dashboard()) { client in
      let socket = try Socket(port: try #require(client.port))
      try socket.send(
        """
        POST /mainstay/circuits/reset HTTP/1.1\r
        Host: evil.example\r
        Origin: http://evil.example\r
        Sec-Fetch-Site: same-origin\r
        Content-Length: 0\r
        \r

        """)
      #expect(try await socket.read(until: "\r\n").hasPrefix("HTTP/1.1 403"))
    }
  }

  @Test(arguments: ["", "AAAA", "not base64!"])
  func `a form without the right token is refused`(token: String) async throws {
    try await attack(refusedAs: "badToken", with: .forbidden) { visitor, form in
      try await visitor.post(Self.discard, form, token: token)
    }
  }

  @Test func `the token of another session is refused`() async throws {
    try await attack(refusedAs: "badToken", with: .forbidden) { visitor, form in
      let other = try await Visitor(visitor.client)
      #expect(other.token != visitor.token)
      return try await visitor.post(Self.discard, form, token: other.token)
    }
  }

  @Test(arguments: [true, false])
  func `a form of another process is taken where both have the same secret, and only there`(
    isShared: Bool
  ) async throws {
    let outbox = try await brokenOutbox(["a"])
    var dashboards = [Dashboard(outbox), Dashboard(outbox)]
    for index in dashboards.indices {
      let byte = UInt8(isShared ? 7 : index)
      dashboards[index].formSecret = Data(repeating: byte, count: 32)
    }
    let (one, other) = (dashboards[0], dashboards[1])
    let first = try await serve(one) { client in
      let visitor = try await Visitor(client)
      let question = try await visitor.post(Self.discard, [("all", "yes")])
      return (visitor.cookie, visitor.token, Visitor.answer(to: question.text))
    }
    try await serve(other) { client in
      var visitor = try await Visitor(client)
      (visitor.cookie, visitor.token) = (first.0, first.1)
      let done = try await visitor.post(Self.discard, first.2)
      #expect(done.status == (isShared ? .seeOther : .forbidden))
      #expect(try await outbox.snapshot().dead == (isShared ? 0 : 1))
    }
    await outbox.shutDown()
  }

  @Test func `a secret that is too short is not taken`() async {
    await #expect(processExitsWith: .failure) {
      var dashboard = Dashboard()
      dashboard.formSecret = Data(repeating: 7, count: 31)
    }
  }

  @Test func `a secret from outside that is too short is an error, and the one before it stays`()
    throws
  {
    var dashboard = Dashboard()
    try dashboard.setFormSecret(validating: Data(repeating: 7, count: 32))
    let error = #expect(throws: ConfigurationError.self) {
      try dashboard.setFormSecret(validating: Data("one secret for both".utf8))
    }
    #expect(error?.violations.map(\.option) == ["formSecret"])
    #expect(error?.violations.map(\.value) == ["19 bytes"])
    #expect(dashboard.formSecret == Data(repeating: 7, count: 32))
  }

  @Test func `a form without a session is refused`() async throws {
    try await attack(refusedAs: "badToken", with: .forbidden) { visitor, form in
      var stranger = visitor
      stranger.cookie = ""
      return try await stranger.post(Self.discard, form)
    }
  }

  @Test func `a huge form is refused`() async throws {
    try await attack(refusedAs: "tooLarge", with: .contentTooLarge) { visitor, form in
      try await visitor.post(
        Self.discard, form + [("more", String(repeating: "a", count: 300_000))])
    }
  }

  @Test func `a form of another type is refused`() async throws {
    try await attack(refusedAs: "badForm", with: .unprocessableContent) { visitor, form in
      try await visitor.post(Self.discard, form, adding: [.contentType: "text/plain"])
    }
  }

  @Test func `a form with a broken id does nothing for the others`() async throws {
    try await attack(refusedAs: "badForm", with: .unprocessableContent) { visitor, form in
      try await visitor.post(Self.discard, form + [("id", "../x")])
    }
  }

  @Test(arguments: [
    "/mainstay/..%2f..%2fetc/passwd", "/mainstay/public/..%2f..%2fPackage.swift",
    "/mainstay/outboxes/..%2forders", "/mainstay/outboxes/orders/operations/..%2f..",
    "/mainstay/outboxes/orders?after=%00", "/mainstay/nowhere",
  ])
  func `paths lead nowhere else`(path: String) async throws {
    try await attack(refusedAs: "unknownPage", with: .notFound) { visitor, _ in
      try await visitor.get(path)
    }
  }

  @Test(arguments: ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io:80"])
  func `a foreign name of this machine is refused`(host: String) async throws {
    let log = Log()
    var dashboard = Dashboard(
      logger: log.logger(), clock: ManualClock())
    dashboard.breakers = [CircuitBreaker("telling")]
    dashboard.outboxes = ["telling": try await Outbox(store: InMemoryStore()) {}]
    try await serve(dashboard) { client in
      // The client of the other tests always says `localhost`.
      let stranger = TestClient(
        host: "localhost", port: try #require(client.port),
        configuration: .init(timeout: .patience))
      stranger.connect()
      let answer = try await stranger.execute(
        TestClient.Request("/mainstay", method: .get, authority: host))
      try await stranger.shutdown()
      #expect(answer.head.status == .forbidden)
      #expect(answer.body.map { $0.contains("telling") } == false)
    }
    #expect(log.lines.contains { $0.contains("refusal=foreignHost") })
  }

  @Test(arguments: ["?done=x%0d%0aSet-Cookie:a=b", "?done=redrive-%3Cb%3E", "?done=redrive-1-2"])
  func `an address puts nothing into headers or the page`(query: String) async throws {
    try await serve(Dashboard()) { client in
      let page = try await Visitor(client, at: "/mainstay").get("/mainstay\(query)")
      #expect(page.status == .ok)
      #expect(page.headers[values: .setCookie].allSatisfy { !$0.contains("a=b") })
      #expect(!page.text.contains("class=\"notice\""))
    }
  }

  @Test func `another machine is refused, whatever it says it is`() async throws {
    let log = Log()
    let dashboard = Dashboard(
      logger: log.logger(), clock: ManualClock())
    let router = Router(context: ForeignContext.self)
    dashboard.mount(on: router)
    try await Application(router: router).live { client in
      for name in ["X-Forwarded-For", "X-Real-IP", "Forwarded"] {
        var headers = Visitor.host
        if let name = HTTPField.Name(name) { headers[name] = "127.0.0.1" }
        let answer = try await client.execute(uri: "/mainstay", method: .get, headers: headers)
        #expect(answer.status == .forbidden)
      }
    }
    #expect(
      log.lines == [
        "A request to the dashboard was refused. path=/mainstay peer=192.0.2.7 "
          + "refusal=foreignPeer untold=0"
      ])
  }

  @Test func `a connection without an address is refused`() async throws {
    let router = Router(context: LiveContext.self)
    Dashboard().mount(on: router)
    try await Application(router: router).test(.router) { client in
      let answer = try await client.execute(
        uri: "/mainstay", method: .get, headers: Visitor.host)
      #expect(answer.status == .forbidden)
    }
  }

  @Test func `an authenticator alone decides, for each address`() async throws {
    let outbox = try await Outbox(store: InMemoryStore()) {}
    var dashboard = Dashboard(authenticator: { $0.headerFields[.authorization] == "Basic YQ==" })
    dashboard.outboxes = ["telling": outbox]
    dashboard.errors = ErrorMonitor()
    let router = Router(context: ForeignContext.self)
    dashboard.mount(on: router)
    try await Application(router: router).live { client in
      for path in [
        "/mainstay", "/mainstay/public/dashboard.css", "/mainstay/events", "/mainstay/nowhere",
      ] {
        let stranger = try await client.execute(uri: path, method: .get)
        #expect(stranger.status == .forbidden)
        // Nor is told what there would be to see.
        #expect(!stranger.text.contains("telling") && !stranger.text.contains("<nav"))
      }
      let known = try await client.execute(
        uri: "/mainstay", method: .get, headers: [.authorization: "Basic YQ=="])
      #expect(known.status == .ok)
      #expect(known.text.contains("telling") && known.text.contains("<nav"))
    }
    await outbox.shutDown()
  }

  @Test func `whoever has not signed in is asked to, and in no other way refused`() async throws {
    let log = Log()
    var dashboard = Dashboard(
      authenticator: { $0.headerFields[.authorization] == "Basic YQ==" },
      logger: log.logger(), clock: ManualClock())
    dashboard.challenge = #"Basic realm="Operations""#
    let router = Router(context: ForeignContext.self)
    dashboard.mount(on: router)
    try await Application(router: router).live { client in
      for path in ["/mainstay", "/mainstay/public/dashboard.css", "/mainstay/nowhere"] {
        let stranger = try await client.execute(uri: path, method: .get)
        #expect(stranger.status == .unauthorized)
        #expect(stranger.headers[.wwwAuthenticate] == #"Basic realm="Operations""#)
      }
      let known = try await client.execute(
        uri: "/mainstay", method: .get, headers: [.authorization: "Basic YQ=="])
      #expect(known.status == .ok)
      #expect(known.headers[.wwwAuthenticate] == nil)
    }
    #expect(log.lines.first?.contains("refusal=notAuthenticated") == true)
  }

  @Test func `refusals are counted, each of them`() async throws {
    let metrics = RecordingMetrics()
    let router = Router(context: LiveContext.self)
    withMetricsFactory(metrics) { Dashboard(clock: ManualClock()).mount(on: router) }
    try await Application(router: router).live { client in
      let visitor = try await Visitor(client, at: "/mainstay")
      for _ in 0..<3 { _ = try await visitor.get("/mainstay/nowhere?a=b") }
    }
    let line = "mainstay.dashboard.refused{refusal=unknownPage} +1"
    #expect(metrics.log.lines == [line, line, line])
  }

  @Test func `refusals are told once a minute, with how many were not`() async throws {
    let (log, clock) = (Log(), ManualClock())
    let dashboard = Dashboard(logger: log.logger(), clock: clock)
    try await serve(dashboard) { client in
      let visitor = try await Visitor(client, at: "/mainstay")
      for _ in 0..<5 { _ = try await visitor.get("/mainstay/nowhere") }
      #expect(log.lines.count == 1)
      clock.advance(by: .seconds(60))
      _ = try await visitor.get("/mainstay/nowhere")
    }
    #expect(log.lines.last?.hasSuffix("refusal=unknownPage untold=4") == true)
  }

  @Test(arguments: [
    "<script>alert(1)</script>", "\" onmouseover=\"alert(1)", "\"\u{301} autofocus=\"",
    "\u{202E}gnirts", "{{title}}", String(repeating: "x", count: 10_000),
  ])
  func `whatever stands in data is only text`(evil: String) async throws {
    let outbox = try await brokenOutbox(["a"], message: LocalizableText(verbatim: evil))
    var dashboard = Dashboard(outbox)
    dashboard.outboxes[evil] = outbox
    dashboard.breakers = [CircuitBreaker(evil)]
    try await serve(dashboard) { client in
      let visitor = try await Visitor(client)
      // What would end an attribute that the text stands in.
      let ends = ["\" onmouseover=\"", "\"\u{301}"]
      for path in ["/mainstay", "/mainstay/outboxes/orders/dead"] {
        let page = try await visitor.get(path)
        #expect(page.status == .ok)
        #expect(!page.text.contains("<script>"))
        #expect(ends.allSatisfy { !page.body.contains($0) })
      }
      let search = try await visitor.post("/mainstay/circuits/reset", [("id", evil)])
      #expect(!search.text.contains("<script>"))
    }
    await outbox.shutDown()
  }
}
