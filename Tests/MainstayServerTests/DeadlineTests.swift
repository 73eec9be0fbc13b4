// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Mainstay
import MainstayServer
import MainstayTesting
import TestSupport
import Testing

/// The time in which a request has to be answered.
@Suite(.ends(withinMinutes: 2)) struct DeadlineTests {
  private struct Fault: Error {}

  private let clock = ManualClock()
  private let field = HTTPField.Name("X-Wait-Milliseconds")

  private func application(
    reportingTo monitor: ErrorMonitor? = nil
  ) -> some ApplicationProtocol {
    let router = Router()
    router.add(middleware: ProblemMiddleware(reportingTo: monitor))
    router.add(middleware: DeadlineMiddleware(.seconds(5), callerSaysIn: field, clock: clock))
    router.get("left") { _, _ in "\(Deadline.remaining?.description ?? "for ever")" }
    router.get("slow") { [clock] _, _ in
      try await clock.sleep(for: .seconds(60))
      return "done"
    }
    router.get("broken") { _, _ -> String in throw Fault() }
    router.get("late") { [clock] request, _ in
      clock.advance(by: .seconds(5))
      do {
        return try await Timeout(.seconds(1), clock: clock).run { "done" }
      } catch {
        throw request.uri.queryParameters["mapped"] == nil ? error : AppError.from(error)
      }
    }
    return Application(router: router)
  }

  private func left(
    _ said: String?, _ client: any TestClientProtocol
  ) async throws -> TestResponse {
    var headers = HTTPFields()
    if let said, let field { headers[field] = said }
    return try await client.execute(uri: "/left", method: .get, headers: headers)
  }

  @Test(arguments: [
    (nil, "5.0 seconds"), ("2000", "2.0 seconds"), ("60000", "5.0 seconds"),
    ("soon", "5.0 seconds"), ("-1", "5.0 seconds"), ("99999999999999999999", "5.0 seconds"),
  ]) func `the handler knows the time that is left, the shorter of both`(
    _ said: String?, _ left: String
  ) async throws {
    try await application().test(.router) { client in
      let answer = try await self.left(said, client)
      #expect(String(buffer: answer.body) == left)
    }
  }

  @Test func `who waits no more is not worked for`() async throws {
    try await application().test(.router) { client in
      let answer = try await left("0", client)
      #expect(answer.status == .gatewayTimeout)
    }
  }

  @Test func `what a caller gave no time for is no error of the service`() async throws {
    let monitor = ErrorMonitor()
    try await application(reportingTo: monitor).test(.router) { client in
      #expect(try await left("0", client).status == .gatewayTimeout)
      for said in ["2000", "60000"] {
        let headers: HTTPFields = try [#require(field): said]
        let call = await started {
          try await client.execute(uri: "/slow", method: .get, headers: headers)
        }
        await clock.sleepers(atLeast: 2)
        clock.advance(by: .seconds(said == "2000" ? 2 : 5))
        #expect(try await call.value.status == .gatewayTimeout)
        #expect(monitor.ledger.captured == (said == "2000" ? 0 : 1))
      }
    }
  }

  @Test(arguments: ["/late", "/late?mapped=yes"])
  func `what a policy makes of the time of a caller is no error of the service either`(
    _ path: String
  ) async throws {
    let monitor = ErrorMonitor()
    try await application(reportingTo: monitor).test(.router) { client in
      let headers: HTTPFields = try [#require(field): "2000"]
      let hurried = try await client.execute(uri: path, method: .get, headers: headers)
      #expect(hurried.status == .gatewayTimeout)
      #expect(monitor.ledger.captured == 0)
      let usual = try await client.execute(uri: path, method: .get)
      #expect(usual.status == .gatewayTimeout)
      #expect(monitor.ledger.captured == 1)
    }
  }

  @Test func `a fault that a hurried request meets in time is reported`() async throws {
    let monitor = ErrorMonitor()
    try await application(reportingTo: monitor).test(.router) { client in
      let headers: HTTPFields = try [#require(field): "2000"]
      let broken = try await client.execute(uri: "/broken", method: .get, headers: headers)
      #expect(broken.status == .internalServerError)
      #expect(monitor.ledger.captured == 1)
    }
  }

  @Test func `a request whose time is over is answered with 504`() async throws {
    try await application().test(.router) { client in
      let call = await started { try await client.execute(uri: "/slow", method: .get) }
      await clock.sleepers(atLeast: 2)
      clock.advance(by: .seconds(5))
      let response = try await call.value
      #expect(response.status == .gatewayTimeout)
      #expect(response.headers[.contentType] == "application/problem+json")
    }
  }
}
