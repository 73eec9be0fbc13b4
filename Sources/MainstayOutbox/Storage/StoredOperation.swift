// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

/// Names the payloads that one worker reads: a kind and a version.
public struct PayloadType: Sendable, Hashable {
  /// The kind.
  public let kind: OperationKind
  /// The version of the payload's form.
  public let version: Int

  /// Names a payload.
  public init(kind: OperationKind, version: Int) {
    self.kind = kind
    self.version = version
  }
}

/// What is handed to a store to keep.
public struct NewOperation: Sendable, Equatable {
  /// The identity.
  public let id: OperationID
  /// Kind and version.
  public let type: PayloadType
  /// The lane.
  public let lane: Lane
  /// The name of what must be changed in order; nil where order does not matter.
  public let orderingKey: String?
  /// The key by which the other side knows a repetition.
  public let idempotencyKey: IdempotencyKey
  /// The encoded payload.
  public let payload: Data
  /// How long it may wait before it is no longer wanted; nil for ever.
  public let timeToLive: Duration?
  /// Whether the effect may already have happened.
  public let effect: EffectCertainty
  /// When it may run, and what stands in its way.
  public var wishes: Wishes

  /// Makes an operation to keep.
  public init(
    id: OperationID, type: PayloadType, lane: Lane, orderingKey: String?,
    idempotencyKey: IdempotencyKey, payload: Data, timeToLive: Duration? = nil,
    effect: EffectCertainty = .notSent, wishes: Wishes = Wishes()
  ) {
    self.id = id
    self.type = type
    self.lane = lane
    self.orderingKey = orderingKey
    self.idempotencyKey = idempotencyKey
    self.payload = payload
    self.timeToLive = timeToLive
    self.effect = effect
    self.wishes = wishes
  }
}

extension NewOperation {
  /// Whether it can take the place of one that waits under its unique key.
  ///
  /// That one keeps its place in the order, where what the newcomer needs may stand behind it; and
  /// it is sent without asking, which one that may have been sent must not be.
  var mayReplace: Bool { effect == .notSent && wishes.dependencies?.ids.isEmpty ?? true }

  /// Whether a store that answered with an identity has kept it, or what it and an earlier one came
  /// to, rather than found an earlier one that stays as it was.
  ///
  /// Under an idempotency key that somebody gave, a repetition cannot be told from what took the
  /// place of another one, so it counts as that.
  func isKept(as id: OperationID) -> Bool {
    id == self.id
      || idempotencyKey == IdempotencyKey(self.id) && wishes.uniqueKey?.ifTaken != .keep
  }

  /// Whether something becomes of it at a time of its own.
  var hasTimes: Bool { timeToLive != nil || wishes.delay != nil }
}

extension NewOperation {
  /// When an operation may run, and what stands in its way.
  public struct Wishes: Sendable, Equatable {
    /// How soon it runs among others.
    public var priority: OperationPriority
    /// How much later it counts as enqueued when it is compared with others that are ready.
    public var handicap: Duration
    /// How long it is kept before it may run.
    public var delay: Duration?
    /// What it stands for.
    public var uniqueKey: EnqueueOptions.UniqueKey?
    /// What has to be done before it.
    public var dependencies: EnqueueOptions.Dependencies?
    /// What must hold while it is started.
    public var constraints: Set<OperationConstraint>
    /// Whether it goes where a store is full.
    public var isExpendable: Bool
    /// How long one attempt may take; nil where it has no limit of its own.
    public var timeout: Duration?
    /// What it and the one before it under its ordering key come to; nil where both are done.
    public var coalescing: Coalescing?
    /// What it began with, for those behind it; nil where it does not merge.
    ///
    /// A store keeps it as ``OutboxStore/latest(for:)`` where nothing is kept, and no operation and
    /// no dead letter of the ordering key is there.
    public var base: Data?

    /// Makes wishes; those that are left out are those of an operation without any.
    public init(
      priority: OperationPriority = .normal, handicap: Duration = .zero, delay: Duration? = nil,
      uniqueKey: EnqueueOptions.UniqueKey? = nil,
      dependencies: EnqueueOptions.Dependencies? = nil,
      constraints: Set<OperationConstraint> = [], isExpendable: Bool = false,
      timeout: Duration? = nil
    ) {
      self.priority = priority
      self.handicap = handicap
      self.delay = delay
      self.uniqueKey = uniqueKey
      self.dependencies = dependencies
      self.constraints = constraints
      self.isExpendable = isExpendable
      self.timeout = timeout
    }
  }

  /// What an operation and the last one of its ordering key come to.
  public struct Coalescing: Sendable, Equatable {
    /// The last one.
    public let earlier: OperationID
    /// Its payload, as it was when somebody asked what both come to.
    public let expected: Data
    /// What is done instead of both; nil for nothing.
    public let payload: Data?

    /// Says what both come to.
    public init(earlier: OperationID, expected: Data, payload: Data?) {
      self.earlier = earlier
      self.expected = expected
      self.payload = payload
    }
  }
}

