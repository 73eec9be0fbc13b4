// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

/// Other settings for a limit that has learned something.
@Suite(.requirement("P37")) struct LimitAlgorithmUpdateTests {
  /// Twelve calls in each of some seconds, all of which take as long.
  private func feed(
    _ algorithm: inout LimitAlgorithm, _ time: Duration, seconds: Range<Int>
  ) {
    for second in seconds {
      for part in 0..<12 {
        _ = algorithm.learn(
          .init(time: time, inFlight: 100), epoch: algorithm.epoch,
          now: .seconds(second) + .milliseconds(80 * part), fraction: 0.5)
      }
    }
  }

  @Test func `the same law keeps its average and takes the new tolerance`() {
    var algorithm = LimitAlgorithm(.gradient2(initial: 100, maximum: 100, tolerance: 4))
    feed(&algorithm, .milliseconds(100), seconds: 0..<30)
    var unchanged = algorithm
    feed(&unchanged, .milliseconds(200), seconds: 30..<40)
    #expect(unchanged.limit == 100)
    algorithm.update(.gradient2(initial: 100, maximum: 100, tolerance: 1))
    #expect(algorithm.limit == 100)
    feed(&algorithm, .milliseconds(200), seconds: 30..<40)
    #expect(algorithm.limit < 100)
  }

  @Test func `another law takes over`() {
    var algorithm = LimitAlgorithm(.vegas(initial: 100))
    algorithm.update(.aimd(initial: 20, backoffRatio: 0.5))
    #expect(algorithm.limit == 100)
    _ = algorithm.learn(
      .init(time: .zero, inFlight: 100, isDrop: true), epoch: algorithm.epoch, now: .zero,
      fraction: 0.5)
    #expect(algorithm.limit == 50)
  }
}
