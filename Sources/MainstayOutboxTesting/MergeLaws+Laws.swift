// SPDX-License-Identifier: Apache-2.0

import MainstayOutbox
import MainstayTesting

extension MergeLaws {
  func identity(_ sides: Sides<Record>) -> [String] {
    let (base, other) = (sides.base, sides.local)
    func check(
      _ base: Record, _ local: Record, _ remote: Record, _ expected: Record, _ name: String,
      exceptCounts: Bool = false
    ) -> [String] {
      let result = policy.merge(
        base: .present(base), local: .present(local), remote: .present(remote))
      let differences = result.state.record.map { policy.changedFields(from: expected, to: $0) }
      let counts = exceptCounts ? policy.rules.filter(\.counts).map(\.name) : []
      // What is counted twice may break a rule of the app.
      let isClean = result.conflicts.allSatisfy { !counts.isEmpty && $0.cause == .invalid }
      let isRight = isClean && differences.map { Set($0).isSubset(of: counts) } ?? false
      return isRight ? [] : ["\(name) is not \(expected) but \(result)"]
    }
    return check(base, other, base, other, "merge(b, x, b)")
      + check(base, base, other, other, "merge(b, b, x)")
      + check(base, base, base, base, "merge(b, b, b)")
      + check(base, other, other, other, "merge(b, x, x)", exceptCounts: true)
  }

  func symmetry(_ sides: Sides<Record>) -> [String] {
    var swapped = sides
    (swapped.local, swapped.remote) = (sides.remote, sides.local)
    let (one, other) = (sides.merged(by: policy), swapped.merged(by: policy))
    let uneven = policy.rules.filter { !$0.isSymmetric }.map(\.name)
    // Values that depend on the side may break a rule of the app on one of them.
    let isInvalid = (one.conflicts + other.conflicts).contains { $0.cause == .invalid }
    if isInvalid, !uneven.isEmpty { return [] }
    guard one.conflicts == other.conflicts else {
      return ["conflicts are \(one.conflicts), and \(other.conflicts) for the other side"]
    }
    guard one.isClean, let left = one.state.record, let right = other.state.record
    else { return [] }
    let differing = policy.changedFields(from: left, to: right).filter { !uneven.contains($0) }
    return differing.map { "\($0): \(left), and \(right) for the other side" }
  }

  /// Gives one field all three values of another case; nothing else may change.
  func locality(_ sides: Sides<Record>, _ generator: inout SeededGenerator) -> [String] {
    guard let rule = policy.rules.randomElement(using: &generator) else { return [] }
    let others = Sides(policy, generate, &generator)
    var changed = sides
    rule.copy(others.base, &changed.base)
    rule.copy(others.local, &changed.local)
    rule.copy(others.remote, &changed.remote)
    let (before, after) = (sides.merged(by: policy), changed.merged(by: policy))
    // Rules across fields are not about one field.
    let isInvalid = (before.conflicts + after.conflicts).contains { $0.cause == .invalid }
    guard !isInvalid, let old = before.state.record, let new = after.state.record else { return [] }
    // A field that is decided by a stamp depends on that too.
    let stamped = policy.rules.filter(\.readsStamp).map(\.name)
    let moved = policy.changedFields(from: old, to: new).filter {
      $0 != rule.name && !stamped.contains($0)
    }
    let (left, right) = (conflicts(before, but: rule.name), conflicts(after, but: rule.name))
    return moved.map { "\($0) changes when \(rule.name) alone is another" }
      + (left == right ? [] : ["conflicts \(left) become \(right) when \(rule.name) is another"])
  }

  private func conflicts(_ result: MergeResult<Record>, but name: String) -> [FieldConflict] {
    result.conflicts.filter { !Self.is($0.field, of: name) }
  }

  /// Whether a conflict or receipt is about a field, or about a part of it.
  private static func `is`(_ field: String, of name: String) -> Bool {
    field == name || field.hasPrefix(name + "/")
  }

  func invention(_ sides: Sides<Record>) -> [String] {
    guard let merged = sides.merged(by: policy).state.record else { return [] }
    return policy.rules.filter { rule in
      !rule.combines && rule.differs(merged, sides.base) && rule.differs(merged, sides.local)
        && rule.differs(merged, sides.remote)
    }.map { "\($0.name) has a value that nobody had: \(merged)" }
  }

