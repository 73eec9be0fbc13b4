// SPDX-License-Identifier: Apache-2.0

/// Something that a person can do about an error: a value, not a closure.
///
/// The presenter or the app maps the id to what it does, so an action can be stored, compared in a
/// test and sent to another process.
public struct RecoveryAction: Sendable, Hashable, Codable, Identifiable {
  /// The name by which a program tells actions apart.
  public struct ID: Sendable, Hashable {
    /// The name as text.
    public let rawValue: String

    /// Makes the id of an action of your own; use a dotted name, such as `payments.change-card`.
    public init(_ rawValue: StaticString) { self.rawValue = rawValue.description }
  }

  /// How an action stands among the others.
  public enum Role: String, Sendable, Hashable {
    /// An ordinary action.
    case normal
    /// Leaves everything as it is.
    case cancel
    /// Throws something away.
    case destructive
  }

  /// What the action is.
  public let id: ID

  /// The words on the button; a verb.
  public let title: LocalizableText

  /// How the action stands among the others; the default is `normal`.
  public let role: Role

  /// Makes an action of your own.
  public init(id: ID, title: LocalizableText, role: Role = .normal) {
    self.id = id
    self.title = title
    self.role = role
  }

  /// Makes one of the built-in actions, whose texts are found under `action.…`.
  private init(_ id: ID, _ title: LocalizableText, role: Role = .normal) {
    self.init(
      id: id, title: LocalizableText(key: "action." + id.rawValue, english: title), role: role)
  }
}

extension RecoveryAction {
  /// Does the same thing again.
  public static let retry = RecoveryAction("retry", "Try Again")
  /// Puts the message away.
  public static let dismiss = RecoveryAction("dismiss", "Dismiss", role: .cancel)
  /// Signs in, or signs in anew.
  public static let signIn = RecoveryAction("sign-in", "Sign In")
  /// Opens the settings in which the missing permission is given.
  public static let openSettings = RecoveryAction("open-settings", "Open Settings")
  /// Opens the sign-in page of the network.
  public static let openPortal = RecoveryAction("open-portal", "Open Sign-In Page")
  /// Shows where space can be freed.
  public static let freeSpace = RecoveryAction("free-space", "Free Up Space")
  /// Shows both versions and lets the person choose.
  public static let resolveConflict = RecoveryAction("resolve-conflict", "Choose a Version")
  /// Asks the other side whether the call had its effect.
  public static let checkOutcome = RecoveryAction("check-outcome", "Check Again")
  /// Loads what is there now, in place of what the app shows.
  public static let reload = RecoveryAction("reload", "Load Again")
  /// Opens the page that explains the error.
  public static let help = RecoveryAction("help", "Help")

  static let builtIn: [RecoveryAction] = [
    retry, dismiss, signIn, openSettings, openPortal, freeSpace, resolveConflict, checkOutcome,
    reload, help,
  ]
}

extension RecoveryAction.ID: ExpressibleByStringLiteral, Codable {
  /// Makes the id of an action of your own from a literal.
  public init(stringLiteral value: StaticString) { self.init(value) }

  /// Decodes an id from its name; a name that this build does not know is kept.
  public init(from decoder: any Decoder) throws {
    rawValue = try decoder.singleValueContainer().decode(String.self)
  }

  /// Encodes the id as its name.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}

extension RecoveryAction.Role: Codable {
  /// Decodes a role from its name; one that this build does not know becomes `normal`.
  public init(from decoder: any Decoder) throws {
    self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .normal
  }
}

extension Disposition {
  /// The actions that an error offers when it names none.
  ///
  /// Retry stands wherever it can succeed, so also once the person has done what was asked for.
  var defaultActions: [RecoveryAction] {
    switch self {
    case .transient, .throttled, .rejected, .needsUser, .unclassified: Self.retryOrDismiss
    case .unknownOutcome: Self.checkOrDismiss
    case .permanent, .cancelled: Self.justDismiss
    }
  }

  // Made once: every error that is made has one of them.
  private static let retryOrDismiss: [RecoveryAction] = [.retry, .dismiss]
  private static let checkOrDismiss: [RecoveryAction] = [.checkOutcome, .dismiss]
  private static let justDismiss: [RecoveryAction] = [.dismiss]
}
