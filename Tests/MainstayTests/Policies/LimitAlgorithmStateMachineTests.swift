// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

@Suite struct LimitAlgorithmTests {
  private func learn(
    _ algorithm: inout LimitAlgorithm, milliseconds: Int = 100, inFlight: Int = 1_000,
    isDrop: Bool = false, now: Int = 0
  ) -> Bool {
    algorithm.learn(
      .init(time: .milliseconds(milliseconds), inFlight: inFlight, isDrop: isDrop),
      epoch: algorithm.epoch, now: .milliseconds(now), fraction: 0.5)
  }

  static let kinds: [AdaptiveLimit.Kind] = [.aimd(), .vegas(), .gradient2()]

  @Test(.requirement("P34")) func `AIMD takes a tenth off for a drop and adds one for a round`() {
    var algorithm = LimitAlgorithm(.aimd())
    #expect(learn(&algorithm, isDrop: true))
    #expect(algorithm.limit == 18)
    for _ in 0..<18 { _ = learn(&algorithm) }
    #expect(algorithm.limit == 18)
    for _ in 0..<2 { _ = learn(&algorithm) }
    #expect(algorithm.limit == 19)
    #expect(learn(&algorithm, milliseconds: 5_001))
    #expect(algorithm.limit == 17)
  }

  @Test(.requirement("P34")) func `Vegas grows while there is no queue, and keeps a short one`() {
    var algorithm = LimitAlgorithm(.vegas())
    #expect(!learn(&algorithm))  // the first answer only says how short it can be
    #expect(learn(&algorithm))
    #expect(algorithm.limit > 20)
    let grown = algorithm.limit
    // Twice the time: half of the calls stand in a queue.
    #expect(learn(&algorithm, milliseconds: 200))
    #expect(algorithm.limit < grown)
    // A drop that comes back in no time is not taken for the shortest answer.
    #expect(learn(&algorithm, milliseconds: 0, isDrop: true))
    let dropped = algorithm.limit
    _ = learn(&algorithm, milliseconds: 100)
    #expect(algorithm.limit > dropped)
  }

  @Test(.requirement("P34")) func `Gradient2 goes by windows and heeds drops at once`() {
    var algorithm = LimitAlgorithm(.gradient2())
    for _ in 0..<100 { #expect(!learn(&algorithm, now: 500)) }
    #expect(learn(&algorithm, now: 5_000) == false)
    #expect(algorithm.limit == 20)
    for second in 0..<20 { for _ in 0..<12 { _ = learn(&algorithm, now: 10_000 + second * 1_000) } }
    let grown = algorithm.limit
    #expect(grown > 25)
    for second in 40..<60 {
      for _ in 0..<12 { _ = learn(&algorithm, milliseconds: 400, now: second * 1_000) }
    }
    #expect(algorithm.limit < grown)
    let slow = algorithm.limit
    #expect(learn(&algorithm, isDrop: true, now: 61_000))
    #expect(algorithm.limit <= slow - slow / 10)
  }

  @Test(.requirement("P34")) func `Gradient2 soon forgets a long time of overload`() throws {
    var gradient = Gradient2(tolerance: 1.5)
    for second in 0..<40 {
      for _ in 0..<12 {
        let sample = LimitAlgorithm.Sample(
          time: second < 15 ? .seconds(1) : .milliseconds(100), inFlight: 20)
        _ = gradient.next(20, sample, now: .seconds(second))
      }
    }
    #expect(try #require(gradient.longTerm) < 0.5)
  }

  @Test(.requirement("P34"), arguments: kinds)
  func `calls that are dropped together lower the limit once`(kind: AdaptiveLimit.Kind) {
    var algorithm = LimitAlgorithm(kind)
    let epoch = algorithm.epoch
    let drop = LimitAlgorithm.Sample(time: .zero, inFlight: 20, isDrop: true)
    let changes = (0..<20).count { _ in
      algorithm.learn(drop, epoch: epoch, now: .zero, fraction: 0)
    }
    #expect(changes == 1)
    #expect(algorithm.limit >= 18)
    #expect(algorithm.epoch == epoch + 1)
  }

  @Test(.requirement("P34"), arguments: kinds)
  func `it does not grow while it is not used`(kind: AdaptiveLimit.Kind) {
    var algorithm = LimitAlgorithm(kind)
    for now in 0..<100_000 { _ = learn(&algorithm, inFlight: 9, now: now) }
    #expect(algorithm.limit <= 20)
  }

  @Test(
    .requirement("P34", "P18"),
    arguments: [
      AdaptiveLimit.Kind.aimd(initial: 1, minimum: 1, maximum: 1),
      .vegas(initial: 3, minimum: 2, maximum: 5), .gradient2(initial: 2, minimum: 2, maximum: 9),
      .aimd(maximum: 1_000_000, backoffRatio: 0.5), .vegas(maximum: 1_000_000),
      .gradient2(maximum: 1_000_000, tolerance: 10),
    ])
  func `it stays within its bounds, whatever it is told`(kind: AdaptiveLimit.Kind) {
    for seed in 0..<RandomDose.schedules / 20 {
      var random = SplitMix64(seed: seed)
      var algorithm = LimitAlgorithm(kind)
      var (now, epoch) = (0, UInt64(0))
      for _ in 0..<200 {
        now += Int.random(in: -2_000...3_000, using: &random)
        let times: [Duration] = [
          .zero, .nanoseconds(1), .milliseconds(random.next() >> 50), .seconds(Int64.max),
          .seconds(-1),
        ]
        let sample = LimitAlgorithm.Sample(
          time: times.randomElement(using: &random) ?? .zero,
          inFlight: .random(in: 0...40, using: &random),
          isDrop: random.next().isMultiple(of: 5))
        let before = algorithm.limit
        let hasChanged = algorithm.learn(
          sample, epoch: epoch, now: .milliseconds(now), fraction: random.fraction())
        #expect(hasChanged == (algorithm.limit != before))
        #expect(kind.minimum...kind.maximum ~= algorithm.limit, "seed \(seed)")
        if !random.next().isMultiple(of: 3) { epoch = algorithm.epoch }
      }
    }
  }
}