  func loss(_ sides: Sides<Record>) -> [String] {
    let result = sides.merged(by: policy)
    guard let merged = result.state.record else { return ["nothing is left"] }
    let isInvalid = result.conflicts.contains { $0.cause == .invalid }
    return policy.rules.filter { !$0.combines && !isInvalid }.flatMap { rule in
      [(MergeSide.local, sides.local), (.remote, sides.remote)].compactMap { side, record in
        let isKept = !rule.differs(record, sides.base) || !rule.differs(record, merged)
        let isInConflict = result.conflicts.contains { Self.is($0.field, of: rule.name) }
        let hasReceipt = result.discarded.contains {
          Self.is($0.field, of: rule.name) && $0.side == side
        }
        guard !isKept, !isInConflict, !hasReceipt else { return nil }
        return "the \(side) change of \(rule.name) is gone without a trace: \(result)"
      }
    }
  }

  func again(_ sides: Sides<Record>) -> [String] {
    let first = sides.merged(by: policy)
    guard first.isClean else { return [] }
    let remote = RecordState.present(sides.remote)
    let second = policy.merge(base: remote, local: first.state, remote: remote)
    let isSame = second.state == first.state && second.isClean && second.discarded.isEmpty
    return isSame ? [] : ["\(first.state) becomes \(second) when it is merged again"]
  }

  func deletion(_ sides: Sides<Record>) -> [String] {
    let base = RecordState.present(sides.base)
    let other = RecordState.present(sides.local)
    let results = [
      policy.merge(base: base, local: .deleted, remote: other),
      policy.merge(base: base, local: other, remote: .deleted),
    ]
    let isEdited = !policy.changedFields(from: sides.base, to: sides.local).isEmpty
    return results.compactMap { result in
      let isRight =
        switch (isEdited, policy.deletion) {
        case (false, _): result.state == .deleted && result.isClean
        case (true, .editWins): result.state == other && result.discarded.count == 1
        case (true, .deleteWins): result.state == .deleted && result.discarded.count == 1
        case (true, .conflict): result.conflicts.map(\.cause) == [.editedAndDeleted]
        }
      return isRight ? nil : "deleting one side gives \(result)"
    }
  }
}

extension MergeLaws where Record: Codable {
  /// Looks for records that are another one after they were encoded and decoded, or whose bytes
  /// are another time others, as those of a set may be.
  ///
  /// - Parameters:
  ///   - cases: How many random records are tried; 1 or more.
  ///   - seed: Where chance begins.
  /// - Returns: What was found; empty where the law holds.
  public func codecViolations(cases: Int = 100, seed: UInt64 = 1) -> [LawViolation] {
    eachCase(cases, seed: seed) { seed in
      var generator = SeededGenerator(seed: seed)
      let record = generate(&generator)
      let details: String
      do {
        let bytes = try CanonicalForm.bytes(of: record)
        let decoded = try CanonicalForm.value(Record.self, from: bytes)
        let isSame = try decoded == record && CanonicalForm.bytes(of: decoded) == bytes
        if isSame { return [] }
        details = "\(record) becomes \(decoded)"
      } catch {
        details = "\(record): \(error)"
      }
      return [LawViolation(law: "codec", seed: seed, details: details)]
    }
  }
}

extension MergeLaws {
  /// Looks for records of an older form that become something else when they are merged before
  /// they are brought to the present form, rather than after.
  ///
  /// - Parameters:
  ///   - older: The laws, and so the policy, of the older form.
  ///   - upcast: Brings a record to the present form.
  ///   - cases: How many random cases are tried; 1 or more.
  ///   - seed: Where chance begins.
  /// - Returns: What was found; empty where the law holds.
  public func upcastViolations<Older>(
    from older: MergeLaws<Older>, by upcast: (Older) -> Record, cases: Int = 100, seed: UInt64 = 1
  ) -> [LawViolation] {
    eachCase(cases, seed: seed) { seed in
      var generator = SeededGenerator(seed: seed)
      let sides = Sides(older.policy, older.generate, &generator)
      let before = sides.merged(by: older.policy)
      let after = policy.merge(
        base: .present(upcast(sides.base)), local: .present(upcast(sides.local)),
        remote: .present(upcast(sides.remote)))
      let isSame =
        before.isClean == after.isClean
        && (!before.isClean || before.state.record.map(upcast) == after.state.record)
      guard !isSame else { return [] }
      return [
        LawViolation(
          law: "upcasting", seed: seed,
          details: "\(before), and \(after) in the newer form\n\(sides)")
      ]
    }
  }
}
