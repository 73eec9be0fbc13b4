// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

/// Where an outbox keeps its operations.
///
/// Each call is one transaction. Times are the store's own: callers pass spans only, so that
/// several machines on one store need not agree about the time. The rules that each store has to
/// keep are `StoreConformance` of MainstayOutboxTesting. Errors are ``OutboxError``.
public protocol OutboxStore: Sendable {
  /// Opens the store for one more owner, and takes back what dead owners had leased.
  func open() async throws -> OpeningReport

  /// Keeps an operation; returns when it survives a power cut.
  ///
  /// One that is still there with the same idempotency key, kind and payload is returned instead.
  ///
  /// - Throws: ``OutboxError`` `keyReused` for the same key with another payload, `full`, and
  ///   `duplicate` for a unique key that is taken. It is `changedMeanwhile` where the operation
  ///   before it is no longer what ``NewOperation/Coalescing`` expects, has wishes or needs of its
  ///   own, or where what both come to has no room. Nothing was changed then.
  func insert(_ operation: NewOperation) async throws -> OperationID

  /// Keeps several operations in their order, or none of them; returns when they survive a power
  /// cut.
  ///
  /// - Throws: ``OutboxError``, as ``insert(_:)`` for the first one that is refused.
  func insert(contentsOf operations: [NewOperation]) async throws -> [OperationID]

  /// The last operation of an ordering key that is not finished; nil where there is none.
  func last(of orderingKey: String) async throws -> StoredOperation?

  /// Leases operations that are ready, those that rank first before others.
  ///
  /// Operations of types that no living owner has claimed are parked, and those that a constraint
  /// holds back wait; a request without types sets nothing aside. Where there is room, what waits
  /// for constraints is leased as well, if they hold here: another owner may have set it aside.
  /// Whoever lost their last run is leased alone, and is left where it is by a request that passes
  /// such operations by. What has expired is left to ``promote(_:)``,
  /// unless it may have had its effect. A kind that is paused is passed by at the cost of a look,
  /// however much of it waits.
  func claim(_ request: ClaimRequest) async throws -> Claim

  /// Ends a lease; false where the lease was lost, and nothing was changed then.
  func settle(_ lease: Lease, _ verdict: OperationVerdict) async throws -> Bool

  /// Keeps how far a run has come, for the run after it; false where the lease was lost.
  func checkpoint(_ lease: Lease, _ data: Data?) async throws -> Bool

  /// Whether a lease is still held.
  func confirms(_ lease: Lease) async throws -> Bool

  /// Says which payloads the workers of this outbox read: others leave those to it.
  ///
  /// An outbox says it by each claim; one that begins paused says it by this. The default does
  /// nothing, for stores that nobody shares.
  func attend(to types: Set<PayloadType>) async throws

  /// Makes ready what is due, releases what was parked for want of these types, drops what has
  /// expired, and takes back what dead owners had leased.
  ///
  /// - Returns: The time until something else is due; nil where nothing is.
  func promote(_ types: Set<PayloadType>) async throws -> Duration?

  /// Makes ready what a constraint holds back: the next claim looks at them anew.
  func reconsider() async throws

  /// Makes ready at once whatever waits because the network could not be reached.
  ///
  /// - Parameter delay: How long what is less important than `normal` still waits at most.
  /// - Throws: ``OutboxError``.
  func expedite(unimportantAfter delay: Duration) async throws

  /// Makes an operation ready that waits for a time; false where none does.
  func hasten(_ id: OperationID) async throws -> Bool

  /// Closes a lane.
  func close(_ lane: Lane, _ closure: LaneClosure) async throws

  /// Opens a lane; with a cause, only where it was closed for that one.
  func reopen(_ lane: Lane, closedFor cause: LaneClosure.Cause?) async throws

  /// The lanes that are closed for a cause; none that only rests is closed for another one.
  ///
  /// The default looks at all operations that wait, and misses a lane in which none does.
  func lanes(closedFor cause: LaneClosure.Cause) async throws -> [Lane]

  /// Leases nothing of a kind from now on, in whatever lane and version, until it is resumed.
  func pause(_ kind: OperationKind) async throws

  /// Goes on with a kind that was paused; another one is left as it is.
  func resume(_ kind: OperationKind) async throws

  /// The kinds that are paused, by name.
  func pausedKinds() async throws -> [OperationKind]

  /// What is there, by state.
  func snapshot() async throws -> OutboxSnapshot

  /// What came and what became of it.
  func ledger() async throws -> OutboxLedger

  /// An operation that is not finished; nil where there is none.
  func operation(_ id: OperationID) async throws -> StoredOperation?

  /// The operations that are not finished, the oldest first.
  func operations(after id: OperationID?, limit: Int) async throws -> [StoredOperation]

  /// The operation or dead letter with an idempotency key; nil where there is none.
  func operation(keyed key: IdempotencyKey) async throws -> StoredOperation?

  /// The operations of an ordering key that are not finished, in order.
  func operations(orderedBy orderingKey: String) async throws -> [StoredOperation]

  /// What the other side was last known to have of the record that an operation changes; nil where
  /// nothing was learnt since the first one of its ordering key was enqueued. When a store forgets
  /// it before, ``OperationVerdict/news`` says.
  func latest(for operation: StoredOperation) async throws -> Data?

  /// How an operation ended; nil where that is not known, or not any more.
  func outcome(_ id: OperationID) async throws -> StoredOutcome?

  /// The last ``OperationAttempt/maximumKept`` runs of an operation or dead letter that did not end
  /// it, the oldest first: those that a verdict with a failure ended, and those that were lost.
  func attempts(of id: OperationID) async throws -> [OperationAttempt]

