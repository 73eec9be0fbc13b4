// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// What becomes of a run that has failed, and of its record, which others change too.
extension WorkerRun {
  func failed(
    _ error: any Error, _ payload: Data, _ machine: inout OperationStateMachine
  ) async -> End {
    let mapped = classify(error)
    heedCalls(in: &machine)
    // Put off, or refused by a policy of the app: no call was made.
    if case .rejected = mapped.disposition, !mapped.leavesDoubt { refund() }
    let remote = remote(of: error)
    let kept = remote.flatMap(sealedRecord)
    let canAsk = worker.reconcile != nil
    guard let merge = worker.merge, let remote, let kept, mapped.kind == .conflict else {
      let verdict = machine.failed(
        mapped, remote: kept, isResolvable: worker.merge != nil || remote != nil, canAsk: canAsk,
        isRunCancelled: Task.isCancelled, fraction: settings.chance.fraction())
      return ended(verdict, mapped)
    }
    let step = try? merge(payload, remote)
    let isInDoubt = machine.mustReconcile || mapped.leavesDoubt
    let isThere = isInDoubt ? await isThere(payload, remote) : false
    let verdict = machine.overtaken(
      step, latest: kept, merges: leased.operation.merges, key: IdempotencyKey(), error: mapped,
      isThere: isThere, canAsk: canAsk, isRunCancelled: Task.isCancelled,
      fraction: settings.chance.fraction())
    if case .conflicted = verdict.next { return ended(verdict, mapped) }
    // One that may pass by itself is a failure like any other.
    guard verdict.news != nil else { return ended(verdict, mapped) }
    return merged(verdict, step)
  }

  /// What this run has shown of its effect before it failed, whatever it failed with.
  func heedCalls(in machine: inout OperationStateMachine) {
    if use.isInDoubt { machine.leftInDoubt() }
    machine.hasBegun = machine.hasBegun || steps.areThere || use.hasBegun
  }

  /// The other side has it already, or is sent something else, or nothing.
  func merged(_ verdict: OperationVerdict, _ step: MergeStep?) -> End {
    let isThere = verdict.next == .done
    return End(
      verdict: verdict, event: isThere ? .succeeded : .merged(discarded: step?.discarded ?? []))
  }

  /// Whether the other side has just what this run has sent, and the run before it.
  private func isThere(_ payload: Data, _ remote: Data) async -> Bool {
    do {
      return try await worker.isThere?(payload, latest(), remote) ?? false
    } catch {
      // Nobody knows then, and a person is asked.
      return false
    }
  }

  /// The document of the other side, wherever in the chain of causes it stands.
  private func remote(of error: any Error) -> Data? {
    if let conflict = error as? RemoteConflict { return conflict.remote }
    return (error as? AppError)?.cause(as: RemoteConflict.self)?.remote
  }
}

/// Whether a worker has noted how far its run is, also where the store could not keep that.
final class StepNotes: Sendable {
  private let state = Locked(false)

  var areThere: Bool { state.withLock { $0 } }

  func note() { state.withLock { $0 = true } }
}
