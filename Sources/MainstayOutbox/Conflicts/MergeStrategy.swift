// SPDX-License-Identifier: Apache-2.0

/// What becomes of a value that both sides changed, each to something else.
///
/// Where one side alone changed it, the change stands, and where both did the same, that: no
/// strategy is asked but ``counter(in:)``, which adds the changes up.
public struct MergeStrategy<Value: Sendable>: Sendable {
  /// What the sides began with.
  @usableFromInline
  enum Origin: Sendable {
    case value(Value)
    /// It is known that there was nothing.
    case absent
    case unknown

    @inlinable
    var value: Value? {
      guard case .value(let value) = self else { return nil }
      return value
    }
  }

  @usableFromInline let traits: MergeTraits
  @usableFromInline let isEqual: @Sendable (Value, Value) -> Bool
  /// Asked only where both changed it, unless it counts.
  @usableFromInline let decide: @Sendable (Origin, Value, Value, inout MergeFindings) -> Value

  @inlinable
  init(
    _ traits: MergeTraits, isEqual: @escaping @Sendable (Value, Value) -> Bool,
    decide: @escaping @Sendable (Origin, Value, Value, inout MergeFindings) -> Value
  ) {
    self.traits = traits
    self.isEqual = isEqual
    self.decide = decide
  }

  /// Merges a value; one in conflict has the value of this side.
  @inlinable
  func merge(
    _ base: Origin, _ local: Value, _ remote: Value, _ findings: inout MergeFindings
  ) -> Value {
    var isKnown = true
    if case .unknown = base { isKnown = false }
    if traits.contains(.counts), isKnown { return decide(base, local, remote, &findings) }
    switch ThreeWayMerge.change(base: base.value, local: local, remote: remote, by: isEqual) {
    case .none, .local: return local
    case .remote: return remote
    case .both:
      guard isKnown || traits.contains(.needsNoBase) else {
        return findings.chosen(.noBase, local, remote)
      }
      return decide(base, local, remote, &findings)
    }
  }
}

extension MergeStrategy {
  /// The merger decides, such as for texts and ordered lists; where it declines, somebody has to.
  ///
  /// - Parameters:
  ///   - isEqual: When two values are the same.
  ///   - merger: Takes base, local and remote, and returns what they make together; nil declines.
  ///     The base is nil where it is known that there was nothing. A result that is one of the
  ///     three leaves a receipt of each change that is not in it.
  /// - Returns: The strategy.
  @inlinable
  public static func custom(
    isEqual: @escaping @Sendable (Value, Value) -> Bool,
    _ merger: @escaping @Sendable (_ base: Value?, _ local: Value, _ remote: Value) -> Value?
  ) -> MergeStrategy {
    MergeStrategy(.combines, isEqual: isEqual) { base, local, remote, findings in
      guard let merged = merger(base.value, local, remote) else {
        return findings.chosen(.bothChanged, local, remote)
      }
      if isEqual(merged, local) { findings.discard(.remote, "custom") }
      if isEqual(merged, remote) { findings.discard(.local, "custom") }
      // As it was at first, it has nothing of either side.
      if let old = base.value, isEqual(merged, old) {
        findings.discard(.local, "custom")
        findings.discard(.remote, "custom")
      }
      return merged
    }
  }

  /// Somebody has to decide, for values that are compared in a way of their own.
  @inlinable
  public static func conflict(
    isEqual: @escaping @Sendable (Value, Value) -> Bool
  ) -> MergeStrategy {
    MergeStrategy(.isSymmetric, isEqual: isEqual) { _, local, remote, findings in
      findings.chosen(.bothChanged, local, remote)
    }
  }
}

extension MergeStrategy where Value: Equatable {
  /// Somebody has to decide.
  @inlinable
  public static var conflict: MergeStrategy {
    MergeStrategy([.isSymmetric, .isExact], isEqual: ==) { _, local, remote, findings in
      findings.chosen(.bothChanged, local, remote)
    }
  }

  /// The other side's value stands, and a receipt says what was dropped.
  @inlinable
  public static var preferRemote: MergeStrategy {
    MergeStrategy(.isExact, isEqual: ==) { _, _, remote, findings in
      findings.discard(.local, "preferRemote")
      return remote
    }
  }

  /// This side's value stands, and a receipt says what was dropped.
  @inlinable
  public static var preferLocal: MergeStrategy {
    MergeStrategy(.isExact, isEqual: ==) { _, local, _, findings in
      findings.discard(.remote, "preferLocal")
      return local
    }
  }

  /// The merger decides, such as for texts and ordered lists; where it declines, somebody has to.
  ///
  /// - Parameter merger: Takes base, local and remote, and returns what they make together; nil
  ///   declines. The base is nil where it is known that there was nothing.
  /// - Returns: The strategy.
  @inlinable
  public static func custom(
    _ merger: @escaping @Sendable (_ base: Value?, _ local: Value, _ remote: Value) -> Value?
  ) -> MergeStrategy {
    custom(isEqual: ==, merger)
  }
}

extension MergeStrategy where Value: Comparable {
  /// The greater value stands, for what only ever grows, such as the stamp of the last write.
  @inlinable
  public static var greatest: MergeStrategy {
    MergeStrategy([.isSymmetric, .needsNoBase, .isExact], isEqual: ==) {
      _, local, remote, findings in
      findings.discard(local > remote ? .remote : .local, "greatest")
      return max(local, remote)
    }
  }
}

extension MergeStrategy {
  /// The value that was written last stands, by its own stamp, and a receipt says what was dropped.
  public static func lastWrite<Written: Equatable & Encodable>() -> MergeStrategy
  where Value == Register<Written> {
    MergeStrategy([.isSymmetric, .needsNoBase, .isExact], isEqual: ==) {
      _, local, remote, findings in
      findings.pick(
        LastWrite.winner(
          local: local.value, at: local.stamp, remote: remote.value, at: remote.stamp),
        local, remote)
    }
  }
}

extension MergeFindings {
  /// The value that was written last.
  @usableFromInline
  mutating func pick<Value>(
    _ winner: (side: MergeSide, isAnomaly: Bool), _ local: Value, _ remote: Value
  ) -> Value {
    if winner.isAnomaly { anomalies.append(field) }
    discard(winner.side.other, "lastWrite")
    return winner.side == .local ? local : remote
  }
}

/// What a strategy promises; the laws of MainstayOutboxTesting hold it to that.
///
/// It is not nested, since a type inside of a generic one is looked up each time that it is used.
@usableFromInline
struct MergeTraits: OptionSet, Sendable {
  @usableFromInline let rawValue: Int

  @inlinable init(rawValue: Int) { self.rawValue = rawValue }

  /// The result is the same when the sides are swapped.
  @inlinable static var isSymmetric: MergeTraits { MergeTraits(rawValue: 1) }
  /// The same change on both sides counts twice.
  @inlinable static var counts: MergeTraits { MergeTraits(rawValue: 2) }
  /// The result may be a value that neither side had.
  @inlinable static var combines: MergeTraits { MergeTraits(rawValue: 4) }
  /// Two values alone are enough.
  @inlinable static var needsNoBase: MergeTraits { MergeTraits(rawValue: 8) }
  /// Equal values are the same for the record's own equality too.
  @inlinable static var isExact: MergeTraits { MergeTraits(rawValue: 16) }
}
