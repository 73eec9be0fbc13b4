// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

// What a person can do about an error on screen.
extension TaskModel {
  /// The error on screen, in words.
  ///
  /// - Parameter locale: The language of the reader.
  /// - Returns: The words; nil where there is no error.
  public func presentation(in locale: Locale = .current) -> ErrorPresentation? {
    error.flatMap { ErrorPresentation($0, locale: locale) }
  }

  /// The buttons of the error on screen: Retry where another run may mend it, Dismiss, Help where
  /// there is a page, and what else the error offers where somebody does it.
  ///
  /// - Parameter isPerforming: Whether somebody does what ``begin(_:)`` leaves to the app.
  /// - Returns: The buttons; none where there is no error.
  public func actions(performing isPerforming: Bool = false) -> [RecoveryAction] {
    actions(performed: PerformedActions(nil, byAnybody: isPerforming))
  }

  /// The buttons of the error on screen: Retry where another run may mend it, Dismiss, Help where
  /// there is a page, and what the app does.
  ///
  /// - Parameter performs: What the app does where ``begin(_:)`` leaves it to it, such as
  ///   `[.signIn]`; other actions have no button.
  /// - Returns: The buttons; none where there is no error.
  public func actions(performs: [RecoveryAction]) -> [RecoveryAction] {
    actions(performed: PerformedActions(performs, byAnybody: true))
  }

  func actions(performed: PerformedActions) -> [RecoveryAction] {
    (presentation()?.actions ?? []).filter { action in
      switch action.id {
      case RecoveryAction.retry.id: canRetry
      case RecoveryAction.dismiss.id: true
      case RecoveryAction.help.id: performed.contains(action.id) || error?.help != nil
      default: performed.contains(action.id) || action.role == .cancel
      }
    }
  }

  /// The buttons of the error where it stands in the place of the whole content.
  ///
  /// Where no content is behind it, to put it away would leave nothing: there is no Dismiss then.
  /// Retry stands there in any case but one, that nobody knows what became of the work.
  ///
  /// - Parameter isPerforming: Whether somebody does what ``begin(_:)`` leaves to the app.
  /// - Returns: The buttons; none where there is no error.
  public func pageActions(performing isPerforming: Bool = false) -> [RecoveryAction] {
    pageActions(performed: PerformedActions(nil, byAnybody: isPerforming))
  }

  /// The buttons of the error where it stands in the place of the whole content, as
  /// ``pageActions(performing:)`` has them, with those alone that the app does.
  ///
  /// - Parameter performs: What the app does where ``begin(_:)`` leaves it to it, such as
  ///   `[.signIn]`; other actions have no button.
  /// - Returns: The buttons; none where there is no error.
  public func pageActions(performs: [RecoveryAction]) -> [RecoveryAction] {
    pageActions(performed: PerformedActions(performs, byAnybody: true))
  }

  func pageActions(performed: PerformedActions) -> [RecoveryAction] {
    let all = actions(performed: performed)
    guard let error, value == nil, !isEmpty else { return all }
    let others = all.filter { $0.role != .cancel && $0.id != RecoveryAction.dismiss.id }
    let isComplete =
      error.disposition == .unknownOutcome || others.contains { $0.id == RecoveryAction.retry.id }
    return isComplete ? others : others + [.retry]
  }

  /// Begins what a person chose: the work again, or putting the error away.
  ///
  /// The page of Help is opened by whoever shows the button, as SwiftUI's views do by themselves.
  ///
  /// - Parameter action: What was chosen.
  /// - Returns: Whether it is done here; where it is not, it is for the app.
  @discardableResult
  public func begin(_ action: RecoveryAction) -> Bool {
    switch action.id {
    case RecoveryAction.retry.id: Task { await retry() }
    case RecoveryAction.dismiss.id: dismissError()
    case _ where action.role == .cancel: dismissError()
    default: return false
    }
    return true
  }
}
