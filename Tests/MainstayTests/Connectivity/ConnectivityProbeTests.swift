// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite(.requirement("O14"), .ends(withinMinutes: 5)) struct ConnectivityProbeTests {
  private typealias Response = ConnectivityProbe.Response
  private typealias Verdict = ConnectivityProbe.Verdict

  private func web(_ text: String) throws -> URL { try #require(URL(string: text)) }

  private func verdict(
    _ expectation: ConnectivityProbe.Expectation = .noContent(echoedIn: "Probe-Nonce"),
    _ answer: @escaping @Sendable (ConnectivityProbe.Request) throws -> ConnectivityProbe.Response
  ) async throws -> ConnectivityProbe.Verdict? {
    let url = try web("https://api.example/alive?a=b")
    let probe = ConnectivityProbe(url, expecting: expectation, nonce: { "7f3" }) { try answer($0) }
    return await probe.check()
  }

  @Test func `each question carries a word of its own`() async throws {
    let log = Log()
    let probe = ConnectivityProbe(try web("https://api.example/alive?a=b")) { request in
      log.add(request.url.absoluteString)
      #expect(request.headers["Probe-Nonce"].map(request.url.absoluteString.contains) == true)
      #expect(request.timeout == .seconds(5) && request.maximumBytes == 1)
      return ConnectivityProbe.Response(
        status: 204, headers: ["probe-nonce": request.headers["Probe-Nonce"] ?? ""])
    }
    #expect(await probe.check() == .validated)
    #expect(await probe.check() == .validated)
    #expect(Set(log.lines).count == 2)
    #expect(log.lines.allSatisfy { $0.hasPrefix("https://api.example/alive?a=b&nonce=") })
  }

  @Test func `status, length and word have to be exact`() async throws {
    let portal = Verdict.portal(try web("https://api.example/alive?a=b"))
    let right = ["Probe-Nonce": "7f3"]
    #expect(try await verdict { _ in Response(status: 204, headers: right) } == .validated)
    #expect(try await verdict { _ in Response(status: 200, headers: right) } == portal)
    #expect(try await verdict { _ in Response(status: 204) } == portal)
    #expect(
      try await verdict { _ in Response(status: 204, headers: ["Probe-Nonce": "7f4"]) } == portal)
    #expect(
      try await verdict { _ in
        Response(status: 204, headers: right, body: Data("<".utf8))
      } == portal)
  }

  @Test func `a body has to be exact, to the last byte`() async throws {
    let portal = Verdict.portal(try web("https://api.example/alive?a=b"))
    for (text, expected) in [("7f3", Verdict.validated), ("7f3\n", portal), ("7f", portal)] {
      let body = Data(text.utf8)
      #expect(try await verdict(.echo) { _ in Response(status: 200, body: body) } == expected)
    }
    let success = Data("Success".utf8)
    let exact = try await verdict(.body(success)) { request in
      Response(status: request.maximumBytes == 8 ? 200 : 500, body: success)
    }
    #expect(exact == .validated)
    #expect(
      try await verdict(.body(success)) { _ in
        Response(
          status: 200, headers: ["Content-Type": "text/html"], body: Data("<html>".utf8))
      } == portal)
  }

  @Test(arguments: [
    ("http://login.example/", "http://login.example/"),
    ("/login?to=x", "https://api.example/login?to=x"), ("javascript:alert(1)", nil),
    ("file:///etc/passwd", nil), ("", nil), ("http://", "http://"),
    ("http://a.example/" + String(repeating: "x", count: 3_000), nil),
  ])
  func `a redirect is a portal, and its address is only ever a web address`(
    location: String, target: String?
  ) async throws {
    let verdict = try await verdict { _ in
      Response(status: 302, headers: ["location": location])
    }
    guard case .portal(let url) = verdict else {
      Issue.record("\(String(describing: verdict))")
      return
    }
    if location.isEmpty || location == "http://" { return }
    #expect(url?.absoluteString == target)
  }

  @Test func `a network that asks for a sign-in says so by its status`() async throws {
    #expect(
      try await verdict { _ in Response(status: 511) }
        == .portal(try web("https://api.example/alive?a=b")))
  }

  @Test(arguments: [400, 404, 500, 502, 503, 0, -1, 999])
  func `an answer that is no answer was not delivered`(status: Int) async throws {
    #expect(
      try await verdict { _ in
        Response(
          status: status, headers: ["Content-Type": "text/html"], body: Data("<html>".utf8))
      } == .notDelivered(.server))
  }

  @Test func `what is thrown was not delivered, a false certificate too`() async throws {
    #expect(
      try await verdict { _ in throw URLError(.serverCertificateUntrusted) }
        == .notDelivered(.insecure))
    #expect(
      try await verdict { _ in throw URLError(.notConnectedToInternet) } == .notDelivered(.offline))
  }

  @Test(arguments: [CancellationError(), URLError(.cancelled)] as [any Error])
  func `a call that is broken off has not arrived, unless whoever asks was cancelled`(
    error: any Error
  ) async throws {
    #expect(try await verdict { _ in throw error } == .notDelivered(.network))
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await verdict { _ in throw error }
    }
    #expect(try await cancelled.value == nil)
  }

  @Test func `who never answers is left after five seconds`() async throws {
    let clock = ManualClock()
    let deaf = Countdown(1)
    let probe = ConnectivityProbe(try web("https://api.example/"), clock: clock) { _ in
      await deaf.passed()
      return ConnectivityProbe.Response(status: 204)
    }
    let verdict = await started { await probe.check() }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(5))
    #expect(try await verdict.value == .notDelivered(.timeout))
    deaf.count()
  }

  @Test(.requirement("T8"), arguments: ["ftp://a.example/", "file:///a", "alive", "https:///a"])
  func `an address that is none is said`(text: String) throws {
    let url = try web(text)
    let error = try #require(throws: ConfigurationError.self) {
      try ConnectivityProbe(validating: url, timeout: .zero) { _ in .init(status: 204) }
    }
    #expect(error.violations.map(\.option) == ["url", "timeout"])
  }

  @Test(.requirement("T8")) func `a timeout of zero in the code stops the program`() async {
    await #expect(processExitsWith: .failure) {
      guard let url = URL(string: "https://a.example") else { return }
      _ = ConnectivityProbe(url, timeout: .zero) { _ in .init(status: 204) }
    }
  }
}
