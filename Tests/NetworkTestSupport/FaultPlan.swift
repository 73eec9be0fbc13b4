// SPDX-License-Identifier: Apache-2.0

internal import MainstayTesting

/// What goes wrong with each connection, by chance; the same for the same seed.
package struct FaultPlan: Sendable {
  /// The seed; a failing test prints it, so that the run can be repeated.
  package let seed: UInt64
  /// How many of a hundred connections something goes wrong with.
  package let percent: Int

  package init(seed: UInt64, percent: Int) {
    self.seed = seed
    self.percent = percent
  }

  /// What goes wrong with the connection of this number.
  package func fault(_ number: Int) -> Fault {
    var generator = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
    guard Int.random(in: 0..<100, using: &generator) < percent else { return .none }
    let after = Int.random(in: 0...400, using: &generator)
    let ending = Bool.random(using: &generator) ? Fault.Ending.finish : .reset
    let direction = Bool.random(using: &generator) ? Fault.Direction.request : .response
    // Those that the client can only wait out come less often.
    switch Int.random(in: 0..<20, using: &generator) {
    case 0: return .blackHole
    case 1: return .swallowedAnswer(then: nil)
    case 2: return .lateAnswer
    case 3: return .drip(bytes: 1, every: .seconds(1))
    case 4...5: return .refusal(for: .milliseconds(10 + after / 8))
    case 6...7: return .delay(.milliseconds(after / 20), jitter: .milliseconds(after / 10))
    case 8: return .throughput(bytesPerSecond: 20_000)
    case 9...13: return .cut(direction, after: after, by: ending)
    case 14...15: return .halfClose(direction, after: after)
    default: return .swallowedAnswer(then: ending)
    }
  }
}
