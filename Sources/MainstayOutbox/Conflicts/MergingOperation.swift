// SPDX-License-Identifier: Apache-2.0

package import Foundation
public import Mainstay

/// A change of a record that others change too: it carries what it was made from, so that both
/// changes can be put together.
///
/// ```swift
/// struct SaveItem: MergingOperation {
///   static let kind: OperationKind = "save-item"
///   static let mergePolicy = MergePolicy<Item>([.field("title", \.title)])
///   var base: VersionedState<Item>
///   var local: RecordState<Item>
/// }
/// ```
///
/// Enqueue it with the record's identity as ordering key. Each time it runs, what it changes is
/// laid over what the other side was last known to have; <doc:ResolvingConflicts> has its states.
public protocol MergingOperation: QueuedOperation {
  /// The record.
  associatedtype Record: Codable & Sendable & Equatable

  /// How two versions of the record become one.
  static var mergePolicy: MergePolicy<Record> { get }

  /// What this side began with: what the other side had as far as was known, or what the change
  /// before this one made of it.
  ///
  /// It is `deleted` for a record that this side makes, and `missing` where nothing is known. The
  /// record is then sent as it is, and merged with nothing.
  var base: VersionedState<Record> { get set }

  /// What this side made of it.
  var local: RecordState<Record> { get set }
}

/// What is to be sent of a record, and the version that the other side must still have.
public typealias RecordChange<Record: Sendable & Equatable> = ConflictStateMachine<Record>.Outgoing

extension MergingOperation {
  /// The change laid over what the other side has.
  func merged(into remote: VersionedState<Record>) -> MergeResult<Record> {
    Self.mergePolicy.merge(base: base.state, local: local, remote: remote.state)
  }

  /// What is to be sent where the other side has what is given.
  ///
  /// - Throws: ``NotSent`` where nothing is.
  func change(of remote: VersionedState<Record>) throws -> RecordChange<Record> {
    // Nobody here knows what is there, so there is nothing to merge with: the other side says so
    // where it objects.
    guard remote.state != .missing else {
      return RecordChange(state: local, precondition: remote.version)
    }
    let result = merged(into: remote)
    let step = MergeStep(result, remote)
    guard step.next == .send else { throw NotSent(step: step, remote: remote) }
    return RecordChange(state: result.state, precondition: remote.version)
  }

  /// What the other side was last known to have; what this side began with where nothing was heard
  /// since.
  ///
  /// What the first change of the record began with is no news: it counts for a change that goes on
  /// from the first one, and not for one that knows of another version. Of what is outdated only
  /// the version counts, where this side names none.
  ///
  /// - Throws: ``NotSent`` where a change goes on from what cannot be read, since it has another
  ///   form: nobody knows what of this change the other side has.
  func remote(_ latest: Data?) throws -> VersionedState<Record> {
    guard let latest, let note = KeptNote(latest) else { return base }
    let kept = KeptState<Record>(latest)
    // A kind with other records may have the same ordering key.
    if kept == nil, let kind = note.kind, kind != Self.kind.rawValue { return base }
    if latest.isOutdated {
      return VersionedState(base.state, version: base.version ?? note.version)
    }
    guard let kept else {
      let goesOn = base.version == nil || note.beginning != nil && base.version == note.version
      // What names another version is refused by the other side where it has a newer one.
      guard goesOn, base.state != .missing else { return base }
      let remote = VersionedState<Record>(.missing, version: note.version)
      throw NotSent(step: MergeStep(.ask([.noRemote])), remote: remote)
    }
    guard kept.beginning != nil else { return kept.remote }
    if base.state == .missing { return base }
    return base.version == nil || base.version == kept.version ? kept.remote : base
  }

  /// What this side began with, for those behind it.
  ///
  /// - Parameter id: Its own identity.
  /// - Returns: It, encoded; nil where it is not known.
  /// - Throws: ``OutboxError`` `unencodable`.
  package func encodedBase(of id: OperationID) throws(OutboxError) -> Data? {
    guard base.state != .missing else { return nil }
    do {
      return try PayloadCoding.encode(KeptState(base, of: Self.kind, beginning: id))
    } catch {
      throw OutboxError(
        .unencodable, details: "\(Self.kind) \(Self.version): base", underlying: error)
    }
  }

  /// What the other side has once it has taken the change of what is given.
  ///
  /// Its version is not known, so it goes on having the one before: under that the other side
  /// refuses what follows, and says what it has.
  ///
  /// - Throws: ``NotSent`` where nothing was to be sent.
  func applied(to remote: VersionedState<Record>) throws -> VersionedState<Record> {
    VersionedState(try change(of: remote).state, version: remote.version)
  }

  static func version(in data: Data) throws -> VersionedState<Record> {
    try PayloadCoding.decode(VersionedState<Record>.self, from: data)
  }
}

extension RemoteConflict {
  /// Makes the error of a worker of a ``MergingOperation``.
  ///
  /// - Parameters:
  ///   - remote: What the other side has.
  ///   - error: What a person reads about it; the default is that of HTTP status 409.
  /// - Throws: What encoding the record throws.
  public init<Record: Encodable & Sendable>(
    _ remote: VersionedState<Record>, error: AppError = .http(status: 409)
  ) throws {
    self.init(remote: try PayloadCoding.encode(remote), error: error)
  }
}

