// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

/// All that a form shows under its fields, in one place: for the top of a page, and to be read
/// aloud.
public struct FormSummary: Sendable, Equatable {
  /// One field and one thing that is wrong with it.
  public struct Line: Sendable, Equatable, Identifiable {
    /// The identity of the mistake; it stays while the mistake does.
    public var id: UUID { error.id }
    /// The place of the field, to move the focus there.
    public let field: JSONPointer
    /// What the person knows the field by.
    public let label: LocalizableText
    /// The same words that stand under the field.
    public let error: AppError

    /// The line in words: the label, what is wrong, and what to enter instead.
    public func string(in locale: Locale = .current) -> String {
      FormTexts.line(
        label.string(in: locale), error.message.string(in: locale),
        error.suggestion?.string(in: locale)
      ).string(in: locale)
    }
  }

  /// One line for each mistake, in the order of the fields; at least one.
  public let lines: [Line]

  /// How many fields need attention, in words.
  public var title: LocalizableText { FormTexts.title(of: Set(lines.map(\.field)).count) }

  /// The title and all lines, to be announced by a screen reader.
  ///
  /// - Parameter locale: The language of the reader; the default is the current one.
  /// - Returns: Sentences, one to a line.
  public func announcement(in locale: Locale = .current) -> String {
    ([title.string(in: locale)] + lines.map { $0.string(in: locale) }).joined(separator: "\n")
  }
}
