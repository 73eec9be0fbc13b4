// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Mainstay

/// What runs the operations of one kind and version.
///
/// The closure returns when the effect has happened, and throws otherwise; the disposition of what
/// it throws decides what becomes of the operation: see <doc:OperationLifecycle>. It may be run
/// again after a crash, always with the same idempotency key, which it should hand to the other
/// side.
public struct Worker: Sendable {
  /// What becomes of the followers of a dead letter.
  public enum AfterDeadLetter: String, Sendable, Hashable, Codable, CaseIterable {
    /// They wait until somebody redrives or discards it.
    case holdKey
    /// They go on as if it had never been.
    case goOn
    /// They are dropped, and receipts count them; those that may have been sent go on.
    case dropFollowers
  }

  typealias Perform = @Sendable (Data, WorkerContext) async throws -> Void
  typealias Ask = @Sendable (Data, WorkerContext) async throws -> Reconciliation

  let type: PayloadType
  let rules: OperationStateMachine.Rules
  let perform: Perform
  let reconcile: Ask?

  init(
    type: PayloadType, rules: OperationStateMachine.Rules, perform: @escaping Perform,
    reconcile: Ask?
  ) {
    self.type = type
    self.rules = rules
    self.perform = perform
    self.reconcile = reconcile
  }

  /// Makes a worker.
  ///
  /// - Parameters:
  ///   - type: What it runs; one worker for each kind and version.
  ///   - maximumAttempts: After how many failures the operation becomes a dead letter; 1 or more,
  ///     the default is 25. Times without a network are not counted.
  ///   - backoff: How long it waits after a failure; the default grows from 1 second to 5 minutes,
  ///     with full jitter.
  ///   - afterDeadLetter: What becomes of operations behind a dead letter under the same ordering
  ///     key; by default they wait for a decision.
  ///   - maximumConcurrency: How many operations of this type run at once; 1 or more, or nil, the
  ///     default, for as many as the outbox runs.
  ///   - reconcile: Asks the other side whether the effect of an earlier run happened. Without it,
  ///     an operation whose outcome is unknown is sent again under the same idempotency key, so the
  ///     other side must know repetitions by it.
  ///   - run: Has the effect; it must end when its task is cancelled.
  public init<Operation: QueuedOperation>(
    for type: Operation.Type, maximumAttempts: Int = 25,
    backoff: Backoff = .exponential(from: .seconds(1), to: .seconds(300)),
    afterDeadLetter: AfterDeadLetter = .holdKey, maximumConcurrency: Int? = nil,
    reconcile: (@Sendable (Operation, WorkerContext) async throws -> Reconciliation)? = nil,
    run: @escaping @Sendable (Operation, WorkerContext) async throws -> Void
  ) {
    precondition(
      maximumAttempts >= 1,
      "Worker(maximumAttempts: \(maximumAttempts)) is not legal: 1 or more")
    precondition(
      maximumConcurrency.map { $0 >= 1 } ?? true,
      "Worker(maximumConcurrency: \(maximumConcurrency ?? 0)) is not legal: 1 or more, or nil")
    var rules = OperationStateMachine.Rules()
    rules.maximumAttempts = maximumAttempts
    rules.backoff = backoff
    rules.followers = afterDeadLetter
    rules.maximumConcurrency = maximumConcurrency
    var ask: Ask?
    if let reconcile {
      ask = { data, context in try await reconcile(try Operation.decode(data), context) }
    }
    self.init(
      type: Operation.payloadType, rules: rules,
      perform: { data, context in try await run(try Operation.decode(data), context) },
      reconcile: ask)
  }
}

/// Lists workers.
@resultBuilder
public enum WorkerBuilder {
  /// The workers, one after the other.
  public static func buildBlock(_ workers: [Worker]...) -> [Worker] { workers.flatMap { $0 } }

  /// One worker.
  public static func buildExpression(_ worker: Worker) -> [Worker] { [worker] }

  /// Several workers.
  public static func buildExpression(_ workers: [Worker]) -> [Worker] { workers }

  /// The workers of an `if` without `else`.
  public static func buildOptional(_ workers: [Worker]?) -> [Worker] { workers ?? [] }

  /// The workers of an `if`.
  public static func buildEither(first workers: [Worker]) -> [Worker] { workers }

  /// The workers of an `else`.
  public static func buildEither(second workers: [Worker]) -> [Worker] { workers }

  /// The workers of a loop.
  public static func buildArray(_ workers: [[Worker]]) -> [Worker] { workers.flatMap { $0 } }
}

/// What a worker is told about the run that it is in.
public struct WorkerContext: Sendable {
  /// The identity of the operation.
  public let id: OperationID
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

  let confirm: @Sendable () async throws -> Void

  /// Makes sure that nobody else has taken the operation over; ask before an effect that the other
  /// side cannot recognise as a repetition.
  ///
  /// - Throws: `CancellationError` where the lease was lost; the run is cancelled with it.
  public func confirmLease() async throws { try await confirm() }
}

extension QueuedOperation {
  static var payloadType: PayloadType {
    precondition(version >= 1, "\(Self.self).version \(version) is not legal: 1 or more")
    return PayloadType(kind: kind, version: version)
  }

  /// - Throws: ``UnreadablePayload``.
  static func decode(_ data: Data) throws -> Self {
    do {
      return try JSONDecoder().decode(Self.self, from: data)
    } catch {
      throw UnreadablePayload(cause: error)
    }
  }

  func encoded() throws(OutboxError) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return try encoder.encode(self)
    } catch {
      throw OutboxError(.unencodable, details: "\(Self.kind) \(Self.version)", underlying: error)
    }
  }
}

/// The payload is not what its kind and version promise.
struct UnreadablePayload: Error {
  let cause: any Error
}
