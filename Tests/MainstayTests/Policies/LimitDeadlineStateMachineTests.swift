// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

/// Calls that wait for their turn under a deadline, in virtual time.
@Suite struct LimitDeadlineTests {
  @Test(arguments: LimitAlgorithmTests.kinds)
  func `a time limit counts where the call had the time that answers take`(
    kind: AdaptiveLimit.Kind
  ) {
    var algorithm = LimitAlgorithm(kind)
    func cut(_ algorithm: inout LimitAlgorithm, after milliseconds: Int) -> Bool {
      algorithm.learn(
        .init(time: .milliseconds(milliseconds), inFlight: 1, isDrop: true, wasCut: true),
        epoch: algorithm.epoch, now: .zero, fraction: 0.5)
    }
    #expect(cut(&algorithm, after: 1), "nothing is known yet")
    func answer(_ algorithm: inout LimitAlgorithm, after milliseconds: Int) {
      _ = algorithm.learn(
        .init(time: .milliseconds(milliseconds), inFlight: 1), epoch: algorithm.epoch, now: .zero,
        fraction: 0.5)
    }
    for milliseconds in [100, 200] { answer(&algorithm, after: milliseconds) }
    #expect(!cut(&algorithm, after: 149))
    #expect(cut(&algorithm, after: 151))
    let drop = LimitAlgorithm.Sample(time: .zero, inFlight: 1, isDrop: true)
    #expect(algorithm.learn(drop, epoch: algorithm.epoch, now: .zero, fraction: 0.5) == true)
  }

  @Test func `a few long calls say nothing about the time that the others take`() {
    var algorithm = LimitAlgorithm(.aimd(initial: 20))
    for number in 1...100 {
      let time = Duration.milliseconds(number.isMultiple(of: 10) ? 4_000 : 50)
      _ = algorithm.learn(
        .init(time: time, inFlight: 1), epoch: algorithm.epoch, now: .zero, fraction: 0.5)
    }
    let cut = LimitAlgorithm.Sample(
      time: .milliseconds(300), inFlight: 1, isDrop: true, wasCut: true)
    _ = algorithm.learn(cut, epoch: algorithm.epoch, now: .zero, fraction: 0.5)
    #expect(algorithm.limit < 20)
  }

  @Test(arguments: [Duration.zero, .microseconds(1)])
  func `a first answer that took no time does not hide how long the others take`(first: Duration) {
    var algorithm = LimitAlgorithm(.aimd(initial: 20))
    for time in [first] + Array(repeating: .milliseconds(100), count: 50) {
      _ = algorithm.learn(
        .init(time: time, inFlight: 1), epoch: algorithm.epoch, now: .zero, fraction: 0.5)
    }
    func cut(after time: Duration) -> LimitAlgorithm.Sample {
      .init(time: time, inFlight: 1, isDrop: true, wasCut: true)
    }
    let before = algorithm.limit
    _ = algorithm.learn(
      cut(after: .milliseconds(50)), epoch: algorithm.epoch, now: .zero, fraction: 0.5)
    #expect(algorithm.limit == before, "it had less time than answers take")
    _ = algorithm.learn(
      cut(after: .milliseconds(100)), epoch: algorithm.epoch, now: .zero, fraction: 0.5)
    #expect(algorithm.limit < before)
  }

  @Test(arguments: LimitAlgorithmTests.kinds)
  func `a burst of load does not shut a service off that is well`(kind: AdaptiveLimit.Kind) {
    var service = QueuedService(kind)
    service.run(seconds: 10, arrivals: 0.5)
    service.run(seconds: 60, arrivals: 4)
    #expect(service.limit >= 20)
    service.run(seconds: 10, arrivals: 0.5)
    let before = service.answers
    service.run(seconds: 10, arrivals: 0.5)
    #expect(service.answers - before > 400, "of 500")
  }
}

/// A service that always answers in 200 ms, and callers that wait in turn, for two seconds in all.
private struct QueuedService {
  private struct Call {
    let begin: Int
    let inFlight: Int
    let epoch: UInt64
    let isAnswered: Bool
  }

  private static let tick = 10

  private(set) var answers = 0
  private var algorithm: LimitAlgorithm
  private var random = SplitMix64(seed: 7)
  private var now = 0
  /// When those who wait give up, the oldest first.
  private var waiting: [Int] = []
  /// The calls on their way, by the tick in which they end.
  private var calls: [Int: [Call]] = [:]
  private var inFlight = 0

  init(_ kind: AdaptiveLimit.Kind) { algorithm = LimitAlgorithm(kind) }

  var limit: Int { algorithm.limit }

  /// - Parameters:
  ///   - seconds: How long.
  ///   - arrivals: How many calls come in 10 ms, on average.
  mutating func run(seconds: Int, arrivals: Double) {
    let end = now + seconds * 1_000
    while now < end {
      now += Self.tick
      for call in calls.removeValue(forKey: now) ?? [] { finish(call) }
      let extra = random.fraction() < arrivals - arrivals.rounded(.down) ? 1 : 0
      for _ in 0..<Int(arrivals) + extra { waiting.append(now + 2_000) }
      waiting.removeAll { $0 <= now }
      while inFlight < limit, !waiting.isEmpty { begin(until: waiting.removeFirst()) }
    }
  }

  private mutating func begin(until deadline: Int) {
    inFlight += 1
    let end = min(now + 200, deadline)
    let call = Call(
      begin: now, inFlight: inFlight, epoch: algorithm.epoch, isAnswered: end == now + 200)
    calls[end, default: []].append(call)
  }

  private mutating func finish(_ call: Call) {
    inFlight -= 1
    if call.isAnswered { answers += 1 }
    _ = algorithm.learn(
      .init(
        time: .milliseconds(now - call.begin), inFlight: call.inFlight,
        isDrop: !call.isAnswered, wasCut: !call.isAnswered),
      epoch: call.epoch, now: .milliseconds(now), fraction: random.fraction())
  }
}
