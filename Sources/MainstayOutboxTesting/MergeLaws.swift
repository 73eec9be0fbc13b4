// SPDX-License-Identifier: Apache-2.0

public import MainstayOutbox
public import MainstayTesting

/// Checks a merge policy against the laws of merging, on random records.
///
/// ```swift
/// let laws = MergeLaws(Item.policy) { Item.random(using: &$0) }
/// #expect(laws.violations(cases: 1_000).isEmpty)
/// ```
///
/// The laws are:
/// - *identity*: where one side alone changed something, that stands, and where both did the same,
///   that; but counted changes add up;
/// - *symmetry*: fields in conflict do not depend on who merges, nor do the values of fields whose
///   strategy is the same for both sides;
/// - *locality*: what a field becomes depends on that field alone, and on its stamp;
/// - *no invention*: a field has the value of base, local or remote, unless its strategy makes new
///   ones;
/// - *no loss*: a change of either side is in the result, in conflict, or has a receipt;
/// - *again*: merging the result with the same remote version changes nothing;
/// - *deletion*: `editWins` deletes nothing that either side changed, and `deleteWins` keeps
///   nothing that either side deleted.
public struct MergeLaws<Record: Sendable & Equatable>: Sendable {
  let policy: MergePolicy<Record>
  let generate: @Sendable (inout SeededGenerator) -> Record

  /// Makes the laws of a policy.
  ///
  /// - Parameters:
  ///   - policy: The policy.
  ///   - generate: Makes a random record; few different values for each field find more than many.
  public init(
    _ policy: MergePolicy<Record>, generate: @escaping @Sendable (inout SeededGenerator) -> Record
  ) {
    self.policy = policy
    self.generate = generate
  }

  /// Looks for records that break a law.
  ///
  /// - Parameters:
  ///   - cases: How many random cases each law gets; 1 or more.
  ///   - seed: Where chance begins.
  /// - Returns: What was found; empty where the laws hold.
  public func violations(cases: Int = 100, seed: UInt64 = 1) -> [LawViolation] {
    eachCase(cases, seed: seed) { seed in
      var generator = SeededGenerator(seed: seed)
      let sides = Sides(policy, generate, &generator)
      let laws = [
        ("identity", identity(sides)), ("symmetry", symmetry(sides)),
        ("locality", locality(sides, &generator)), ("no invention", invention(sides)),
        ("no loss", loss(sides)), ("again", again(sides)), ("deletion", deletion(sides)),
      ]
      return laws.flatMap { law, found in
        found.map {
          LawViolation(law: law, seed: seed, details: "\($0)\n\(sides)")
        }
      }
    }
  }
}

/// Three versions of a record, of which two were made from the first.
struct Sides<Record: Sendable & Equatable>: Sendable {
  var base: Record
  var local: Record
  var remote: Record

  init(
    _ policy: MergePolicy<Record>, _ generate: (inout SeededGenerator) -> Record,
    _ generator: inout SeededGenerator
  ) {
    base = generate(&generator)
    local = Self.changed(base, policy, generate, &generator)
    remote = Self.changed(base, policy, generate, &generator)
  }

  /// A record with some of its fields changed, and now and then all of it.
  private static func changed(
    _ record: Record, _ policy: MergePolicy<Record>, _ generate: (inout SeededGenerator) -> Record,
    _ generator: inout SeededGenerator
  ) -> Record {
    let other = generate(&generator)
    if Int.random(in: 0..<8, using: &generator) == 0 { return other }
    return policy.rules.reduce(into: record) { result, rule in
      if Bool.random(using: &generator) { rule.copy(other, &result) }
    }
  }

  func merged(by policy: MergePolicy<Record>) -> MergeResult<Record> {
    policy.merge(base: .present(base), local: .present(local), remote: .present(remote))
  }
}

extension Sides: CustomStringConvertible {
  var description: String { "base:   \(base)\nlocal:  \(local)\nremote: \(remote)" }
}
