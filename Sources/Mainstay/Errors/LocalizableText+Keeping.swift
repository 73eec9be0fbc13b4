// SPDX-License-Identifier: Apache-2.0

extension LocalizableText {
  /// The text as it is kept: without anybody's data, and of at most so many bytes.
  ///
  /// It stays translatable where what was put into its wording can be redacted by itself, and where
  /// it is no longer than that; else its English is kept, redacted and cut.
  package func kept(upTo limit: Int) -> LocalizableText {
    let words = BoundedText.redacted(description, to: limit)
    let kept = LocalizableText(
      key: key, pattern: pattern, arguments: arguments.map { $0.kept(upTo: limit) })
    guard kept.size <= limit, kept.description == words else {
      return LocalizableText(verbatim: words)
    }
    return kept
  }

  /// About how many bytes it has.
  private var size: Int {
    arguments.reduce((key?.utf8.count ?? 0) + pattern.utf8.count) { sum, argument in
      switch argument {
      case .text(let text): sum + text.utf8.count
      case .localized(let text): sum + text.size
      case .integer, .number, .duration, .date: sum + 16
      }
    }
  }
}

extension LocalizableText.Argument {
  fileprivate func kept(upTo limit: Int) -> LocalizableText.Argument {
    switch self {
    case .text(let text): .text(BoundedText.redacted(text, to: limit))
    case .localized(let text): .localized(text.kept(upTo: limit))
    case .integer, .number, .duration, .date: self
    }
  }
}
