// SPDX-License-Identifier: Apache-2.0

/// Puts together what two sides made of the same value, where the value they began with is known.
public enum ThreeWayMerge {
  /// Who changed a value.
  public enum Change: String, Sendable, Hashable, CaseIterable {
    /// Nobody, or both in the same way.
    case none
    /// This side alone.
    case local
    /// The other side alone.
    case remote
    /// Both, each to something else; or the sides differ and what they began with is not known.
    case both
  }

  /// Who changed a value.
  ///
  /// - Parameters:
  ///   - base: What both had; nil where that is not known.
  ///   - local: What this side has.
  ///   - remote: What the other side has.
  ///   - isEqual: When two values are the same.
  /// - Returns: Who changed it.
  @inlinable
  public static func change<Value>(
    base: Value?, local: Value, remote: Value, by isEqual: (Value, Value) -> Bool
  ) -> Change {
    if isEqual(local, remote) { return .none }
    guard let base else { return .both }
    if isEqual(local, base) { return .remote }
    if isEqual(remote, base) { return .local }
    return .both
  }

  /// The count with the changes of both sides: `remote + (local - base)`, kept in a range.
  ///
  /// - Parameters:
  ///   - base: What both had.
  ///   - local: What this side has.
  ///   - remote: What the other side has.
  ///   - range: What is legal; a count that one side alone changed is left as it is.
  /// - Returns: The count, and whether a part of a change was cut off by the range.
  @inlinable
  public static func counter<Value: FixedWidthInteger>(
    base: Value, local: Value, remote: Value, in range: ClosedRange<Value> = Value.min...Value.max
  ) -> (value: Value, isCut: Bool) {
    if local == base { return (remote, false) }
    if remote == base { return (local, false) }
    let sum = wide(remote) + wide(local) - wide(base)
    let value = min(max(Value(clamping: sum), range.lowerBound), range.upperBound)
    return (value, wide(value) != sum)
  }

  /// Wide enough for sums of numbers of up to 64 bits; those beyond 100 bits are cut.
  @inlinable
  static func wide<Value: FixedWidthInteger>(_ value: Value) -> Int128 {
    let limit: Int128 = 1 << 100
    return min(max(Int128(clamping: value), -limit), limit)
  }

  /// The set with the additions and removals of both sides.
  ///
  /// - Parameters:
  ///   - base: What both had.
  ///   - local: What this side has.
  ///   - remote: What the other side has.
  /// - Returns: `(remote ∪ (local ∖ base)) ∖ (base ∖ local)`.
  @inlinable
  public static func set<Element>(
    base: Set<Element>, local: Set<Element>, remote: Set<Element>
  ) -> Set<Element> {
    remote.union(local.subtracting(base)).subtracting(base.subtracting(local))
  }
}