/// An operation as a store keeps it.
public struct StoredOperation: Sendable, Equatable, Identifiable {
  /// The identity.
  public let id: OperationID
  /// Kind and version.
  public internal(set) var type: PayloadType
  /// The lane.
  public let lane: Lane
  /// The name of what must be changed in order; nil where order does not matter.
  public let orderingKey: String?
  /// The key by which the other side knows a repetition.
  public internal(set) var idempotencyKey: IdempotencyKey
  /// The encoded payload.
  public internal(set) var payload: Data
  /// Where it stands.
  public internal(set) var state: OperationState
  /// How many attempts have been counted.
  public internal(set) var attempts: Int
  /// How many runs in a row could not reach the network; they are not counted as attempts.
  public internal(set) var unreachable: Int
  /// How many runs in a row ended with the death of the process.
  public internal(set) var lostRuns: Int
  /// Whether the effect may already have happened.
  public internal(set) var effect: EffectCertainty
  /// What went wrong last.
  public internal(set) var failure: FailureNote?
  /// When it runs again, for scheduled and waiting operations.
  public internal(set) var due: Date?
  /// When it was enqueued.
  public internal(set) var enqueued: Date
  /// When it is no longer wanted; nil for never.
  public internal(set) var expires: Date?
  /// How soon it runs among others.
  public internal(set) var priority: OperationPriority
  /// What must hold while it is started.
  public internal(set) var constraints: Set<OperationConstraint>
  /// Whether somebody has cancelled it while its effect could have happened.
  public internal(set) var isCancelled: Bool
  /// Whether it goes where the store is full.
  public internal(set) var isExpendable: Bool
  /// How many times in a row the other side changed the same record first.
  public internal(set) var merges: Int
  /// How far an earlier run came, as its worker noted it; nil where none did.
  public internal(set) var checkpoint: Data?
  /// How long one attempt may take; nil where it has no limit of its own.
  public internal(set) var timeout: Duration?

  /// Makes a stored operation; for stores.
  public init(
    id: OperationID, type: PayloadType, lane: Lane, orderingKey: String?,
    idempotencyKey: IdempotencyKey, payload: Data, state: OperationState, attempts: Int = 0,
    unreachable: Int = 0, lostRuns: Int = 0, effect: EffectCertainty = .notSent,
    failure: FailureNote? = nil, due: Date? = nil, enqueued: Date, expires: Date? = nil,
    priority: OperationPriority = .normal, constraints: Set<OperationConstraint> = [],
    isCancelled: Bool = false, isExpendable: Bool = false, merges: Int = 0,
    checkpoint: Data? = nil, timeout: Duration? = nil
  ) {
    self.id = id
    self.type = type
    self.lane = lane
    self.orderingKey = orderingKey
    self.idempotencyKey = idempotencyKey
    self.payload = payload
    self.state = state
    self.attempts = attempts
    self.unreachable = unreachable
    self.lostRuns = lostRuns
    self.effect = effect
    self.failure = failure
    self.due = due
    self.enqueued = enqueued
    self.expires = expires
    self.priority = priority
    self.constraints = constraints
    self.isCancelled = isCancelled
    self.isExpendable = isExpendable
    self.merges = merges
    self.checkpoint = checkpoint
    self.timeout = timeout
  }
}

extension StoredOperation {
  /// Whether a claim leases it where nothing stands in its way: one that waits for constraints is
  /// leased as soon as they hold where it is claimed.
  package var isWaitingForClaim: Bool { state == .ready || (state == .waiting && due == nil) }
}

/// How an operation ended, as a store remembers it.
public struct StoredOutcome: Sendable, Equatable {
  /// How it ended.
  public let reason: OutboxReceipt.Reason
  /// What its worker returned, encoded; nil where that was nothing.
  public let output: Data?
  /// When it ended.
  public let ended: Date

  /// Makes an outcome; for stores.
  public init(reason: OutboxReceipt.Reason, output: Data?, ended: Date) {
    self.reason = reason
    self.output = output
    self.ended = ended
  }
}

/// The right to run one operation once.
public struct Lease: Sendable, Hashable {
  /// The operation.
  public let id: OperationID
  /// The store's own number of the row.
  public let row: Int64
  /// A number that is greater for each later lease of the same operation; the other side may use it
  /// to refuse a worker that was overtaken.
  public let token: Int64

  /// Makes a lease; for stores.
  public init(id: OperationID, row: Int64, token: Int64) {
    self.id = id
    self.row = row
    self.token = token
  }
}

/// An operation with the right to run it.
public struct LeasedOperation: Sendable, Equatable {
  /// The right to run it.
  public let lease: Lease
  /// The operation.
  public let operation: StoredOperation

  /// Makes a leased operation; for stores.
  public init(lease: Lease, operation: StoredOperation) {
    self.lease = lease
    self.operation = operation
  }

  /// The same, cancelled where somebody did that after it was leased.
  func asItIsNow(_ cancelled: Set<OperationID>) -> LeasedOperation {
    guard cancelled.contains(lease.id) else { return self }
    var operation = operation
    operation.isCancelled = true
    return LeasedOperation(lease: lease, operation: operation)
  }
}
