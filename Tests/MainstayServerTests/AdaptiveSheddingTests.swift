// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Mainstay
import MainstayServer
import MainstayTesting
import NIOCore
import TestSupport
import Testing

/// A service that finds out how many requests it can answer at once.
@Suite(.ends(withinMinutes: 2)) struct AdaptiveSheddingTests {
  private let clock = ManualClock()
  private let field = HTTPField.Name("X-Wait-Milliseconds")

  private func limit(_ initial: Int) -> AdaptiveLimit {
    AdaptiveLimit(
      "requests", .aimd(initial: initial, maximum: 8, backoffRatio: 0.5), clock: clock, seed: 1)
  }

  private func request(_ path: String) -> HTTPRequest {
    HTTPRequest(method: .get, scheme: nil, authority: nil, path: path)
  }

  /// A service whose answers take as long as a test lets them.
  private func application(
    _ limit: AdaptiveLimit, isDeadlineFirst: Bool = false
  ) -> some ApplicationProtocol {
    let router = Router()
    router.add(middleware: ProblemMiddleware())
    let deadline = DeadlineMiddleware<BasicRequestContext>(
      .seconds(5), callerSaysIn: field, clock: clock)
    if isDeadlineFirst { router.add(middleware: deadline) }
    router.add(middleware: LoadSheddingMiddleware(LoadShedding(limit)))
    if !isDeadlineFirst { router.add(middleware: deadline) }
    router.get("quick") { _, _ in "done" }
    router.get("slow") { [clock] _, _ in
      try await clock.sleep(for: .seconds(60))
      return "done"
    }
    router.get("broken") { _, _ -> String in
      throw AppError(
        code: "shop.down", kind: .server, disposition: .transient(), title: "Down",
        message: "The shop is closed.")
    }
    return Application(router: router)
  }

  private func slow(
    waiting said: String?, _ client: any TestClientProtocol
  ) async throws -> HTTPResponse.Status {
    var headers = HTTPFields()
    let field = try #require(field)
    headers[field] = said
    let call = await started { [headers] in
      try await client.execute(uri: "/slow", method: .get, headers: headers)
    }
    // What is handled sleeps, and so does its deadline.
    await clock.sleepers(atLeast: 2)
    clock.advance(by: .seconds(5))
    return try await call.value.status
  }

  @Test func `the limit grows while answers come, and shrinks where their time is over`()
    async throws
  {
    let limit = limit(2)
    try await application(limit).test(.router) { client in
      let place = try await LoadShedding(limit).admit(request("/"))
      for _ in 0..<4 {
        #expect(try await client.execute(uri: "/quick", method: .get).status == .ok)
      }
      #expect(limit.limit > 2)
      place.release()
      let before = limit.limit
      #expect(try await slow(waiting: nil, client) == .gatewayTimeout)
      #expect(limit.limit < before)
      #expect(limit.running == 0)
    }
  }

  @Test(arguments: [false, true])
  func `what callers give no time for, and what is wrong behind, shrinks no limit`(
    isDeadlineFirst: Bool
  ) async throws {
    let limit = limit(4)
    try await application(limit, isDeadlineFirst: isDeadlineFirst).test(.router) { client in
      let hurried = try await slow(waiting: "1", client)
      let broken = try await client.execute(uri: "/broken", method: .get)
      #expect(hurried == .gatewayTimeout && broken.status == .serviceUnavailable)
      #expect(limit.limit == 4)
      #expect(limit.running == 0)
    }
  }

  @Test(arguments: [("1", false), ("60000", true)])
  func `in any framework the time of a caller shrinks no limit`(
    _ said: String, _ isShrunk: Bool
  ) async throws {
    let limit = limit(4)
    let deadline = RequestDeadline(.seconds(5), callerSaysIn: field, clock: clock)
    var head = request("/slow")
    let field = try #require(field)
    head.headerFields[field] = said
    let place = try await LoadShedding(limit).admit(head)
    let call = await started { [clock, head] in
      try await place.handle {
        try await deadline.run(head) { try await clock.sleep(for: .seconds(60)) }
      }
    }
    // What is handled sleeps, and so does its deadline.
    await clock.sleepers(atLeast: 2)
    clock.advance(by: .seconds(5))
    await #expect(throws: TimedOut.self) { try await call.value }
    #expect(limit.running == 1, "the answer still has to be sent")
    place.release()
    #expect(limit.running == 0 && (limit.limit < 4) == isShrunk)
  }

  @Test func `what finds no room is refused, what may wait first, and a place goes back once`()
    async throws
  {
    let limit = limit(4)
    let shedding = LoadShedding(limit, seed: 1) { $0.path == "/batch" ? .deferrable : .usual }
    var places: [LoadShedding.Place] = []
    for _ in 0..<2 { places.append(try await shedding.admit(request("/batch"))) }
    let batch = await #expect(throws: Rejection.self) {
      try await shedding.admit(request("/batch"))
    }
    #expect(batch?.reason == .limitReached && batch?.retryAfter != nil)
    for _ in 0..<2 { places.append(try await shedding.admit(request("/"))) }
    let usual = await #expect(throws: Rejection.self) { try await shedding.admit(request("/")) }
    #expect(usual?.reason == .limitReached && usual?.policy == "requests")
    #expect(limit.running == 4)
    // The answer is there, and still has to be sent.
    places[0].ended()
    #expect(limit.running == 4)
    for place in places + places {
      place.release()
      place.ended()
    }
    #expect(limit.running == 0)
    _ = try await shedding.admit(request("/"))
    #expect(limit.running == 0)
  }
}