  /// A dead letter; nil where there is none.
  func deadLetter(_ id: OperationID) async throws -> DeadLetter?

  /// The dead letters, the oldest operation first.
  func deadLetters(after id: OperationID?, limit: Int) async throws -> [DeadLetter]

  /// Puts a dead letter back, with its key and its place in the order; false where there is none.
  func redrive(_ id: OperationID) async throws -> Bool

  /// Throws a dead letter away; false where there is none.
  func discard(_ id: OperationID) async throws -> Bool

  /// The open conflicts, the oldest operation first.
  func conflicts() async throws -> [OutboxConflict]

  /// Keeps what the other side was heard to have of the record that an operation changes; one whose
  /// conflict has gone with it goes on.
  ///
  /// - Parameters:
  ///   - id: The operation.
  ///   - news: What the other side has, and the key under which the operation is sent from now on.
  ///   - fields: What cannot be merged; empty where all can.
  /// - Returns: False where there is no such operation, and where it runs or may have been sent:
  ///   nothing was changed then.
  /// - Throws: ``OutboxError``.
  func learn(
    _ id: OperationID, _ news: RecordNews, conflicts fields: [FieldConflict]
  ) async throws -> Bool

  /// Ends a conflict; false where there is none.
  func resolve(_ id: OperationID, with resolution: StoredResolution) async throws -> Bool

  /// Takes back an operation that is not finished.
  ///
  /// - Returns: What became of it; nil where there is none.
  func cancel(_ id: OperationID) async throws -> Cancellation?

  /// Finds what stands in the way of an operation.
  ///
  /// - Parameters:
  ///   - id: The operation.
  ///   - unmet: What does not hold in this process. An operation that waits for it keeps no other
  ///     from running; that it waits itself is for the caller to say.
  /// - Returns: What stands in its way; nil where there is none that is not finished.
  /// - Throws: Where the store cannot be read.
  func obstacles(_ id: OperationID, unmet: Set<OperationConstraint>) async throws -> [Obstacle]?

  /// Leaves the store; leases of this owner end with it.
  func close() async
}

extension OutboxStore {
  /// Does nothing.
  public func attend(to types: Set<PayloadType>) async throws {}

  /// What stands in the way of an operation where all constraints hold.
  public func obstacles(_ id: OperationID) async throws -> [Obstacle]? {
    try await obstacles(id, unmet: [])
  }
}

/// What a drainer can run now.
public struct ClaimRequest: Sendable, Equatable {
  /// How many operations at most.
  public let limit: Int
  /// The payloads that its workers read.
  public let types: Set<PayloadType>
  /// Whether nothing else runs, so that an operation that lost its last run may be tried.
  ///
  /// One of a type that has no place keeps nobody waiting.
  public let isAlone: Bool
  /// How many operations of a type at most; a type that is missing has no limit of its own.
  public let limits: [PayloadType: Int]
  /// What does not hold now.
  public let unmet: Set<OperationConstraint>
  /// Whether operations that lost their last run stay where they are, and keep nobody waiting.
  ///
  /// What runs has been running for so long that others go on beside it. Such a request is not made
  /// by somebody who is alone.
  public let passesSuspects: Bool
  /// Lanes of which operations are leased although a person is needed in them, if nothing else
  /// closes them; for stores that are a ``LaneTryingStore``.
  package var tried: Set<Lane> = []

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - limit: How many operations at most.
  ///   - types: The payloads that its workers read.
  ///   - isAlone: Whether nothing else runs.
  ///   - limits: How many operations of a type at most; none has a limit of its own by default.
  ///   - unmet: What does not hold now; nothing by default.
  ///   - passesSuspects: Whether what lost its last run stays where it is; false by default.
  public init(
    limit: Int, types: Set<PayloadType>, isAlone: Bool, limits: [PayloadType: Int] = [:],
    unmet: Set<OperationConstraint> = [], passesSuspects: Bool = false
  ) {
    self.limit = limit
    self.types = types
    self.isAlone = isAlone
    self.limits = limits
    self.unmet = unmet
    self.passesSuspects = passesSuspects
  }

  /// Whether there is a worker for a type, and a place for one more of it.
  func mayRun(_ type: PayloadType) -> Bool { types.contains(type) && limits[type] != 0 }
}

/// What a drainer got.
public struct Claim: Sendable, Equatable {
  /// What it runs now.
  public let operations: [LeasedOperation]
  /// Whether nothing else may run until these have ended, or until what runs already has ended.
  public let isExclusive: Bool
  /// Whether there was so much to set aside that another claim may find more.
  public let isPartial: Bool
  /// In what time a rate that all machines share lets one more of a kind begin; nil, the default,
  /// where none holds a kind back.
  package var nextTurn: Duration?
  /// How many were parked by it for want of a worker, by their types.
  package var unknown: [PayloadType: Int] = [:]

  /// Makes a claim; for stores.
  public init(
    operations: [LeasedOperation], isExclusive: Bool = false, isPartial: Bool = false
  ) {
    self.operations = operations
    self.isExclusive = isExclusive
    self.isPartial = isPartial
  }
}

/// How a conflict ends, as a store sees it.
public enum StoredResolution: Sendable, Equatable {
  /// The other side's version stands.
  case dropped
  /// A new payload is sent, under a new idempotency key; it is of the version of its kind that is
  /// named, or of the one that was there where that is nil.
  case replaced(payload: Data, idempotencyKey: IdempotencyKey, version: Int? = nil)
}
