// SPDX-License-Identifier: Apache-2.0

internal import MainstayTesting

/// What goes wrong with each connection, by chance; the same for the same seed.
///
/// ```swift
/// let plan = FaultPlan(seed: 7, percent: 35)
/// let proxy = try await FaultProxy(to: port, seed: 7, plan.fault)
/// ```
public struct FaultPlan: Sendable {
  /// The seed; a failing test prints it, so that the run can be repeated.
  public let seed: UInt64
  /// How many of a hundred connections something goes wrong with.
  public let percent: Int

  /// Makes a plan.
  ///
  /// - Parameters:
  ///   - seed: What all chance comes from.
  ///   - percent: How many of a hundred connections something goes wrong with, 0 to 100.
  public init(seed: UInt64, percent: Int) {
    self.seed = seed
    self.percent = percent
  }

  /// What goes wrong with the connection of this number, from 0.
  ///
  /// Bytes are counted up to 400, so that requests and answers of that length break anywhere. One
  /// fault in five is one that a client can only wait out. No byte is changed, since TCP does not
  /// do that.
  public func fault(_ number: Int) -> Fault {
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
