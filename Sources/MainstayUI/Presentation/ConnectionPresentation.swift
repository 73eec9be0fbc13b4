// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

/// The connection as a screen shows it: words, picture and colour.
public struct ConnectionPresentation: Sendable, Hashable {
  /// How things stand.
  public let status: ConnectionStatus
  /// What is said in a line.
  public let title: String
  /// What it means; nil where the line says it all.
  public let message: String?
  /// The name of an SF Symbol.
  public let icon: String
  /// The colour; never the only difference.
  public let tint: ErrorPresentation.Tint
  /// What a person can do: sign in to the network, where it asks for that.
  public let action: RecoveryAction?
  private let locale: Locale

  /// What a screen reader says.
  public var accessibilityLabel: String {
    [title, message ?? ""].filter { !$0.isEmpty }
      .map { $0.last?.isPunctuation == true ? $0 : $0 + "." }.joined(separator: " ")
  }

  /// The words of a button, in the language of the others.
  public func label(of action: RecoveryAction) -> String { action.title.string(in: locale) }

  /// Puts the connection into words.
  ///
  /// - Parameters:
  ///   - status: How things stand.
  ///   - isPortal: Whether the network asks to sign in first; counts where the status is not
  ///     `connected`.
  ///   - isBack: Whether it was gone until now; counts where the status is `connected`.
  ///   - note: What it means for this app while there is no connection, such as "Changes are kept
  ///     and sent later."; nil, the default, is nothing.
  ///   - locale: The language of the reader.
  public init(
    _ status: ConnectionStatus, isPortal: Bool = false, isBack: Bool = false,
    note: LocalizableText? = nil, locale: Locale = .current
  ) {
    let words: LocalizableText
    switch status {
    case .connected:
      (words, icon, tint) = (isBack ? Self.back : Self.connected, "checkmark.circle", .green)
    case .reconnecting:
      (words, icon, tint) = (Self.reconnecting, "arrow.clockwise.circle", .blue)
    case .disconnected, .failed:
      let isSignIn = isPortal && status == .failed
      words =
        isSignIn ? Self.portal : status == .failed ? Self.failed : Self.disconnected
      (icon, tint) = (isSignIn ? "person.badge.key" : "wifi.slash", .orange)
    }
    self.status = status
    title = words.string(in: locale)
    message = status == .connected ? nil : note?.string(in: locale)
    action = isPortal && status == .failed ? .openPortal : nil
    self.locale = locale
  }

  private static let connected = text("connected", "Connected")
  private static let back = text("back", "Connected again")
  private static let reconnecting = text("reconnecting", "Connecting again")
  private static let disconnected = text("disconnected", "No connection")
  private static let failed = text("failed", "There is a network, but nothing gets through.")
  private static let portal = text("portal", "The network asks you to sign in.")

  private static func text(_ name: String, _ english: LocalizableText) -> LocalizableText {
    LocalizableText(key: "error.connection.\(name).message", english: english)
  }
}