extension Worker {
  /// Makes a worker for changes of records that are merged with those of others.
  ///
  /// Where the other side has another version than the worker names, the worker throws
  /// ``RemoteConflict/init(_:error:)`` with it. The change is merged into that and run again, under
  /// a new idempotency key; where a person has to decide, it waits: see
  /// ``Outbox/conflict(_:of:)``.
  ///
  /// - Parameters:
  ///   - type: What it runs; one worker for each kind and version.
  ///   - maximumMerges: How often in a row the other side may be faster before somebody has to
  ///     decide; 1 to 100, the default is 5.
  ///   - maximumAttempts: As for any other operation, and so are the three after it.
  ///   - backoff: As there.
  ///   - afterDeadLetter: As there.
  ///   - maximumConcurrency: As there.
  ///   - reconcile: As there. Give one wherever you can: without it, a change whose answer was
  ///     lost, and that finds another version on the other side, waits for a person. It is done
  ///     where that version is what was sent.
  ///   - fileID: As there.
  ///   - function: As there.
  ///   - line: As there.
  ///   - run: Sends the record under the condition that the other side still has the version that
  ///     it is given (nil: it never had one, or that is not known). It returns the other side's
  ///     version from now on; nil where it has none.
  public init<Operation: MergingOperation>(
    for type: Operation.Type, maximumMerges: Int = 5, maximumAttempts: Int = 25,
    backoff: Backoff = .exponential(from: .seconds(1), to: .seconds(300)),
    afterDeadLetter: AfterDeadLetter = .holdKey, maximumConcurrency: Int? = nil,
    reconcile: (@Sendable (Operation, WorkerContext) async throws -> Reconciliation)? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line,
    run:
      @escaping @Sendable (
        Operation, RecordChange<Operation.Record>, WorkerContext
      ) async throws -> String?
  ) {
    precondition(
      (1...100).contains(maximumMerges),
      "Worker(maximumMerges: \(maximumMerges)) is not legal: 1 to 100")
    var rules = Self.rules(maximumAttempts, backoff, afterDeadLetter, maximumConcurrency)
    rules.maximumMerges = maximumMerges
    self.init(
      for: type, rules: rules,
      perform: { data, context in
        let operation = try Operation.decode(data)
        let change = try operation.change(of: operation.remote(try await context.run.latest()))
        let version = try await run(operation, change, context)
        let latest = VersionedState(change.state, version: version)
        return WorkerAnswer(latest: try? PayloadCoding.encode(KeptState(latest, of: type.kind)))
      },
      reconcile: Self.ask(reconcile),
      merge: { data, latest in
        let remote = try Operation.version(in: latest)
        return MergeStep(try Operation.decode(data).merged(into: remote), remote)
      },
      applied: { data, latest in
        let operation = try Operation.decode(data)
        let left = try operation.applied(to: operation.remote(latest))
        return try PayloadCoding.encode(KeptState(left, of: type.kind))
      },
      isThere: { data, latest, remote in
        let operation = try Operation.decode(data)
        let sent = try operation.change(of: operation.remote(latest)).state
        return try sent == Operation.version(in: remote).state
      },
      kept: { _, latest in Operation.reads(latest) ? latest : nil })
    site = SourceSite(fileID: fileID, function: function, line: line)
  }
}

/// What becomes of a change once it was merged with what the other side has.
package struct MergeStep: Sendable, Equatable {
  typealias Make = @Sendable (_ payload: Data, _ latest: Data) throws -> MergeStep
  typealias Applied = @Sendable (_ payload: Data, _ latest: Data?) throws -> Data
  typealias IsThere = @Sendable (_ payload: Data, _ latest: Data?, _ remote: Data) throws -> Bool

  /// What is left to do.
  package enum Next: Sendable, Equatable {
    /// The result is sent.
    case send
    /// The other side has it already.
    case nothing
    /// Somebody has to decide.
    case ask([FieldConflict])
  }

  package let next: Next
  /// The receipts of changes that a rule of the policy dropped.
  package let discarded: [DiscardedChange]

  package init(_ next: Next, discarded: [DiscardedChange] = []) {
    self.next = next
    self.discarded = discarded
  }

  init<Record: Equatable>(_ result: MergeResult<Record>, _ remote: VersionedState<Record>) {
    discarded = result.discarded
    if remote.state == .missing {
      next = .ask([.noRemote])
    } else if !result.isClean {
      next = .ask(result.conflicts)
    } else {
      next = result.state == remote.state ? .nothing : .send
    }
  }
}

extension FieldConflict {
  /// The other side did not say what it has, or that cannot be read.
  static let noRemote = FieldConflict(field: "", cause: .noRemote)
  /// Nobody knows whether what the other side has holds the change already.
  package static let outcomeUnknown = FieldConflict(field: "", cause: .outcomeUnknown)
}

// mainstay:ignore MS102 -- it never leaves a run
/// A run that did not come to sending anything, since of what the other side has.
struct NotSent: Error {
  let step: MergeStep
  /// What the other side has, encoded.
  let latest: Data?

  init(step: MergeStep, remote: some Encodable) {
    self.step = step
    latest = try? PayloadCoding.encode(remote)
  }
}
