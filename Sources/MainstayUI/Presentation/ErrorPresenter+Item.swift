// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

extension ErrorPresenter {
  /// Work that is run again.
  public typealias Retry = @MainActor @Sendable () async -> Void

  /// An error that is shown or waits for it.
  public struct Item: Sendable, Identifiable {
    /// How many errors are kept in ``alike`` at most.
    public static let maximumAlike = 10

    /// The identity of the failure; another one where the same failure stands elsewhere already,
    /// such as under another field.
    public let id: ErrorPresentation.ID
    /// The error; under a field the newest that was presented there.
    public private(set) var error: AppError
    /// How it is shown.
    public private(set) var presentation: ErrorPresentation
    /// How often it has happened while it was shown or waited.
    public internal(set) var count = 1
    /// The same failure in other words, such as about other files, and under a field what stood
    /// there before: ten of them at most.
    public internal(set) var alike: [ErrorPresentation] = []
    /// How far the action is that the person chose; nil while none is under way.
    ///
    /// No other button than Dismiss works meanwhile.
    public internal(set) var progress: ActionProgress?
    /// Why the last action that the person chose did not help; shown below the message.
    public internal(set) var actionFailure: ErrorPresentation?

    let fingerprint: Fingerprint
    /// Whose error it is; nil for nobody's.
    let owner: Identity?
    private(set) var retries: [RetryKey: Retry] = [:]
    /// How many of ``count`` are told as dropped already, since Retry does not run their work.
    private(set) var droppedCount = 0

    /// The work that failed first; of an unknown outcome the only one.
    private var work: RetryKey
    private let performed: PerformedActions

    init(
      _ id: ErrorPresentation.ID, _ error: AppError, _ presentation: ErrorPresentation,
      _ fingerprint: Fingerprint, of work: RetryKey, performed: PerformedActions
    ) {
      self.id = id
      self.work = work
      owner = work.owner
      self.performed = performed
      self.error = error
      self.presentation = presentation
      self.fingerprint = fingerprint
    }

    /// The buttons: Retry only where there is something to run again, and others only where
    /// somebody does them.
    public var actions: [RecoveryAction] {
      presentation.actions.filter { action in
        switch action.id {
        case RecoveryAction.retry.id: !retries.isEmpty
        case RecoveryAction.dismiss.id: true
        case RecoveryAction.help.id: performed.contains(action.id) || presentation.help != nil
        default: performed.contains(action.id) || action.role == .cancel
        }
      }
    }

    /// The page that a screen opens for Help; nil where there is none, and where the app does that.
    public var pageToOpen: URL? {
      performed.contains(RecoveryAction.help.id) ? nil : presentation.help
    }

    /// How much work Retry runs at most; so many things no person does at once.
    private static let maximumRetries = 1_000

    /// Keeps work to run again; of what was done in one place, under one name and to the same
    /// thing, the newest.
    ///
    /// - Returns: Whether all is kept that there is.
    mutating func keep(_ retry: Retry?, for key: RetryKey) -> Bool {
      guard let retry else { return true }
      guard retries[key] != nil || retries.count < Self.maximumRetries else {
        droppedCount += 1
        return false
      }
      retries[key] = retry
      return true
    }

    /// Whether words that are not there yet have a place: there are not too many, or the newest
    /// stand in front.
    var keepsOtherWords: Bool { alike.count < Self.maximumAlike || presentation.style == .field }

    /// Keeps other words; under a field they take the place of those before.
    mutating func keep(_ words: ErrorPresentation, of error: AppError) {
      let isNew = !words.saysTheSame(as: presentation)
      guard presentation.style == .field else {
        if isNew, !alike.contains(where: { $0.saysTheSame(as: words) }) { alike.append(words) }
        return
      }
      alike.removeAll { $0.saysTheSame(as: words) }
      if isNew, alike.count < Self.maximumAlike { alike.append(presentation) }
      (self.error, presentation) = (error, words)
    }

    /// Whether a person would take another error for this one, and nobody withdraws it alone; under
    /// a field there is one place.
    func isLike(
      _ other: AppError, _ style: ErrorPresentation.Style, _ same: Fingerprint, of work: RetryKey
    ) -> Bool {
      guard style == presentation.style, other.field == error.field, work.owner == owner else {
        return false
      }
      if style == .field { return true }
      return asksTheSame(as: other, of: work)
        && (same == fingerprint || other.saysTheSame(as: error))
    }

    /// Whether one button is an answer to both errors.
    ///
    /// Retry runs nothing that has not offered it. And where nobody knows what became of some work,
    /// whoever finds out does so for that work alone.
    private func asksTheSame(as other: AppError, of work: RetryKey) -> Bool {
      guard other.actions.map(\.id) == error.actions.map(\.id) else { return false }
      let isUnknown = error.disposition == .unknownOutcome
      guard isUnknown == (other.disposition == .unknownOutcome) else { return false }
      return !isUnknown || work == self.work
    }

    /// Forgets what Retry runs where another error with other buttons takes the place, as happens
    /// under a field.
    mutating func makeRoom(for other: AppError, of work: RetryKey) {
      guard !asksTheSame(as: other, of: work) else { return }
      (retries, self.work) = ([:], work)
    }
  }

  /// What tells apart the work that a Retry button runs.
  struct RetryKey: Sendable, Hashable {
    let file: String
    let line: Int
    let doing: String?
    let subject: Identity?
    let owner: Identity?
  }

  /// What tells things apart, of whatever type it is.
  struct Identity: Sendable, Hashable {
    let value: any Hashable & Sendable

    static func == (one: Self, other: Self) -> Bool {
      AnyHashable(one.value) == AnyHashable(other.value)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(value)) }
  }
}
