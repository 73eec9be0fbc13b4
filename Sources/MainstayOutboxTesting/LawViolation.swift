// SPDX-License-Identifier: Apache-2.0

/// A case in which a law does not hold.
public struct LawViolation: Sendable, Hashable {
  /// The law, in a few words.
  public let law: String
  /// The seed of the case: one case with this seed shows it again.
  public let seed: UInt64
  /// What went in, what was expected and what came out.
  public let details: String
}

extension LawViolation: CustomStringConvertible {
  /// Law, seed and details.
  public var description: String { "\(law) (seed \(seed)): \(details)" }
}

/// Runs a body for each case, with the seed of that case.
func eachCase(
  _ cases: Int, seed: UInt64, _ body: (_ seed: UInt64) -> [LawViolation]
) -> [LawViolation] {
  precondition(cases >= 1, "cases: \(cases) is not legal: it must be 1 or more")
  return (0..<UInt64(cases)).flatMap { body(seed &+ $0) }
}
