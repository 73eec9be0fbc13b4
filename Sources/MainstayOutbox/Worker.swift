// SPDX-License-Identifier: Apache-2.0

package import Foundation
public import Mainstay

/// What runs the operations of one kind and version.
///
/// The closure returns when the effect has happened, and throws otherwise; the disposition of what
/// it throws decides what becomes of the operation: see <doc:OperationLifecycle>. It may be run
/// again after a crash, always with the same idempotency key, which it should hand to the other
/// side.
public struct Worker: Sendable {
  /// What becomes of the followers of a dead letter.
  ///
  /// Behind one whose runs were lost (``DeadLetter/Reason/crashed``), or that was given up for want
  /// of another (``DeadLetter/Reason/dependencyFailed``), they always wait.
  public enum AfterDeadLetter: String, Sendable, Hashable, Codable, CaseIterable {
    /// They wait until somebody redrives or discards it.
    case holdKey
    /// They go on as if it had never been.
    case goOn
    /// They are dropped, and receipts count them; those that may have been sent go on.
    case dropFollowers
  }

  typealias Perform = @Sendable (Data, WorkerContext) async throws -> WorkerAnswer
  typealias Ask = @Sendable (Data, WorkerContext) async throws -> Reconciliation

  package typealias Read = @Sendable (Data) throws -> Data

  package let type: PayloadType
  /// The form that ``read`` writes: the newest of its kind.
  let newest: PayloadType
  /// Reads a payload as a run does, and writes it in the newest form of its kind.
  package let read: Read
  let rules: OperationStateMachine.Rules
  let perform: Perform
  let reconcile: Ask?
  /// Merges what the other side has into a payload; nil where a person always decides.
  let merge: MergeStep.Make?
  /// What a run that was found applied has left of the record, from what the other side had before;
  /// nil where nothing is merged.
  let applied: MergeStep.Applied?
  /// Whether the other side has what was sent, from what it was known to have before; nil where
  /// nothing is merged.
  let isThere: MergeStep.IsThere?
  /// Brings up what is kept of the record beside a payload; nil where nothing is merged.
  let kept: Kept?
  /// Who lets calls of this worker through.
  var gates = Gates()
  /// Where it was made, which is where its errors are as far as they know no better place.
  var site = SourceSite()

  init<Operation: QueuedOperation>(
    for operation: Operation.Type, rules: OperationStateMachine.Rules, perform: @escaping Perform,
    reconcile: Ask?, merge: MergeStep.Make? = nil, applied: MergeStep.Applied? = nil,
    isThere: MergeStep.IsThere? = nil, kept: Kept? = nil
  ) {
    self.init(
      type: Operation.payloadType, newest: Operation.payloadType, rules: rules, perform: perform,
      reconcile: reconcile, merge: merge, applied: applied, isThere: isThere, kept: kept,
      read: { try Operation.decode($0).encoded() })
  }

  init(
    type: PayloadType, newest: PayloadType, rules: OperationStateMachine.Rules,
    perform: @escaping Perform, reconcile: Ask?, merge: MergeStep.Make?,
    applied: MergeStep.Applied?, isThere: MergeStep.IsThere?, kept: Kept?, read: @escaping Read
  ) {
    self.type = type
    self.newest = newest
    self.read = read
    self.rules = rules
    self.perform = perform
    self.reconcile = reconcile
    self.merge = merge
    self.applied = applied
    self.isThere = isThere
    self.kept = kept
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
  ///     default, for as many as the outbox runs. One whose work has ended well does not count
  ///     while its end is on the way to the store; where the order matters, use an ordering key.
  ///   - reconcile: Asks the other side whether the effect of an earlier run happened. Without it,
  ///     an operation whose outcome is unknown is sent again under the same idempotency key, so the
  ///     other side must know repetitions by it.
  ///   - fileID: The file where the errors of its runs are, as far as they know no better place;
  ///     leave it out.
  ///   - function: The function of that place; leave it out.
  ///   - line: The line of that place; leave it out.
  ///   - run: Has the effect; it must end when its task is cancelled.
  public init<Operation: QueuedOperation>(
    for type: Operation.Type, maximumAttempts: Int = 25,
    backoff: Backoff = .exponential(from: .seconds(1), to: .seconds(300)),
    afterDeadLetter: AfterDeadLetter = .holdKey, maximumConcurrency: Int? = nil,
    reconcile: (@Sendable (Operation, WorkerContext) async throws -> Reconciliation)? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line,
    run: @escaping @Sendable (Operation, WorkerContext) async throws -> Void
  ) where Operation.Output == NoOutput {
    let perform: Perform = { data, context in
      try await run(try Operation.decode(data), context)
      return WorkerAnswer()
    }
    self.init(
      for: type,
      rules: Self.rules(maximumAttempts, backoff, afterDeadLetter, maximumConcurrency),
      perform: perform, reconcile: Self.ask(reconcile))
    site = SourceSite(fileID: fileID, function: function, line: line)
  }

  /// Makes a worker that returns something; ``OperationHandle/outcome()`` hands it over, also after
  /// a restart.
  ///
  /// - Parameters:
  ///   - type: What it runs; one worker for each kind and version.
  ///   - maximumAttempts: As above.
  ///   - backoff: As above.
  ///   - afterDeadLetter: As above.
  ///   - maximumConcurrency: As above.
  ///   - reconcile: As above; an operation that it finds applied has no output.
  ///   - fileID: As above.
  ///   - function: As above.
  ///   - line: As above.
  ///   - run: Has the effect, and returns what came of it.
  @_disfavoredOverload
  public init<Operation: QueuedOperation>(
    for type: Operation.Type, maximumAttempts: Int = 25,
    backoff: Backoff = .exponential(from: .seconds(1), to: .seconds(300)),
    afterDeadLetter: AfterDeadLetter = .holdKey, maximumConcurrency: Int? = nil,
    reconcile: (@Sendable (Operation, WorkerContext) async throws -> Reconciliation)? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line,
    run: @escaping @Sendable (Operation, WorkerContext) async throws -> Operation.Output
  ) {
    let perform: Perform = { data, context in
      let output = try await run(try Operation.decode(data), context)
      // The effect has happened: what cannot be kept of its output must not let it happen again.
      return WorkerAnswer(output: try? PayloadCoding.encode(output))
    }
    self.init(
      for: type,
      rules: Self.rules(maximumAttempts, backoff, afterDeadLetter, maximumConcurrency),
      perform: perform, reconcile: Self.ask(reconcile))
    site = SourceSite(fileID: fileID, function: function, line: line)
  }

  static func ask<Operation: QueuedOperation>(
    _ reconcile: (@Sendable (Operation, WorkerContext) async throws -> Reconciliation)?
  ) -> Ask? {
    guard let reconcile else { return nil }
    return { data, context in try await reconcile(try Operation.decode(data), context) }
  }

  static func rules(
    _ maximumAttempts: Int, _ backoff: Backoff, _ afterDeadLetter: AfterDeadLetter,
    _ maximumConcurrency: Int?
  ) -> OperationStateMachine.Rules {
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
    return rules
  }
}

extension Worker {
  /// Who decides, besides the outbox, whether a run may begin.
  struct Gates: Sendable {
    var circuit: CircuitBreaker?
    /// Whose circuit it is behind where it has none of its own.
    var host: String?
    var limiter: RateLimiter?
    var timeout: Timeout?
  }

