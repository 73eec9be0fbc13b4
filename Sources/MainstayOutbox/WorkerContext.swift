// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Logging
public import Mainstay

/// What a worker is told about the run that it is in.
public struct WorkerContext: Sendable {
  /// The identity of the operation.
  public let id: OperationID
  /// The kind of the operation.
  public let kind: OperationKind
  /// The key by which the other side knows a repetition; the same in all runs.
  public let idempotencyKey: IdempotencyKey
  /// A number that is greater in each later run of the same operation; the other side may refuse a
  /// run that was overtaken.
  public let leaseToken: Int64
  /// Which attempt this is, from 1; runs that were not counted do not raise it.
  public let attempt: Int
  /// The ordering key; nil where the operation has none.
  public let orderingKey: String?
  /// The lane.
  public let lane: Lane

  var run: RunAccess

  /// How long the run has before something ends it; nil where nothing is known that does.
  ///
  /// It is the nearest of three ends: of a `Timeout` or `Deadline` around the call, such as that of
  /// ``Worker/limited(to:)``; of the time that ``Outbox/drain(for:)`` has; and of the
  /// patience of ``Outbox/suspend(within:)``. A worker with several steps begins none that would
  /// come too late, and notes how far it is with ``checkpoint(_:)``.
  public var remainingTime: Duration? {
    [Deadline.remaining, run.granted()].compactMap(\.self).min()
  }

  /// How the device is connected by now; nil where the outbox has no
  /// ``Outbox/Configuration/connectivity``.
  ///
  /// It is for a choice between two ways to do the same, such as a smaller picture over a metered
  /// network, and never a reason not to try.
  public var connectivity: Connectivity? { run.connectivity() }

  /// Where this run writes what it has to say: the logger of the outbox, with `mainstay.operation`,
  /// `mainstay.kind` and `mainstay.attempt` in its metadata, so that the lines of one operation are
  /// found together.
  ///
  /// No payload and no key of the operation is in it. See ``Outbox/Configuration/logger``.
  public var logger: Logger {
    var logger = run.logger
    logger[metadataKey: "mainstay.operation"] = "\(id)"
    logger[metadataKey: "mainstay.kind"] = "\(kind)"
    logger[metadataKey: "mainstay.attempt"] = "\(attempt)"
    return logger
  }

  /// Makes sure that nobody else has taken the operation over; ask before an effect that the other
  /// side cannot recognise as a repetition.
  ///
  /// - Throws: `CancellationError` where the lease was lost; the run is cancelled with it.
  public func confirmLease() async throws { try await run.confirm() }

  /// How far an earlier run of the operation came; nil where none noted anything.
  ///
  /// Where this build cannot read what was noted, nobody knows which steps are done. Let the error
  /// through: the operation is kept then until a build can read it, as with an unreadable payload.
  /// A worker whose steps may be done twice writes `try?`, and begins anew.
  ///
  /// - Parameter type: What it noted.
  /// - Returns: What it noted; nil only where no run has noted anything.
  /// - Throws: An error that parks the operation, where what was noted has another form.
  public func lastCheckpoint<Value: Decodable>(
    as type: Value.Type = Value.self
  ) throws -> Value? {
    guard let noted = run.checkpoint else { return nil }
    do {
      return try PayloadCoding.decode(type, from: noted.get())
    } catch {
      throw UnreadablePayload(cause: error)
    }
  }

  /// Notes how far this run has come, for the run after it; returns when that survives the death of
  /// the process.
  ///
  /// It is forgotten when the operation gets another payload or another idempotency key. From then
  /// on a part of the effect may be there, so a failure leaves it unknown.
  ///
  /// - Parameter value: What the run after this one has to know; small, since it is written as a
  ///   whole each time.
  /// - Throws: `CancellationError` where the lease was lost; ``OutboxError``; what encoding throws.
  public func checkpoint(_ value: some Encodable & Sendable) async throws {
    try await run.keep(try PayloadCoding.encode(value))
  }

  /// Tells those that watch the operation how much of it is done; it is not kept on the disk.
  ///
  /// - Parameters:
  ///   - fraction: From 0 to 1; others are cut to that.
  ///   - note: A few words for people, such as `3 of 8 pages`; nil, the default, for none.
  public func report(progress fraction: Double, note: String? = nil) {
    run.report(OperationProgress(fraction: fraction, note: note))
  }
}

/// What a context reaches of the run that it belongs to.
struct RunAccess: Sendable {
  /// What an earlier run noted; a failure where it cannot be opened.
  let checkpoint: Result<Data, any Error>?
  var latest: @Sendable () async throws -> Data?
  let confirm: @Sendable () async throws -> Void
  let keep: @Sendable (Data) async throws -> Void
  let report: @Sendable (OperationProgress) -> Void
  let granted: @Sendable () -> Duration?
  let connectivity: @Sendable () -> Connectivity?
  let logger: Logger
}
