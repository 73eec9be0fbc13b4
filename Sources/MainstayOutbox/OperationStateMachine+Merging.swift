// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Mainstay

/// What becomes of an operation whose record somebody else has changed.
extension OperationStateMachine {
  /// The other side has another version than the run expected, and the change was merged into it.
  ///
  /// As long as nobody knows what became of an earlier run, nothing merged is sent: the version of
  /// the other side may hold the change, and what counts would count twice. It ends where that
  /// version is what was sent, or where nothing is left to send either way; else somebody decides.
  ///
  /// - Parameters:
  ///   - step: What merging came to; nil where the other side's version cannot be read.
  ///   - latest: The other side's version, encoded.
  ///   - merges: How many times in a row that happened before.
  ///   - key: The key under which the result is sent: it is something else than what was sent.
  ///   - error: What the other side said.
  ///   - isThere: Whether the other side has just what was sent.
  ///   - canAsk: Whether it can be asked what became of a run.
  ///   - isRunCancelled: Whether somebody has cancelled the run.
  ///   - fraction: A random number in `0..<1`, for the backoff of a conflict that may pass.
  /// - Returns: What becomes of the operation.
  package mutating func overtaken(
    _ step: MergeStep?, latest: Data, merges: Int, key: IdempotencyKey, error: AppError,
    isThere: Bool = false, canAsk: Bool = false, isRunCancelled: Bool = false, fraction: Double
  ) -> OperationVerdict {
    var verdict = failed(
      error, remote: latest, isResolvable: true, canAsk: canAsk, isRunCancelled: isRunCancelled,
      fraction: fraction)
    guard case .conflicted = verdict.next else { return verdict }
    verdict.news = RecordNews(latest: latest, merges: min(merges, Int.max - 1) + 1)
    guard let step else {
      let doubt: [FieldConflict] = mustReconcile ? [.outcomeUnknown] : []
      verdict.next = .conflicted(remote: latest, fields: [.noRemote] + doubt)
      return verdict
    }
    if mustReconcile {
      if isThere {
        // By whomever: the record is as it was meant to be.
        verdict.next = .done
      } else if step.next == .nothing {
        verdict.next = next(after: step, latest)
      }
      return verdict
    }
    if step.next == .send, merges < rules.maximumMerges {
      verdict.next = .ready
      verdict.news?.idempotencyKey = key
    } else {
      verdict.next = next(after: step, latest)
    }
    return verdict
  }

  /// What the other side was last known to have leaves nothing to send, or makes somebody decide.
  ///
  /// - Parameters:
  ///   - step: What merging came to.
  ///   - latest: The other side's version, encoded.
  /// - Returns: What becomes of the operation.
  package func notSent(_ step: MergeStep, latest: Data?) -> OperationVerdict {
    var verdict = cancelled()
    verdict.next = next(after: step, latest)
    return verdict
  }

  private func next(after step: MergeStep, _ latest: Data?) -> OperationVerdict.Next {
    switch step.next {
    case .nothing: step.discarded.isEmpty ? .done : .dropped
    case .ask(let fields): .conflicted(remote: latest, fields: fields)
    case .send:
      .conflicted(remote: latest, fields: [FieldConflict(field: "", cause: .tooManyMerges)])
    }
  }
}