  /// The same worker behind a circuit breaker, such as the one of the host that it calls; share it
  /// with everything else that calls that.
  ///
  /// While the circuit is open, the whole lane of the operation waits until a probe is due, no
  /// attempt is counted, and the next operation is the probe. Calls of a run behind the same
  /// breaker pass with it, and do not count by themselves: the end of the run does.
  ///
  /// - Parameter circuit: The circuit breaker.
  /// - Returns: The worker.
  public func guarded(by circuit: CircuitBreaker) -> Worker {
    var worker = self
    worker.gates.circuit = circuit
    return worker
  }

  /// The same worker, which calls a host: all workers of an outbox that call it are behind one
  /// circuit breaker, which the outbox makes, in the way of ``guarded(by:)``.
  ///
  /// It is one of ``Outbox/circuits``; ``Outbox/Configuration/circuitOfHost`` says how it is made.
  /// A worker that is guarded by a breaker of its own stays behind that one alone.
  ///
  /// - Parameter host: The name of the host, such as `api.example.com`, in letters of any case; not
  ///   blank.
  /// - Returns: The worker.
  public func calling(_ host: String) -> Worker {
    precondition(
      !host.allSatisfy(\.isWhitespace),
      "Worker.calling(“\(host)”) is not legal: a name that is not blank")
    var worker = self
    worker.gates.host = host.lowercased()
    return worker
  }

  /// The same worker, whose runs take no longer than a limit.
  ///
  /// A run that takes longer is cancelled. Nobody knows what came of it: it counts as an attempt,
  /// and is reconciled before it is sent again. `reconcile` has as much time once more. The limit
  /// is one for a kind; ``EnqueueOptions/timeout`` may say less for one operation.
  ///
  /// - Parameter timeout: The limit of each run.
  /// - Returns: The worker.
  public func limited(to timeout: Timeout) -> Worker {
    var worker = self
    worker.gates.timeout = timeout
    return worker
  }

  /// The same worker, which begins no more runs than a limit lets it: those of other types go on
  /// meanwhile.
  ///
  /// - Parameter limiter: The limit; it may be shared with other workers and calls. How long it
  ///   lets others wait does not matter here.
  /// - Returns: The worker.
  public func limited(by limiter: RateLimiter) -> Worker {
    var worker = self
    worker.gates.limiter = limiter
    return worker
  }
}

/// What a run leaves, where it ended well.
struct WorkerAnswer: Sendable {
  /// What the worker returned, encoded.
  var output: Data?
  /// What the other side has of the record since then, encoded.
  var latest: Data?
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

extension QueuedOperation {
  package static var payloadType: PayloadType {
    precondition(version >= 1, "\(Self.self).version \(version) is not legal: 1 or more")
    return PayloadType(kind: kind, version: version)
  }

  /// - Throws: ``UnreadablePayload``.
  static func decode(_ data: Data) throws -> Self {
    do {
      return try PayloadCoding.decode(Self.self, from: data)
    } catch {
      throw UnreadablePayload(cause: error)
    }
  }

  package func encoded() throws(OutboxError) -> Data {
    do {
      return try PayloadCoding.encode(self)
    } catch {
      throw OutboxError(.unencodable, details: "\(Self.kind) \(Self.version)", underlying: error)
    }
  }
}

// mainstay:ignore MS102 -- it never leaves a run
/// The payload is not what its kind and version promise.
package struct UnreadablePayload: Error {
  package let cause: any Error
}

/// How values lie on the disk: equal values have equal bytes, unless there are sets in them, or
/// dictionaries whose keys are neither texts nor integers.
enum PayloadCoding {
  static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(value)
  }

  static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try JSONDecoder().decode(type, from: data)
  }
}
