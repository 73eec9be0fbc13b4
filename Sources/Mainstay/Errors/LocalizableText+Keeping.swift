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
      // Words with somebody's data in them are somebody's data.
      let isPrivate = holdsPrivateText
      return isPrivate
        ? LocalizableText(key: nil, pattern: "{0}", arguments: [.text(words)])
        : LocalizableText(verbatim: words)
    }
    return kept
  }

  /// The English as reports have it: a mark in place of each text that is not public.
  ///
  /// Numbers, dates and spans of time stay. Public texts are still to be redacted.
  var reported: String {
    // Most texts are their own pattern; a brace in it may be a doubled one.
    let hasBraces = pattern.utf8.contains { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }
    guard hasBraces else { return pattern }
    return Self.filled(pattern) { place in
      arguments.indices.contains(place) ? arguments[place].reported : nil
    }
  }

  private var holdsPrivateText: Bool {
    arguments.contains { argument in
      switch argument {
      case .text: true
      case .localized(let text): text.holdsPrivateText
      case .publicText, .integer, .number, .duration, .date: false
      }
    }
  }

  /// About how many bytes it has.
  private var size: Int {
    arguments.reduce((key?.utf8.count ?? 0) + pattern.utf8.count) { sum, argument in
      switch argument {
      case .text(let text), .publicText(let text): sum + text.utf8.count
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
    case .publicText(let text): .publicText(BoundedText.redacted(text, to: limit))
    case .localized(let text): .localized(text.kept(upTo: limit))
    case .integer, .number, .duration, .date: self
    }
  }

  fileprivate var reported: String {
    switch self {
    case .text: "<private>"
    case .localized(let text): text.reported
    case .publicText, .integer, .number, .duration, .date: english
    }
  }
}
