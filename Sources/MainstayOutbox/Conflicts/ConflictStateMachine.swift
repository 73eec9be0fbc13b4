// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// One record between this device and the other side; <doc:ResolvingConflicts> has its states.
///
/// It knows what both have, what is on its way, and whether somebody has to decide. It is a pure
/// value to be kept beside the record: it sends nothing, and reads no clock.
public struct ConflictStateMachine<Record: Sendable & Equatable>: Sendable {
  /// Where a record stands.
  public enum Phase: String, Sendable, Hashable, Codable, CaseIterable {
    /// Both sides have the same, as far as this one knows.
    case settled
    /// A change of this side waits to be sent.
    case pending
    /// A change is on its way, and its outcome is not known yet.
    case sending
    /// Somebody has to decide; nothing is sent.
    case conflicted
  }

  /// What the caller does next.
  public enum Next: Sendable {
    /// Nothing.
    case nothing
    /// An operation is wanted that sends ``ConflictStateMachine/local``, if none is queued yet; a
    /// parked one goes on.
    case send
    /// No operation is wanted any more; one that waits, or is parked, is dropped.
    case drop
    /// The record's operations are parked, until this is resolved, by whomever it may be.
    case ask(Conflict<Record>)
  }

  /// What an event led to.
  public struct Step: Sendable {
    /// What the caller does next.
    public let next: Next
    /// The receipts of changes that a rule of the policy dropped.
    public var discarded: [DiscardedChange] = []
    /// The fields that showed that two devices share one identity.
    public var anomalies: [String] = []
  }

  /// What is to be sent, under which condition.
  public struct Outgoing: Sendable {
    /// The record, or that it is to be deleted.
    public let state: RecordState<Record>
    /// The version that the other side must still have; nil where it never had one.
    public let precondition: String?
  }

  /// The name of the record.
  public let record: String
  /// The last version that the other side is known to have had, and that ``local`` began with.
  public internal(set) var base: VersionedState<Record>
  /// What this side has: what readers see.
  public internal(set) var local: RecordState<Record>
  /// Where it stands.
  public internal(set) var phase: Phase
  /// The conflict, while there is one.
  public internal(set) var conflict: Conflict<Record>?
  /// How many times in a row the other side was faster.
  public internal(set) var merges = 0
  /// What is on its way.
  var sent: RecordState<Record>?
  /// What the other side was heard to have while something was on its way.
  var heard: VersionedState<Record>?
  /// Whether what was sent may have arrived before, without an answer: the other side's version may
  /// hold it already, so nothing is merged into that.
  var isInDoubt = false

  /// Makes the machine of a record.
  ///
  /// - Parameters:
  ///   - record: The name of the record.
  ///   - base: What the other side has; `deleted` for a record that this side is about to make,
  ///     `missing` where it is not known.
  ///   - local: What this side has; nil, the default, for the same.
  public init(
    record: String, base: VersionedState<Record>, local: RecordState<Record>? = nil
  ) {
    self.record = record
    self.base = base
    self.local = local ?? base.state
    phase = self.local == base.state ? .settled : .pending
  }

  /// What is to be sent, or is on its way; nil where nothing is.
  public var outgoing: Outgoing? {
    switch phase {
    case .pending: Outgoing(state: local, precondition: base.version)
    case .sending: sent.map { Outgoing(state: $0, precondition: base.version) }
    case .settled, .conflicted: nil
    }
  }

  /// This side changed the record.
  ///
  /// - Parameters:
  ///   - state: What it has now.
  ///   - policy: Merges again where there is a conflict, which may so go away.
  ///   - date: The time of day.
  /// - Returns: What is to be done.
  public mutating func edited(
    to state: RecordState<Record>, policy: MergePolicy<Record>, at date: Date
  ) -> Step {
    local = state
    if let remote = conflict?.remote { return meet(remote, policy, date) }
    return phase == .sending ? Step(next: .nothing) : settle()
  }

  /// What ``outgoing`` says leaves now.
  ///
  /// Called once more for what is on its way, it says that the first answer is lost. A refusal says
  /// nothing about that: see ``refused(by:policy:at:limit:knowsRepetitions:)``.
  ///
  /// - Returns: What is sent, which is the same for a run that is repeated, as after a crash; nil
  ///   where nothing is to be sent.
  public mutating func began() -> Outgoing? {
    guard let outgoing else { return nil }
    isInDoubt = phase == .sending
    (phase, sent) = (.sending, outgoing.state)
    return outgoing
  }

  /// What was on its way did certainly not arrive; it waits again.
  ///
  /// Say it only when the other side said so: as long as the outcome is unknown, the record is
  /// still `sending`, and what comes from the other side may hold the change already.
  ///
  /// - Parameters:
  ///   - policy: Merges what was heard meanwhile.
  ///   - date: The time of day.
  /// - Returns: What is to be done.
  public mutating func released(policy: MergePolicy<Record>, at date: Date) -> Step {
    guard phase == .sending else { return Step(next: .nothing) }
    (sent, isInDoubt) = (nil, false)
    return landed(policy, date)
  }

  /// The other side has taken what was on its way.
  ///
  /// - Parameters:
  ///   - version: Its version from now on.
  ///   - policy: Merges what was heard meanwhile.
  ///   - date: The time of day.
  /// - Returns: What is to be done.
  public mutating func acknowledged(
    version: String?, policy: MergePolicy<Record>, at date: Date
  ) -> Step {
    guard let sent else { return Step(next: .nothing) }
    let arrived = VersionedState(sent, version: version)
    // Anything else that was heard is newer than what arrived: until then it had `base`.
    if heard == arrived || heard == base { heard = nil }
    base = arrived
    (self.sent, isInDoubt) = (nil, false)
    merges = 0
    return landed(policy, date)
  }

