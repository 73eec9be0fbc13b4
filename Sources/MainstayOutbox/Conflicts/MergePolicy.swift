// SPDX-License-Identifier: Apache-2.0

/// How two versions of a record become one, field by field.
///
/// ```swift
/// let policy = MergePolicy<Item>([
///   .field("title", \.title),
///   .field("quantity", \.quantity, .counter(in: 0...10_000)),
///   .field("tags", \.tags, .set()),
///   .group("place", \.room, \.shelf),
/// ])
/// ```
///
/// A change that one side alone made stands. What a field becomes that both changed, its
/// ``MergeStrategy`` says; the default is that somebody has to decide. What no rule names is merged
/// as one field, ``otherFields``.
public struct MergePolicy<Record: Sendable & Equatable>: Sendable {
  /// The field name of a conflict about the record as a whole.
  public static var wholeRecord: String { "" }
  /// The field name of all that no rule names.
  public static var otherFields: String { "*" }

  package let rules: [MergeRule<Record>]
  package let deletion: DeletionRule
  let withoutBase: MergeBaseRule<Record>
  let invalidFields: @Sendable (Record) -> [String]
  /// Where the same change on both sides counts twice, equal records are merged like others.
  private let counts: Bool

  /// Makes a policy; a name that is blank, `*` or there twice stops the program.
  ///
  /// - Parameters:
  ///   - rules: What becomes of each field.
  ///   - deletion: What becomes of a record that one side deleted and the other changed; the
  ///     default is that the change stands.
  ///   - withoutBase: What becomes of versions whose common origin is not known; the default is
  ///     that somebody has to decide about each field that differs.
  ///   - invalidFields: Looks at a record that was put together from both sides, and names the
  ///     fields that break a rule of the app; these become conflicts. It is not asked about a
  ///     record that is the same as that of one side. The default finds nothing.
  public init(
    _ rules: [MergeRule<Record>], deletion: DeletionRule = .editWins,
    withoutBase: MergeBaseRule<Record> = .conflict,
    invalidFields: @escaping @Sendable (Record) -> [String] = { _ in [] }
  ) {
    var names: Set<String> = []
    for rule in rules {
      precondition(
        !rule.name.allSatisfy(\.isWhitespace) && rule.name != Self.otherFields,
        "MergePolicy: \"\(rule.name)\" is not legal: a field's name must not be blank, nor *")
      precondition(
        names.insert(rule.name).inserted,
        "MergePolicy: \"\(rule.name)\" is not legal: each field has one rule")
    }
    self.rules = rules
    self.deletion = deletion
    self.withoutBase = withoutBase
    self.invalidFields = invalidFields
    counts = rules.contains { $0.counts }
  }

  /// Merges two versions of a record.
  ///
  /// - Parameters:
  ///   - base: What the other side had when this side last took it over or wrote it; `missing`
  ///     where that is not known.
  ///   - local: What this side has.
  ///   - remote: What the other side has.
  ///   - choices: Which side somebody chose for fields that were in conflict, or for
  ///     ``wholeRecord``: that side is the result then, whatever else would come of it. The default
  ///     is that nobody did.
  /// - Returns: What they make together, and what somebody has to decide about.
  public func merge(
    base: RecordState<Record>, local: RecordState<Record>, remote: RecordState<Record>,
    choosing choices: [String: MergeSide] = [:]
  ) -> MergeResult<Record> {
    if let side = choices[Self.wholeRecord] {
      return MergeResult(side == .local ? local : remote)
    }
    switch (local, remote) {
    case (_, .missing): return MergeResult(local)
    case (.missing, _): return MergeResult(remote)
    case (.deleted, .deleted): return MergeResult(.deleted)
    case (.present(let record), .deleted):
      return survivor(base, record, of: .local, choices)
    case (.deleted, .present(let record)):
      return survivor(base, record, of: .remote, choices)
    case (.present(let local), .present(let remote)):
      return merge(base: base.record, local, remote, choices)
    }
  }

  private func merge(
    base: Record?, _ local: Record, _ remote: Record, _ choices: [String: MergeSide]
  ) -> MergeResult<Record> {
    if local == remote, !counts { return MergeResult(.present(local)) }
    if let base {
      if local == base { return MergeResult(.present(remote)) }
      if remote == base { return MergeResult(.present(local)) }
    } else if let result = withoutBase.decide(self, local, remote) {
      return result
    }
    var work = MergeWork(base, local, remote, choices)
    for rule in rules {
      work.findings.field = rule.name
      rule.merge(&work)
    }
    // What no rule names is nearly always the same, so that is tried first.
    if work.probe != remote {
      work.findings = MergeFindings(choices: choices)
      work.begin(with: rest(base, local, remote, &work.findings))
      for rule in rules {
        work.findings.field = rule.name
        rule.merge(&work)
      }
    }
    return checked(work.merged, local, remote, work.findings)
  }

  /// The validator sees only what is new: what one side has as a whole was valid there.
  private func checked(
    _ merged: Record, _ local: Record, _ remote: Record, _ findings: MergeFindings
  ) -> MergeResult<Record> {
    guard findings.conflicts.isEmpty, merged != local, merged != remote else {
      return MergeResult(.present(merged), findings)
    }
    let invalid = invalidFields(merged)
    guard !invalid.isEmpty else { return MergeResult(.present(merged), findings) }
    if let result = chosen(invalid, merged, local, remote, findings) { return result }
    var findings = MergeFindings()
    findings.conflicts = invalid.map { FieldConflict(field: $0, cause: .invalid) }
    return MergeResult(.present(local), findings)
  }

