// SPDX-License-Identifier: Apache-2.0

/// What becomes of one value that two sides may have changed.
package enum Merged<Value: Equatable & Sendable>: Equatable, Sendable {
  /// Both can live with this value.
  case resolved(Value)
  /// Both changed it, each to something else: somebody decides.
  case conflict
}

/// Puts together what two sides made of the same value.
package enum ThreeWayMerge {
  /// The value that keeps the change of whichever side made one.
  ///
  /// - Parameters:
  ///   - base: What both sides had; nil where that is not known.
  ///   - local: What this side has.
  ///   - remote: What the other side has.
  /// - Returns: The value, or that both changed it differently.
  package static func value<Value: Equatable & Sendable>(
    base: Value?, local: Value, remote: Value
  ) -> Merged<Value> {
    if local == remote { return .resolved(local) }
    guard let base else { return .conflict }
    if local == base { return .resolved(remote) }
    if remote == base { return .resolved(local) }
    return .conflict
  }

  /// The count after the changes of both sides, kept in a range; without a base the greater one.
  package static func counter(
    base: Int?, local: Int, remote: Int, in range: ClosedRange<Int>
  ) -> Int {
    guard let base else { return min(max(local, remote, range.lowerBound), range.upperBound) }
    let change = local.subtractingReportingOverflow(base)
    let sum = remote.addingReportingOverflow(change.partialValue)
    guard !change.overflow, !sum.overflow else {
      return min(max(local, remote, range.lowerBound), range.upperBound)
    }
    return min(max(sum.partialValue, range.lowerBound), range.upperBound)
  }
}