  /// The other side refused what was on its way, because it has another version by now.
  ///
  /// Where ``began()`` was called for it more than once, that version may hold it already. It has
  /// arrived where that version is the same, and somebody has to decide where anything else is left
  /// to send. Where the other side can be asked, ask first, and say ``released(policy:at:)`` or
  /// ``acknowledged(version:policy:at:)``.
  ///
  /// - Parameters:
  ///   - remote: What it has; `missing` where it did not say. Then somebody has to decide, or what
  ///     is received later does.
  ///   - policy: Merges it.
  ///   - date: The time of day.
  ///   - limit: How often in a row this may happen before somebody has to decide; 1 to 100, the
  ///     default is 5.
  ///   - knowsRepetitions: Whether a refusal says that nothing has arrived before: the other side
  ///     looks at the idempotency key first, and at the version after that. The default is false.
  /// - Returns: What is to be done.
  public mutating func refused(
    by remote: VersionedState<Record>, policy: MergePolicy<Record>, at date: Date,
    limit: Int = 5, knowsRepetitions: Bool = false
  ) -> Step {
    precondition((1...100).contains(limit), "limit: \(limit) is not legal: it must be 1 to 100")
    guard phase == .sending else { return received(remote, policy: policy, at: date) }
    if knowsRepetitions { isInDoubt = false }
    var remote = remote
    if remote.state == .missing, let heard, heard != base { remote = heard }
    if isInDoubt, remote.state == sent {
      heard = nil
      return acknowledged(version: remote.version, policy: policy, at: date)
    }
    (sent, heard) = (nil, nil)
    merges += 1
    return meet(remote, policy, date, isTooMany: merges > limit)
  }

  /// The other side was heard to have another version.
  ///
  /// - Parameters:
  ///   - remote: What it has; `missing` is no news.
  ///   - policy: Merges it.
  ///   - date: The time of day.
  /// - Returns: What is to be done.
  public mutating func received(
    _ remote: VersionedState<Record>, policy: MergePolicy<Record>, at date: Date
  ) -> Step {
    if case .missing = remote.state { return Step(next: .nothing) }
    switch phase {
    case .sending:
      heard = remote
      return Step(next: .nothing)
    case .settled, .pending, .conflicted:
      let known = conflict?.remote ?? base
      guard remote != known else { return Step(next: .nothing) }
      let isTooMany = conflict?.causes.contains(.tooManyMerges) ?? false
      return meet(remote, policy, date, isTooMany: isTooMany)
    }
  }

  /// A full list of what the other side has did not hold the record.
  ///
  /// - Parameters:
  ///   - policy: Merges it.
  ///   - date: The time of day.
  /// - Returns: What is to be done; a record that the other side never had stays.
  public mutating func absentFromSnapshot(
    policy: MergePolicy<Record>, at date: Date
  ) -> Step {
    guard base.state.record != nil else { return Step(next: .nothing) }
    return received(VersionedState(.deleted, version: nil), policy: policy, at: date)
  }

  /// Somebody decided.
  ///
  /// What was decided is sent like any change, on condition that the other side still has the
  /// version that it was made from; where it has not, there may be another conflict.
  ///
  /// - Parameters:
  ///   - conflict: The conflict as it was looked at.
  ///   - state: What it is to be.
  /// - Returns: What is to be done; nil where the record is not in this conflict any more, and has
  ///   to be looked at again.
  public mutating func resolved(
    _ conflict: Conflict<Record>, with state: RecordState<Record>
  ) -> Step? {
    guard self.conflict == conflict else { return nil }
    base = conflict.remote
    local = state
    (merges, isInDoubt) = (0, false)
    return settle()
  }

  /// Nothing is on its way any more: goes on with what readers have by now, and what was heard.
  private mutating func landed(_ policy: MergePolicy<Record>, _ date: Date) -> Step {
    guard let heard else { return settle() }
    self.heard = nil
    return meet(heard, policy, date)
  }

  /// Merges a version of the other side; what comes out begins with it.
  private mutating func meet(
    _ remote: VersionedState<Record>, _ policy: MergePolicy<Record>, _ date: Date,
    isTooMany: Bool = false
  ) -> Step {
    let result = policy.merge(base: base.state, local: local, remote: remote.state)
    var fields = result.conflicts
    let whole = MergePolicy<Record>.wholeRecord
    // Where nothing is left to send, that is so whatever arrived before.
    let isOpen = isInDoubt && (!result.isClean || result.state != remote.state)
    if isOpen { fields = [.outcomeUnknown] }
    if remote.state == .missing { fields = [.noRemote] + (isOpen ? [.outcomeUnknown] : []) }
    if fields.isEmpty, isTooMany, result.state != remote.state {
      fields = [FieldConflict(field: whole, cause: .tooManyMerges)]
    }
    var step: Step
    if fields.isEmpty {
      (base, local, isInDoubt) = (remote, result.state, false)
      step = settle()
      step.discarded = result.discarded
    } else {
      let conflict = Conflict(
        record: record, base: base.state, local: local, remote: remote,
        suggestion: isOpen ? local : result.state, fields: fields,
        since: conflict?.since ?? date)
      (phase, self.conflict) = (.conflicted, conflict)
      step = Step(next: .ask(conflict))
    }
    step.anomalies = result.anomalies
    return step
  }

  /// Whether there is anything to send.
  private mutating func settle() -> Step {
    conflict = nil
    let isSame = local == base.state
    phase = isSame ? .settled : .pending
    return Step(next: isSame ? .drop : .send)
  }
}

extension ConflictStateMachine.Next: Equatable {}
extension ConflictStateMachine.Step: Equatable {}
extension ConflictStateMachine.Outgoing: Equatable {}
extension ConflictStateMachine: Equatable {}