  /// The record with the side that somebody chose of each field that breaks a rule of the app, and
  /// this side where nobody did; nil where nobody chose anything, and where it still breaks one.
  private func chosen(
    _ invalid: [String], _ merged: Record, _ local: Record, _ remote: Record,
    _ findings: MergeFindings
  ) -> MergeResult<Record>? {
    let choices = findings.choices
    guard !choices.isEmpty else { return nil }
    func side(_ field: String) -> Record { choices[field] == .remote ? remote : local }
    var record = merged
    if invalid.contains(Self.otherFields) {
      record = side(Self.otherFields)
      for rule in rules { rule.copy(merged, &record) }
    }
    for rule in rules where invalid.contains(rule.name) { rule.copy(side(rule.name), &record) }
    guard record == local || record == remote || invalidFields(record).isEmpty else { return nil }
    // What a rule dropped before somebody chose may be there after all.
    var findings = findings
    findings.discarded.removeAll { change in
      invalid.contains { change.field == $0 || change.field.hasPrefix($0 + "/") }
    }
    return MergeResult(.present(record), findings)
  }

  /// The side whose fields without rules stand.
  private func rest(
    _ base: Record?, _ local: Record, _ remote: Record, _ findings: inout MergeFindings
  ) -> MergeSide {
    findings.field = Self.otherFields
    guard let base else { return findings.chosen(.noBase) }
    if hasEqualRest(local, base) { return .remote }
    if hasEqualRest(remote, base) { return .local }
    return findings.chosen(.bothChanged)
  }

  /// Whether two records are the same but for fields that have rules.
  private func hasEqualRest(_ left: Record, _ right: Record) -> Bool {
    var copy = left
    for rule in rules { rule.copy(right, &copy) }
    return copy == right
  }

  /// What becomes of a record that one side alone still has.
  private func survivor(
    _ base: RecordState<Record>, _ record: Record, of side: MergeSide,
    _ choices: [String: MergeSide]
  ) -> MergeResult<Record> {
    switch base {
    case .deleted: return MergeResult(.present(record))  // this side alone made it
    case .present(let old) where changedFields(from: old, to: record).isEmpty:
      return MergeResult(.deleted)
    case .present, .missing:
      var findings = MergeFindings(choices: choices)
      let stays = deletion.keeps(edited: side, &findings)
      return MergeResult(stays ? .present(record) : .deleted, findings)
    }
  }

  /// The names of the fields in which two records differ, in the order of the rules.
  public func changedFields(from old: Record, to new: Record) -> [String] {
    if old == new { return [] }
    let changed = rules.filter { $0.differs(old, new) }.map(\.name)
    return hasEqualRest(old, new) ? changed : changed + [Self.otherFields]
  }
}

/// What becomes of two versions of a record whose common origin is not known.
public struct MergeBaseRule<Record: Sendable & Equatable>: Sendable {
  /// Nil leaves it to the fields.
  let decide: @Sendable (MergePolicy<Record>, Record, Record) -> MergeResult<Record>?

  /// Somebody has to decide about each field that differs, but for those whose strategy needs no
  /// base.
  public static var conflict: MergeBaseRule { MergeBaseRule { _, _, _ in nil } }

  /// The version that was written last stands, and receipts name the fields that were dropped.
  ///
  /// - Parameter stamp: When a record was written.
  /// - Returns: The rule.
  public static func lastWrite(
    by stamp: any KeyPath<Record, HybridLogicalClock.Stamp> & Sendable
  ) -> MergeBaseRule where Record: Encodable {
    MergeBaseRule { policy, local, remote in
      let (winner, isAnomaly) = LastWrite.winner(
        local: local, at: local[keyPath: stamp], remote: remote, at: remote[keyPath: stamp])
      var findings = MergeFindings()
      for field in policy.changedFields(from: local, to: remote) {
        findings.field = field
        findings.discard(winner.other, "lastWrite")
      }
      if isAnomaly { findings.anomalies = [MergePolicy<Record>.wholeRecord] }
      return MergeResult(.present(winner == .local ? local : remote), findings)
    }
  }
}

/// What became of two versions of a record.
public struct MergeResult<Record: Sendable>: Sendable {
  /// The record; fields in conflict have this side's value, and so has the whole record where it
  /// breaks a rule of the app.
  public let state: RecordState<Record>
  /// The fields that somebody has to decide about, in the order of the rules.
  public let conflicts: [FieldConflict]
  /// The receipts of changes that a rule dropped.
  public let discarded: [DiscardedChange]
  /// The fields with different values under one stamp: two devices share an identity.
  public let anomalies: [String]

  /// Whether nobody has to decide.
  public var isClean: Bool { conflicts.isEmpty }

  init(_ state: RecordState<Record>, _ findings: MergeFindings = MergeFindings()) {
    self.state = state
    conflicts = findings.conflicts
    discarded = findings.discarded
    anomalies = findings.anomalies
  }
}

extension MergeResult: Equatable where Record: Equatable {}
