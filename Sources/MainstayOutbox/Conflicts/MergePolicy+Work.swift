// SPDX-License-Identifier: Apache-2.0

/// A merge that is being made, field by field.
@usableFromInline
struct MergeWork<Record: Sendable & Equatable> {
  @usableFromInline let local: Record
  @usableFromInline let remote: Record
  /// The local version where the base is not known: no optional, since looking into one copies it.
  @usableFromInline let base: Record
  @usableFromInline let isBaseKnown: Bool
  @usableFromInline var beganLocal = true
  @usableFromInline var merged: Record
  /// The local version with all that the rules name taken from the remote one; where it is not the
  /// same as that in the end, something differs that no rule names.
  @usableFromInline var probe: Record
  @usableFromInline var findings: MergeFindings

  init(_ base: Record?, _ local: Record, _ remote: Record, _ choices: [String: MergeSide]) {
    self.local = local
    self.remote = remote
    self.base = base ?? local
    isBaseKnown = base != nil
    merged = local
    probe = local
    findings = MergeFindings(choices: choices)
  }

  /// Begins again, with one side's version of what no rule names.
  mutating func begin(with side: MergeSide) {
    beganLocal = side == .local
    merged = beganLocal ? local : remote
  }

  /// Merges one field; what is the same already is not written, since that is what takes time.
  @inlinable
  mutating func merge<Value>(
    _ path: WritableKeyPath<Record, Value>, by strategy: MergeStrategy<Value>
  ) {
    let local = local[keyPath: path]
    let remote = remote[keyPath: path]
    let isEqual = strategy.isEqual(local, remote)
    if !isEqual || !strategy.traits.contains(.isExact) { probe[keyPath: path] = remote }
    if isEqual, beganLocal, !strategy.traits.contains(.counts) { return }
    merged[keyPath: path] = strategy.merge(
      isBaseKnown ? .value(base[keyPath: path]) : .unknown, local, remote, &findings)
  }
}
