// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

/// A short notice that goes away by itself.
public struct Toast: Sendable, Hashable, Codable, Identifiable {
  /// What a toast says about what happened.
  public enum Style: String, Sendable, Hashable, Codable, CaseIterable {
    /// Something to know.
    case info
    /// It worked.
    case success
    /// It worked, but.
    case warning
    /// It did not work.
    case error

    /// The name of an SF Symbol.
    public var icon: String {
      switch self {
      case .info: "info.circle"
      case .success: "checkmark.circle"
      case .warning: "exclamationmark.triangle"
      case .error: "exclamationmark.circle"
      }
    }

    /// What is said of it where nobody sees its colour; nil where the sentence says it all.
    var spoken: LocalizableText? {
      switch self {
      case .info, .success: nil
      case .warning: LocalizableText(key: "error.view.warning.message", english: "Warning")
      case .error: LocalizableText(key: "error.view.error.message", english: "Error")
      }
    }

    /// Whether it takes longer to read, and must not be missed.
    var isLong: Bool { self == .warning || self == .error }
  }

  /// The identity of the toast.
  public let id: UUID
  /// What it says about what happened.
  public let style: Style
  /// The sentence.
  public let text: String
  /// The button; nil for none.
  public let action: RecoveryAction?
  /// How often the same was said while it was shown.
  public internal(set) var count: Int

  /// Makes a toast.
  ///
  /// - Parameters:
  ///   - style: What it says about what happened.
  ///   - text: The sentence.
  ///   - action: The button, such as one that takes back what was done; nil, the default, for none.
  ///   - id: The identity; a new one by default.
  public init(_ style: Style, _ text: String, action: RecoveryAction? = nil, id: UUID = UUID()) {
    self.id = id
    self.style = style
    self.text = text
    self.action = action
    count = 1
  }

  /// What a screen reader says: what the colour says to others, and the sentence.
  ///
  /// - Parameter locale: The language of the reader.
  /// - Returns: The words.
  public func accessibilityLabel(in locale: Locale = .current) -> String {
    [style.spoken?.string(in: locale), text].compactMap(\.self).joined(separator: ". ")
  }

  /// Whether a reader sees the same.
  func saysTheSame(as other: Toast) -> Bool {
    style == other.style && text == other.text && action == other.action
  }
}
