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

/// What a service refuses while it has more to do than it can.
@Suite(.ends(withinMinutes: 2)) struct LoadSheddingTests {
  private let clock = ManualClock()

  private func bulkhead(_ limit: Int, queue: Int = 0) -> Bulkhead {
    Bulkhead("requests", limit: limit, queue: queue, maximumWait: .seconds(1), clock: clock)
  }

  private func request(_ path: String) -> HTTPRequest {
    HTTPRequest(method: .get, scheme: nil, authority: nil, path: path)
  }

  private func shedding(_ bulkhead: Bulkhead) -> LoadShedding {
    LoadShedding(bulkhead, seed: 1) { request in
      switch request.path {
      case "/ready": .vital
      case "/batch": .deferrable
      default: .usual
      }
    }
  }

  @Test func `a refusal is held back, but not more of them than may be`() async throws {
    let hold = ManualClock()
    let shedding = LoadShedding(
      bulkhead(1), holding: .milliseconds(250), maximumHeld: 2, clock: hold)
    let place = try await shedding.admit(request("/a"))
    let held = await started(2) { _ in try await shedding.admit(request("/b")) }
    await hold.sleepers(atLeast: 2)
    await #expect(throws: Rejection.self, "there is no room to hold it") {
      try await shedding.admit(request("/c"))
    }
    #expect(hold.nextWakeUp == .milliseconds(250))
    held[0].cancel()
    await #expect(throws: CancellationError.self) { try await held[0].value }
    hold.advance(by: .milliseconds(250))
    await #expect(throws: Rejection.self) { try await held[1].value }
    place.release()
    try await shedding.admit(request("/d")).release()
    #expect(hold.sleeperCount == 0)
  }

  @Test func `a refusal is held for half of the time to the deadline at most`() async throws {
    let hold = ManualClock()
    let shedding = LoadShedding(bulkhead(1), holding: .milliseconds(250), clock: hold)
    let place = try await shedding.admit(request("/a"))
    let refused = await started {
      try await Deadline(.milliseconds(100), clock: hold).run {
        try await shedding.admit(request("/b"))
      }
    }
    await hold.sleepers(atLeast: 2)  // the deadline and the hold
    #expect(hold.nextWakeUp == .milliseconds(50))
    hold.advance(by: .milliseconds(50))
    let refusal = await #expect(throws: Rejection.self) { try await refused.value }
    #expect(refusal?.reason == .bulkheadFull)
    place.release()
  }

  @Test func `a refusal for want of time is not held`() async throws {
    let hold = ManualClock()
    let shedding = LoadShedding(bulkhead(1, queue: 1), holding: .milliseconds(250), clock: hold)
    let place = try await shedding.admit(request("/a"))
    let late = await started {
      try await Deadline(.milliseconds(500), clock: hold).run {
        try await shedding.admit(request("/b"))
      }
    }
    // It waits for its turn by the clock of the bulkhead; the other one stands still.
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .milliseconds(500))
    let refusal = await #expect(throws: Rejection.self) { try await late.value }
    #expect(refusal?.reason == .deadlineTooClose)
    place.release()
  }

  @Test func `ten times what it can is refused at once, and what was let in is answered`()
    async throws
  {
    let gate = Countdown(1)
    let arrived = Countdown(10)
    let router = Router()
    router.add(middleware: ProblemMiddleware())
    router.add(middleware: LoadSheddingMiddleware(shedding(bulkhead(10, queue: 10))))
    router.get("work") { _, _ in
      arrived.count()
      await gate.passed()
      return "done"
    }
    try await Application(router: router).test(.router) { client in
      let refusals = Countdown(80)
      let calls = await started(100) { _ in
        let response = try await client.execute(uri: "/work", method: .get)
        if response.status == .serviceUnavailable { refusals.count() }
        return response
      }
      // Ten run and ten wait, while all the others are answered.
      await arrived.reached()
      await refusals.reached()
      gate.count()
      var answers: [TestResponse] = []
      for call in calls { answers.append(try await call.value) }
      #expect(answers.count { $0.status == .ok } == 20)
      let refused = answers.filter { $0.status == .serviceUnavailable }
      #expect(refused.count == 80)
      #expect(refused.allSatisfy { ["1", "2", "3"].contains($0.headers[.retryAfter] ?? "") })
      #expect(Set(refused.map { $0.headers[.retryAfter] }).count > 1)
    }
  }

  @Test(arguments: [(1.0, 3.0), (0.5, 2.5), (0.2, 0.4), (2, 2)])
  func `each whole second after which to come back is named as often`(
    _ first: Double, _ last: Double
  ) async throws {
    let shedding = LoadShedding(
      bulkhead(1), pause: .seconds(first) ... .seconds(last), seed: 1)
    let place = try await shedding.admit(request("/"))
    var counts: [Int: Int] = [:]
    for _ in 0..<300 {
      let refusal = await #expect(throws: Rejection.self) {
        try await shedding.admit(request("/"))
      }
      let error = try #require(refusal)
      let wait = try #require(error.retryAfter)
      #expect(wait >= .seconds(first) && wait <= .seconds(last))
      let field = try #require(ProblemAnswers().answer(to: error).fields[.retryAfter])
      counts[try #require(Int(field)), default: 0] += 1
    }
    let seconds = Int(first.rounded(.up))...Int(last.rounded(.up))
    #expect(counts.keys.sorted() == Array(seconds))
    // With an even chance, fewer than two thirds of the mean are next to impossible.
    #expect(counts.values.allSatisfy { $0 >= 200 / seconds.count }, "\(counts)")
    place.release()
  }

  @Test func `what was shed is counted, told in words for callers, and no error of the service`()
    async throws
  {
    let monitor = ErrorMonitor()
    let router = Router()
    router.add(middleware: ProblemMiddleware(reportingTo: monitor))
    let rules = shedding(bulkhead(1))
    let inner = router.group().add(middleware: LoadSheddingMiddleware(rules))
    inner.get("work") { _, _ in "done" }
    // The same error, of a policy that the handler calls something by.
    router.get("own") { _, _ -> String in throw Rejection(policy: "stock", reason: .circuitOpen) }
    try await Application(router: router).test(.router) { client in
      let place = try await rules.admit(request("/work"))
      let shed = try await client.execute(uri: "/work", method: .get)
      #expect(shed.status == .serviceUnavailable)
      let words = String(buffer: shed.body)
      #expect(words.contains("The service is busy") && !words.contains("app"), "\(words)")
      #expect(monitor.ledger.captured == 0)
      place.release()
      let own = try await client.execute(uri: "/own", method: .get)
      #expect(own.status == .serviceUnavailable)
      #expect(!String(buffer: own.body).contains("app"))
      #expect(monitor.ledger.captured == 1)
    }
  }

  @Test func `who waits too long is refused`() async throws {
    let bulkhead = bulkhead(1, queue: 1)
    let shedding = shedding(bulkhead)
    let first = try await shedding.admit(request("/"))
    let second = await started { try await shedding.admit(request("/")) }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    let refusal = await #expect(throws: Rejection.self) { try await second.value }
    #expect(refusal?.reason == .waitedTooLong)
    #expect(refusal?.retryAfter.map { $0 >= .seconds(1) && $0 <= .seconds(3) } == true)
    first.release()
    #expect(bulkhead.running == 0)
  }

  @Test func `batches are refused first, and health checks never`() async throws {
    let bulkhead = bulkhead(4)
    let shedding = shedding(bulkhead)
    var places: [LoadShedding.Place] = []
    for _ in 0..<2 { places.append(try await shedding.admit(request("/batch"))) }
    await #expect(throws: Rejection.self) { try await shedding.admit(request("/batch")) }
    for _ in 0..<2 { places.append(try await shedding.admit(request("/"))) }
    await #expect(throws: Rejection.self) { try await shedding.admit(request("/")) }
    for _ in 0..<10 { places.append(try await shedding.admit(request("/ready"))) }
    #expect(bulkhead.running == 4)
    for place in places { place.release() }
    #expect(bulkhead.running == 0)
  }

  @Test func `batches fill their part of the limit that holds now`() async throws {
    let bulkhead = bulkhead(8)
    let shedding = shedding(bulkhead)
    for (limit, part) in [(4, 2), (12, 6)] {
      try bulkhead.setLimit(limit)
      var places: [LoadShedding.Place] = []
      for _ in 0..<part { places.append(try await shedding.admit(request("/batch"))) }
      await #expect(throws: Rejection.self) { try await shedding.admit(request("/batch")) }
      for _ in part..<limit { places.append(try await shedding.admit(request("/"))) }
      #expect(bulkhead.running == limit)
      for place in places { place.release() }
    }
  }

  @Test func `a stream keeps its place until it has ended`() async throws {
    let bulkhead = bulkhead(1)
    let gate = Countdown(1)
    let router = Router()
    router.add(middleware: LoadSheddingMiddleware(shedding(bulkhead)))
    router.get("stream") { _, _ in
      Response(
        status: .ok,
        body: ResponseBody { writer in
          try await writer.write(ByteBuffer(string: "one "))
          await gate.passed()
          try await writer.write(ByteBuffer(string: "two"))
          try await writer.finish(nil)
        })
    }
    try await Application(router: router).test(.live) { client in
      let socket = try Socket(port: try #require(client.port))
      try socket.get("/stream")
      _ = try await socket.read(until: "one ")
      #expect(bulkhead.running == 1)
      gate.count()
      #expect(try await socket.read(until: "0\r\n\r\n").contains("two"))
      while bulkhead.running != 0, !Task.isCancelled { await Task.yield() }
      #expect(bulkhead.running == 0)
    }
  }

  @Test func `a place is free after an error, and where nobody sends the answer`() async throws {
    let bulkhead = bulkhead(1)
    let router = Router()
    router.add(middleware: ProblemMiddleware())
    router.add(middleware: LoadSheddingMiddleware(shedding(bulkhead)))
    router.get("broken") { _, _ -> String in throw HTTPError(.badRequest) }
    try await Application(router: router).test(.router) { client in
      for _ in 0..<3 {
        let answer = try await client.execute(uri: "/broken", method: .get)
        #expect(answer.status == .badRequest)
      }
    }
    do { _ = try await shedding(bulkhead).admit(request("/")) }
    #expect(bulkhead.running == 0)
  }

  @Test func `in a small service deferrable requests are answered while it has nothing to do`()
    async throws
  {
    let bulkhead = bulkhead(1)
    let shedding = shedding(bulkhead)
    let place = try await shedding.admit(request("/batch"))
    await #expect(throws: Rejection.self) { try await shedding.admit(request("/batch")) }
    place.release()
    let closed = LoadShedding(bulkhead, deferrableShare: 0) { _ in .deferrable }
    await #expect(throws: Rejection.self) { try await closed.admit(request("/batch")) }
  }
}
