// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

/// An error as a screen shows it: words, picture, colour, place and buttons.
///
/// It is a value, so a test compares it and a web page draws it as SwiftUI does.
public struct ErrorPresentation: Sendable, Hashable, Identifiable {
  /// Where an error is shown.
  public enum Style: String, Sendable, Hashable, Codable {
    /// In front of everything, until the person does something.
    case overlay
    /// At the edge, without getting in the way: being offline is a state, not a mishap.
    case banner
    /// Under the field that it is about, where that is shown; see
    /// ``ErrorPresenter/startShowing(_:)``.
    case field
  }

  /// The colour that an error has.
  public enum Tint: String, Sendable, Hashable, Codable {
    /// No connection.
    case orange
    /// Something to look at, or to do.
    case yellow
    /// It will pass, or can be tried again.
    case blue
    /// It did not happen.
    case red
    /// All is well again; no error has it.
    case green
  }

  /// The identity of the failure.
  public let id: UUID
  /// The code, for support; not for the sentence.
  public let code: ErrorCode
  /// What happened.
  public let title: String
  /// What it means.
  public let message: String
  /// What can be done.
  public let suggestion: String?
  /// The name of an SF Symbol.
  public let icon: String
  /// The colour.
  public let tint: Tint
  /// Where it is shown.
  public let style: Style
  /// The buttons.
  public let actions: [RecoveryAction]
  /// The page that explains it.
  public let help: URL?
  /// When another attempt makes sense, as whoever refused it has said; nil where nobody has.
  ///
  /// What was said counts from when the error happened, so that a screen can count down to it.
  /// Retry works before, too.
  public let retryAt: Date?
  /// The field that it is about.
  public let field: JSONPointer?
  private let locale: Locale

  /// What a screen reader says: what happened, what it means, and what can be done.
  public var accessibilityLabel: String {
    [title, message, suggestion ?? ""].filter { !$0.isEmpty }
      .map { $0.last?.isPunctuation == true ? $0 : $0 + "." }.joined(separator: " ")
  }

  /// The words of a button, in the language of the others.
  public func label(of action: RecoveryAction) -> String { action.title.string(in: locale) }

  /// Puts an error into words; nil for a cancellation, which is never shown.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - style: Where it is shown; nil, the default, goes by the error.
  ///   - locale: The language of the reader.
  public init?(_ error: AppError, style: Style? = nil, locale: Locale = .current) {
    guard !error.isCancellation else { return nil }
    id = error.id
    code = error.code
    title = error.title.string(in: locale)
    message = error.message.string(in: locale)
    suggestion = error.suggestion?.string(in: locale)
    (icon, tint) = Self.look(of: error)
    self.style = style ?? Self.style(of: error)
    actions = Self.actions(of: error)
    help = error.help
    retryAt = error.disposition.retryAfter.flatMap { wait in
      wait > .zero ? error.time.addingTimeInterval(wait / .seconds(1)) : nil
    }
    field = error.field
    self.locale = locale
  }

  private static func look(of error: AppError) -> (icon: String, tint: Tint) {
    if error.kind == .offline { return ("wifi.slash", .orange) }
    return switch error.disposition {
    case .needsUser, .unknownOutcome: ("exclamationmark.triangle", .yellow)
    case .transient, .throttled, .rejected: ("arrow.clockwise.circle", .blue)
    case .permanent where error.kind == .validation: ("exclamationmark.triangle", .yellow)
    case .permanent, .cancelled, .unclassified: ("exclamationmark.circle", .red)
    }
  }

  static func style(of error: AppError) -> Style {
    error.field != nil ? .field : place(of: error)
  }

  /// Where an error is shown that stands under no field.
  static func place(of error: AppError) -> Style {
    error.kind == .offline ? .banner : .overlay
  }

  /// Whether a reader sees the same.
  func saysTheSame(as other: ErrorPresentation) -> Bool {
    title == other.title && message == other.message && suggestion == other.suggestion
  }

  /// Help stands where there is a page to show, and a way to put the message away always.
  private static func actions(of error: AppError) -> [RecoveryAction] {
    var actions = error.actions
    if error.help != nil, !actions.contains(where: { $0.id == RecoveryAction.help.id }) {
      actions.append(.help)
    }
    if !actions.contains(where: { $0.role == .cancel }) { actions.append(.dismiss) }
    return actions
  }
}
