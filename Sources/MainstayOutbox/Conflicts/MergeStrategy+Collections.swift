// SPDX-License-Identifier: Apache-2.0

/// What becomes of something that one side deleted and the other changed.
public enum DeletionRule: String, Sendable, Hashable, Codable, CaseIterable {
  /// The change stands: nobody's work is lost.
  case editWins
  /// It is gone, and a receipt says whose change was dropped.
  case deleteWins
  /// Somebody has to decide.
  case conflict

  /// - Parameters:
  ///   - editor: The side that has it.
  ///   - findings: Gets the receipt, or the conflict.
  /// - Returns: Whether it stays; this side's view while somebody has to decide.
  func keeps(edited editor: MergeSide, _ findings: inout MergeFindings) -> Bool {
    switch self {
    case .editWins:
      findings.discard(editor.other, rawValue)
      return true
    case .deleteWins:
      findings.discard(editor, rawValue)
      return false
    case .conflict:
      return findings.chosen(.editedAndDeleted) == editor
    }
  }
}

extension MergeStrategy where Value: FixedWidthInteger {
  /// The changes of both sides are added up: `remote + (local - base)`.
  ///
  /// - Parameter range: What is legal; a sum outside is cut to it, with a receipt. The default is
  ///   every number.
  /// - Returns: The strategy.
  @inlinable
  public static func counter(in range: ClosedRange<Value> = .min ... .max) -> MergeStrategy {
    MergeStrategy([.isSymmetric, .counts, .combines, .isExact], isEqual: ==) {
      base, local, remote, findings in
      let (sum, isCut) = ThreeWayMerge.counter(
        base: base.value ?? 0, local: local, remote: remote, in: range)
      if isCut {
        findings.discard(.local, "counter")
        findings.discard(.remote, "counter")
      }
      return sum
    }
  }
}

extension MergeStrategy {
  /// The additions and removals of both sides stand; never a conflict where the base is known.
  @inlinable
  public static func set<Element>() -> MergeStrategy where Value == Set<Element> {
    MergeStrategy([.isSymmetric, .combines, .isExact], isEqual: ==) { base, local, remote, _ in
      ThreeWayMerge.set(base: base.value ?? [], local: local, remote: remote)
    }
  }

  /// Each key is merged for itself.
  ///
  /// - Parameters:
  ///   - values: What becomes of a value that both sides changed.
  ///   - deletion: What becomes of a key that one side removed and the other changed; the default
  ///     is that the change stands.
  /// - Returns: The strategy.
  public static func map<Key: Sendable, Element: Sendable>(
    of values: MergeStrategy<Element>, deletion: DeletionRule = .editWins
  ) -> MergeStrategy where Value == [Key: Element] {
    // Counted values have to be asked even where both sides are the same.
    let inherited: MergeTraits =
      [
        values.traits.contains(.isSymmetric) ? .isSymmetric : [],
        values.traits.contains(.counts) ? .counts : [],
        values.traits.contains(.isExact) ? .isExact : [],
      ]
    return MergeStrategy(
      inherited.union(.combines), isEqual: { areEqual($0, $1, by: values.isEqual) },
      decide: { base, local, remote, findings in
        merged(base.value ?? [:], local, remote, values, deletion, &findings)
      })
  }

  /// Each key is merged for itself; a value that both sides changed is a conflict.
  ///
  /// - Parameter deletion: What becomes of a key that one side removed and the other changed; the
  ///   default is that the change stands.
  /// - Returns: The strategy.
  public static func map<Key: Sendable, Element: Sendable & Equatable>(
    deletion: DeletionRule = .editWins
  ) -> MergeStrategy where Value == [Key: Element] {
    map(of: .conflict, deletion: deletion)
  }
}

private func areEqual<Key, Element>(
  _ left: [Key: Element], _ right: [Key: Element], by isEqual: (Element, Element) -> Bool
) -> Bool {
  left.count == right.count
    && left.allSatisfy { key, value in right[key].map { isEqual(value, $0) } ?? false }
}

/// The keys in the order of their names, so that all devices find conflicts in the same order.
private func merged<Key: Sendable, Element>(
  _ base: [Key: Element], _ local: [Key: Element], _ remote: [Key: Element],
  _ values: MergeStrategy<Element>, _ deletion: DeletionRule, _ findings: inout MergeFindings
) -> [Key: Element] {
  var result: [Key: Element] = [:]
  let keys = Set(local.keys).union(remote.keys).map { (key: $0, name: String(describing: $0)) }
  for (key, name) in keys.sorted(by: { $0.name < $1.name }) {
    let value = findings.entering(name) { findings in
      merged(base[key], local[key], remote[key], values, deletion, &findings)
    }
    if let value { result[key] = value }
  }
  return result
}

/// The value of one key; nil where the key is gone.
private func merged<Element>(
  _ base: Element?, _ local: Element?, _ remote: Element?, _ values: MergeStrategy<Element>,
  _ deletion: DeletionRule, _ findings: inout MergeFindings
) -> Element? {
  switch (local, remote) {
  case (let local?, let remote?):
    return values.merge(base.map { .value($0) } ?? .absent, local, remote, &findings)
  case (let value?, nil):
    return survivor(base, value, of: .local, values, deletion, &findings)
  case (nil, let value?):
    return survivor(base, value, of: .remote, values, deletion, &findings)
  case (nil, nil): return nil
  }
}

/// The value that one side alone has; nil where the other's deletion stands.
private func survivor<Element>(
  _ base: Element?, _ value: Element, of side: MergeSide, _ values: MergeStrategy<Element>,
  _ deletion: DeletionRule, _ findings: inout MergeFindings
) -> Element? {
  guard let base else { return value }
  if values.isEqual(base, value) { return nil }
  return deletion.keeps(edited: side, &findings) ? value : nil
}
