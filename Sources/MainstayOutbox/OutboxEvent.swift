// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// Something that happened in an outbox; for logs, metrics and tests.
public struct OutboxEvent: Sendable {
  /// What happened; more may come, so keep an `@unknown default`.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum What: Sendable {
    /// An operation is on the disk; not told where one was there already that stays as it was.
    case enqueued
    /// A worker began to run it.
    case started(attempt: Int)
    /// The other side was asked whether an earlier run had its effect.
    case reconciled(Reconciliation)
    /// It is finished.
    case succeeded
    /// It failed and runs again.
    case failed(AppError, next: OperationVerdict.Next)
    /// Somebody else had changed the same record, and the change was merged into that; these parts
    /// of it were dropped by a rule.
    case merged(discarded: [DiscardedChange])
    /// It was given up; what is given up in turn for want of it is told for itself, with the reason
    /// `dependencyFailed`. A store in memory tells none of those.
    case gaveUp(DeadLetter.Reason, AppError?)
    /// Somebody cancelled it, and it is gone.
    case cancelled
    /// The run was cancelled and the operation given back.
    case released
    /// Too many of the runs of late were repetitions; its lane waits this long.
    case heldBack(Duration)
    /// Somebody else has it now; the run was cancelled, and what it reports changes nothing.
    case leaseLost
    /// The error of a worker has no classification; told once for each of its types, or
    /// codes.
    case unclassified(type: String, cure: String)
    /// The store failed; it is tried again.
    case storageFailed(OutboxError)
    /// The outbox goes on with other settings.
    case settingsChanged
  }

  /// The operation; nil where it is about the whole outbox.
  public let id: OperationID?
  /// The kind of the operation; nil where it is about the whole outbox.
  public let kind: OperationKind?
  /// What happened.
  public let what: What

  init(_ what: What, _ operation: StoredOperation? = nil) {
    id = operation?.id
    kind = operation?.type.kind
    self.what = what
  }

  init(_ what: What, id: OperationID, kind: OperationKind) {
    self.id = id
    self.kind = kind
    self.what = what
  }
}

extension OutboxEvent.What {
  /// What a run failed with that is tried again.
  var error: AppError? {
    if case .failed(let error, _) = self { error } else { nil }
  }
}

/// Who is told about the events of an outbox.
public protocol OutboxObserver: Sendable {
  /// An event happened; called where it happened, so it should be quick.
  func observe(_ event: OutboxEvent)
}
