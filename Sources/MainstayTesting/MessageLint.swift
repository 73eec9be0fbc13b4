// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// Reads the texts of errors as an editor would, in every language that an app ships.
///
/// ```swift
/// let lint = MessageLint(languages: ["en", "de"])
/// #expect(lint.findings(in: ShopError.allCases.map(\.appError)).isEmpty)
/// ```
public struct MessageLint: Sendable {
  /// What a text breaks; the set is open.
  public struct Rule: Sendable, Hashable {
    /// The name of the rule.
    public let rawValue: String

    /// There is nothing to read.
    public static let blank = Rule(rawValue: "blank")
    /// The title says that something is wrong instead of what happened, such as "Error".
    public static let saysNothing = Rule(rawValue: "saysNothing")
    /// Two of title, message and suggestion are the same, but for capitals and the mark at the end.
    public static let identical = Rule(rawValue: "identical")
    /// A number or a name of programs stands in it, or the error's own code.
    public static let code = Rule(rawValue: "code")
    /// A word stands in it that only programmers use.
    public static let technicalWord = Rule(rawValue: "technicalWord")
    /// Something can be done, and nobody says what.
    public static let missingSuggestion = Rule(rawValue: "missingSuggestion")
    /// A language has no wording of its own, nor one of the language that it is a region of.
    public static let missingTranslation = Rule(rawValue: "missingTranslation")
    /// The places for arguments are not those of the English wording.
    public static let places = Rule(rawValue: "places")
    /// The title is longer than a line.
    public static let tooLong = Rule(rawValue: "tooLong")
    /// Spaces stand at an end, or two in a row.
    public static let spaces = Rule(rawValue: "spaces")
    /// A message or suggestion does not end a sentence, or a title does.
    public static let fullStop = Rule(rawValue: "fullStop")
    /// Quotation marks or apostrophes of typewriters stand in it.
    public static let quotes = Rule(rawValue: "quotes")
  }

  /// One text that breaks a rule.
  public struct Finding: Sendable, Hashable {
    /// The key of the text; nil where it has none.
    public let key: String?
    /// The tag of the language.
    public let language: String
    /// What it breaks.
    public let rule: Rule
    /// The text, with `{0}`, `{1}`, … where its arguments go.
    public let text: String
  }

  let languages: [String]
  let catalog: TextCatalog
  let maximumTitleWidth: Int

  /// Makes a lint.
  ///
  /// - Parameters:
  ///   - languages: The tags of the languages that the app ships; the default is English and those
  ///     in which the app has added texts to the catalogue. Name them where texts come from a
  ///     closure. A region, such as `en-GB`, may leave to its language what it says alike.
  ///   - catalog: The catalogue; the default is `TextCatalog.current`.
  ///   - maximumTitleWidth: How wide a title may be, in letters, where those of Chinese and
  ///     Japanese count as two; the default is 50.
  public init(
    languages: [String]? = nil, catalog: TextCatalog = .current, maximumTitleWidth: Int = 50
  ) {
    self.languages = languages ?? catalog.ownLanguages
    self.catalog = catalog
    self.maximumTitleWidth = maximumTitleWidth
  }

  /// What is wrong with the texts of errors and of their actions, each finding once.
  public func findings(in errors: [AppError]) -> [Finding] {
    var seen: Set<Finding> = []
    let found = errors.flatMap { error in
      languages.flatMap { findings(in: error, language: $0) }
    }
    return found.filter { seen.insert($0).inserted }
  }

  private func findings(in error: AppError, language: String) -> [Finding] {
    let title = Wording(error.title, language, catalog)
    let message = Wording(error.message, language, catalog)
    let suggestion = error.suggestion.map { Wording($0, language, catalog) }
    let actions = error.actions.map { Wording($0.title, language, catalog) }
    var findings = TextRules.title(title, maximumWidth: maximumTitleWidth)
    findings += TextRules.sentence(message)
    findings += suggestion.map(TextRules.sentence) ?? []
    for wording in [title, message] + [suggestion].compactMap(\.self) + actions {
      findings += TextRules.anyText(wording, of: error.code)
    }
    if suggestion == nil, Self.needsSuggestion(error.disposition) {
      findings.append(message.finding(.missingSuggestion))
    }
    let texts = [title, message] + [suggestion].compactMap(\.self)
    for (index, wording) in texts.enumerated()
    where texts[..<index].contains(where: { $0.comparable == wording.comparable }) {
      findings.append(wording.finding(.identical))
    }
    return findings
  }

  /// Whether somebody can do something about it.
  private static func needsSuggestion(_ disposition: Disposition) -> Bool {
    switch disposition {
    case .cancelled, .permanent: false
    case .transient, .throttled, .rejected, .needsUser, .unknownOutcome, .unclassified: true
    }
  }
}

extension MessageLint.Finding: CustomStringConvertible {
  /// Language, key, rule and text in one line.
  public var description: String {
    "\(language) \(key ?? "without key"): \(rule.rawValue): \(text)"
  }
}

/// One text in one language.
struct Wording {
  let text: LocalizableText
  let language: String
  /// The wording; English where the language has none.
  let pattern: String
  let isTranslated: Bool

  init(_ text: LocalizableText, _ language: String, _ catalog: TextCatalog) {
    self.text = text
    self.language = language
    // A region reads what is written for its language.
    let found = text.key.flatMap { catalog.pattern(for: $0, nearest: language) }
    // What was never meant to be translated, such as a server's words, is one argument alone.
    isTranslated =
      found != nil || LanguageTag(language).isEnglish || (text.key == nil && text.pattern == "{0}")
    pattern = found ?? text.pattern
  }

  /// Whether there is nothing to see, and no place for an argument.
  var isBlank: Bool {
    !PlainText.hasVisibleCharacters(words) && LocalizableText.places(in: pattern).isEmpty
  }

  /// The wording as it is compared with others: a full stop or a capital makes no other text.
  var comparable: Substring {
    // Of what was never meant to be translated only the argument says anything.
    let text = (pattern == "{0}" ? text.description : pattern).lowercased()
    let end = text.lastIndex { !$0.isWhitespace && !".!?…。！？".contains($0) }
    return end.map { text[...$0] } ?? ""
  }

  /// The wording without its arguments.
  var words: String { LocalizableText.filled(pattern) { _ in "" } }

  func finding(_ rule: MessageLint.Rule) -> MessageLint.Finding {
    MessageLint.Finding(key: text.key, language: language, rule: rule, text: pattern)
  }
}
