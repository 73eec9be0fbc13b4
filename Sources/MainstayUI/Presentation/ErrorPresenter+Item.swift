// SPDX-License-Identifier: Apache-2.0

public import Mainstay

extension ErrorPresenter {
  /// Work that is run again.
  public typealias Retry = @MainActor @Sendable () async -> Void

  /// An error that is shown or waits for it.
  public struct Item: Sendable, Identifiable {
    /// How many errors are kept in ``alike`` at most.
    public static let maximumAlike = 10

    /// The identity of the failure.
    public var id: ErrorPresentation.ID { presentation.id }
    /// The error.
    public let error: AppError
    /// How it is shown.
    public let presentation: ErrorPresentation
    /// How often it has happened while it was shown or waited.
    public internal(set) var count = 1
    /// The same failure in other words, such as about other files: the first ten of them.
    public internal(set) var alike: [ErrorPresentation] = []
    /// How far the action is that the person chose; nil while none is under way.
    ///
    /// No other button than Dismiss works meanwhile.
    public internal(set) var progress: ActionProgress?
    /// Why the last action that the person chose did not help; shown below the message.
    public internal(set) var actionFailure: ErrorPresentation?

    let fingerprint: Fingerprint
    private(set) var retries: [RetryKey: Retry] = [:]

    init(_ error: AppError, _ presentation: ErrorPresentation, _ fingerprint: Fingerprint) {
      self.error = error
      self.presentation = presentation
      self.fingerprint = fingerprint
    }

    /// The buttons: Retry only where there is something to run again.
    public var actions: [RecoveryAction] {
      retries.isEmpty
        ? presentation.actions.filter { $0.id != RecoveryAction.retry.id } : presentation.actions
    }

    /// Keeps work to run again; of what was done in one place under one name, the newest.
    mutating func keep(_ retry: Retry?, for key: RetryKey) {
      guard let retry, retries[key] != nil || retries.count < ErrorPresenter.capacity else {
        return
      }
      retries[key] = retry
    }

    /// Whether a person would take another error for this one.
    func isLike(_ other: AppError, _ style: ErrorPresentation.Style, _ same: Fingerprint) -> Bool {
      guard style == presentation.style, other.field == error.field else { return false }
      return same == fingerprint || other == error
    }
  }

  /// What tells apart the work that a Retry button runs.
  struct RetryKey: Sendable, Hashable {
    let file: String
    let line: Int
    let doing: String?
  }
}
