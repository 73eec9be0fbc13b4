// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct ThrottleTests {
  private let clock = ManualClock()
  private let recorder = EventRecorder()

  private func throttle(minimum: Int = 0) -> Throttle {
    Throttle("catalog", minimumRequests: minimum, clock: clock, seed: 7, observer: recorder)
  }

  private func call(_ throttle: Throttle, throwing error: (any Error)? = nil) async -> Bool {
    var didRun = false
    try? await throttle.run {
      didRun = true
      if let error { throw error }
    }
    return didRun
  }

  static let slowDown = AppError.http(status: 429)

  @Test func `a healthy dependency gets every call`() async {
    let throttle = throttle()
    for _ in 1...100 { #expect(await call(throttle)) }
    #expect(throttle.rejectionProbability == 0 && recorder.events.isEmpty)
  }

  @Test func `a dependency that refuses everything gets few calls, and never none`() async {
    let throttle = throttle()
    var sent = 0
    for _ in 1...1_000 where await call(throttle, throwing: Self.slowDown) { sent += 1 }
    #expect((3...30).contains(sent), "about the logarithm of the calls: \(sent)")
    #expect(throttle.rejectionProbability < 1)
    #expect(recorder.names == Array(repeating: "rejected", count: 1_000 - sent))
  }

  @Test func `a refusal has a reason, and is not repeated`() async throws {
    let throttle = throttle()
    while await call(throttle, throwing: Self.slowDown) {}
    var rejection: Rejection?
    for _ in 1...100 where rejection == nil {
      do { try await throttle.run { throw Self.slowDown } } catch {
        rejection = error as? Rejection
      }
    }
    #expect(rejection == Rejection(policy: "catalog", reason: .throttled))
    #expect(rejection?.appError.disposition == .rejected())
  }

  @Test func `sends more and more, then everything, after the dependency is well`() async {
    let throttle = throttle()
    for _ in 1...100 { _ = await call(throttle, throwing: Self.slowDown) }
    var sent: [Int] = []
    for _ in 1...10 {
      sent.append(0)
      for _ in 1...24 {
        clock.advance(by: .seconds(5))
        if await call(throttle) { sent[sent.count - 1] += 1 }
      }
    }
    #expect(throttle.rejectionProbability == 0)
    #expect(sent[0] < 24 && sent[9] == 24, "calls sent per window: \(sent)")
  }

  @Test func `an answer that refuses is accepted, an outage is not`() async {
    let cases: [(any Error, isAccepted: Bool)] = [
      (AppError.http(status: 404), true), (AppError.http(status: 401), true),
      (AppError.http(status: 503, isRepeatable: true), false), (Self.slowDown, false),
      (AppError.http(status: 500, isRepeatable: false), false),
    ]
    for (error, isAccepted) in cases {
      let throttle = throttle()
      _ = await call(throttle, throwing: error)
      #expect((throttle.rejectionProbability == 0) == isAccepted, "\(error)")
    }
  }

  @Test(.requirement("P8", "P26")) func `cancellations and refusals by others are not counted`()
    async
  {
    let throttle = throttle()
    for error in [
      CancellationError() as any Error, AppError.cancelled(),
      Rejection(policy: "breaker", reason: .circuitOpen),
    ] {
      for _ in 1...10 { #expect(await call(throttle, throwing: error)) }
    }
    #expect(throttle.rejectionProbability == 0)
  }

  @Test(.requirement("P26")) func `a call that took too long is not accepted`() async {
    let (throttle, patience) = (throttle(), ManualClock())
    let pipeline = Pipeline("catalog") {
      throttle
      Timeout(.seconds(1), clock: patience)
    }
    let task = Task { try await pipeline.run { try await untilCancelled(patience) } }
    await patience.sleepers(atLeast: 2)
    patience.advance(by: .seconds(1))
    await #expect(throws: TimedOut.self) { try await task.value }
    #expect(throttle.rejectionProbability == 0.5)
  }

  @Test func `few calls are never refused`() async {
    let throttle = Throttle("catalog", clock: clock)
    for _ in 1...10 { #expect(await call(throttle, throwing: Self.slowDown)) }
    #expect(throttle.rejectionProbability == 10.0 / 11)
  }

  @Test func `a burst to a dependency that refuses nothing is sent as a whole`() async throws {
    let throttle = Throttle("catalog", clock: clock, seed: 7, observer: recorder)
    let (well, overloaded) = (BreakerBench.Gate(), BreakerBench.Gate())
    let pictures = await started(30) { _ in try await throttle.run { await well.pass() } }
    await well.arrivals(atLeast: 30)
    #expect(throttle.rejectionProbability == 0 && recorder.events.isEmpty)
    well.open()
    for picture in pictures { try await picture.value }
    #expect(throttle.rejectionProbability == 0)
    let refused = await started(300) { _ in
      try await throttle.run {
        await overloaded.pass()
        throw Self.slowDown
      }
    }
    await overloaded.arrivals(atLeast: 300)
    overloaded.open()
    for call in refused { await #expect(throws: AppError.self) { try await call.value } }
    #expect(throttle.rejectionProbability == (330.0 - 60) / 331)
  }

  @Test func `many tasks lose no count`() async throws {
    // So many requests that none is refused while they are counted.
    let throttle = throttle(minimum: .max)
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for _ in 0..<RandomDose.cases {
            _ = await call(throttle, throwing: task.isMultiple(of: 2) ? Self.slowDown : nil)
          }
        }
      }
    }
    #expect(recorder.events.isEmpty && throttle.rejectionProbability == 0)
    // Each request and each that was accepted is in the quotient.
    try throttle.update(.init(name: "catalog", multiplier: 1, minimumRequests: 0))
    let (requests, accepted) = (Double(8 * RandomDose.cases), Double(4 * RandomDose.cases))
    #expect(throttle.rejectionProbability == (requests - accepted) / (requests + 1))
  }

  @Test func `an observer may use the throttle`() async {
    final class Curious: PolicyObserver {
      let throttle = Locked<Throttle?>(nil)
      let seen = Log()
      func observe(_ event: PolicyEvent) {
        let throttle = throttle.withLock { $0 }
        seen.add("\(throttle?.rejectionProbability ?? 0 > 0)")
      }
    }
    let curious = Curious()
    let throttle = Throttle("x", minimumRequests: 0, clock: clock, seed: 1, observer: curious)
    curious.throttle.withLock { $0 = throttle }
    for _ in 1...50 { _ = await call(throttle, throwing: Self.slowDown) }
    #expect(!curious.seen.lines.isEmpty && curious.seen.lines.allSatisfy { $0 == "true" })
  }

  @Test(.requirement("P10", "P23")) func `settings say everything that is wrong at once`() throws {
    let json = #"{"name": " ", "multiplier": 0.5, "window": 0, "minimumRequests": -1}"#
    let settings = try JSONDecoder().decode(Throttle.Configuration.self, from: Data(json.utf8))
    let error = #expect(throws: ConfigurationError.self) { try Throttle(validating: settings) }
    #expect(
      error?.violations.map(\.option) == ["name", "multiplier", "window", "minimumRequests"])
    for value in [Double.nan, .infinity, -.infinity, -1, 101] {
      #expect(throws: ConfigurationError.self) {
        try Throttle(validating: .init(name: "x", multiplier: value))
      }
    }
    _ = try Throttle(validating: .init(name: "x", window: .seconds(Int64.max)))
    let full = Throttle.Configuration(
      name: "x", multiplier: 3, window: .seconds(9), minimumRequests: 4)
    let data = try JSONEncoder().encode(full)
    #expect(try JSONDecoder().decode(Throttle.Configuration.self, from: data) == full)
    let bare = try JSONDecoder().decode(
      Throttle.Configuration.self, from: Data(#"{"name": "x"}"#.utf8))
    #expect(bare == Throttle.Configuration(name: "x"))
  }

  @Test(.requirement("P23")) func `illegal literals stop the program`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Throttle("x", multiplier: 0)
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("multiplier: 0") && said.contains("1 to 100"))
    await #expect(processExitsWith: .failure) { _ = Throttle("x", window: .zero) }
  }
}
