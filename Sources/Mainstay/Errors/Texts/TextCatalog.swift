// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Translations of texts for people, by key and language.
///
/// Every text that Mainstay brings along is there in English, German, Spanish, French, Japanese and
/// Simplified Chinese. An app adds its own texts and languages, and replaces any built-in text by
/// its key, such as `error.network.offline.title`:
///
/// ```swift
/// TextCatalog.bootstrap(
///   .standard.adding(["error.network.offline.title": "Kein Netz"], language: "de"))
/// ```
///
/// A text is looked for by closure first, the newest closure first. Then it is looked for in the
/// reader's language: with script and region, with the script, with the region, and in the language
/// alone. English comes last. In all of these but English a text of the app comes before a built-in
/// one, so that `zh-CN` or `zh` replaces what is built in as `zh-Hans`. Where nothing is found the
/// English wording beside the error is shown, never the key. A translation that is blank, or that
/// names an argument which is not there, counts as not found.
///
/// A text that holds a number may have a wording for each ``PluralCategory`` of a language, under
/// its key and the name of the category, such as `shop.files.title.few`.
public struct TextCatalog: Sendable {
  /// Finds the wording for a key in a locale, with `{0}`, `{1}`, … where the arguments go; nil, or
  /// the key itself, where there is none.
  public typealias Lookup = @Sendable (_ key: String, _ locale: Locale) -> String?

  private var tables: [String: [String: String]] = [:]
  private var lookups: [Lookup] = []

  /// The catalogue with the built-in texts alone.
  public static let standard = TextCatalog()

  /// The languages in which there are texts, by their tags, sorted.
  public var languages: [String] {
    Set(["en"] + BuiltInTexts.languages + tables.keys).sorted()
  }

  /// The languages in which the app has texts of its own, and English, by their tags, sorted.
  ///
  /// Which languages a closure knows, nobody can tell.
  package var ownLanguages: [String] { Set(["en"] + tables.keys).sorted() }

  /// This catalogue with texts added.
  ///
  /// - Parameters:
  ///   - texts: The wordings by key; one that is there already is replaced.
  ///   - language: The tag of the language, such as `de`, `pt-BR` or `zh-Hant`; spelling with
  ///     underscores and other case is understood.
  /// - Returns: This catalogue and the texts.
  public func adding(_ texts: [String: String], language: String) -> TextCatalog {
    var copy = self
    copy.tables[LanguageTag(language).text, default: [:]].merge(texts) { $1 }
    return copy
  }

  /// This catalogue with a closure that is asked before everything else, such as one that looks
  /// into a bundle of Apple's.
  ///
  /// - Parameter lookup: Finds the wording for a key in a locale.
  /// - Returns: This catalogue and the closure.
  public func adding(lookup: @escaping Lookup) -> TextCatalog {
    var copy = self
    copy.lookups.insert(lookup, at: 0)
    return copy
  }

  /// The wording for a key, with places for its arguments; nil where no language has one.
  ///
  /// - Parameters:
  ///   - key: The key, such as `error.network.offline.title`.
  ///   - locale: The reader's locale.
  /// - Returns: The wording in the nearest language.
  public func pattern(for key: String, in locale: Locale) -> String? {
    pattern(for: key, .any, in: locale) { _ in true }
  }

  /// The wording for a key in one language, without falling back to another one.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - language: The tag of the language, such as `de` or `zh-Hans`.
  /// - Returns: The wording; nil where the language has none, and for built-in English, which
  ///   stands beside the errors.
  public func pattern(for key: String, language: String) -> String? {
    let tag = LanguageTag(language).text
    let locale = Locale(identifier: tag)
    let keys = TextLibrary.keys(for: key)
    // Closures first, as where a text is read.
    return looked(for: keys, .any, in: locale) { _ in true }
      ?? written(for: keys, .any, in: [tag]) { _ in true }
  }

  /// The wording for a key that readers of a language get in it or in the language that it belongs
  /// to, such as German for `de-CH`; nil where they get English instead.
  package func pattern(for key: String, nearest language: String) -> String? {
    let tag = LanguageTag(language)
    let languages = tag.fallbacks.filter { $0 != "en" || tag.isEnglish }
    let keys = TextLibrary.keys(for: key)
    let locales = languages.lazy.map { Locale(identifier: $0) }
    return locales.compactMap { looked(for: keys, .any, in: $0) { _ in true } }.first
      ?? written(for: keys, .any, in: languages) { _ in true }
  }

  /// Which of the wordings of a text is looked for.
  enum Form {
    /// Its only one.
    case plain
    /// The one for a number.
    case number(PluralOperands)
    /// Its only one, or the one for most numbers.
    case any

    /// The keys under which it may stand in a language, the best first.
    fileprivate func keys(_ key: String, in language: String) -> [String] {
      switch self {
      case .plain: return [key]
      case .any: return [key, "\(key).other"]
      case .number(let number):
        let category = PluralRules.category(of: number, in: language)
        let rest = ["\(key).other", key]
        return category == .other ? rest : ["\(key).\(category.rawValue)"] + rest
      }
    }
  }

  /// The first wording that is acceptable.
  func pattern(
    for key: String, _ form: Form, in locale: Locale, where isAcceptable: (String) -> Bool
  ) -> String? {
    let keys = TextLibrary.keys(for: key)
    func isTaken(_ wording: String) -> Bool { Self.isReadable(wording) && isAcceptable(wording) }
    if let found = looked(for: keys, form, in: locale, where: isTaken) { return found }
    let languages = LanguageTag(locale.identifier).fallbacks
    return written(for: keys, form, in: languages.dropLast(), where: isTaken)
      ?? written(for: keys, form, in: languages.suffix(1), where: isTaken)
  }

  /// The first wording that stands in a table and is acceptable: for each key the app's own, in the
  /// nearest language that has one, and then a built-in one.
  private func written(
    for keys: [String], _ form: Form, in languages: some Collection<String>,
    where isAcceptable: (String) -> Bool
  ) -> String? {
    for key in keys {
      for language in languages {
        guard let table = tables[language] else { continue }
        // The form that this language has for the number, whatever the reader's would have.
        for name in form.keys(key, in: language) {
          if let found = table[name], isAcceptable(found) { return found }
        }
      }
      for language in languages {
        for name in form.keys(key, in: language) {
          if let found = BuiltInTexts.wording(name, language), isAcceptable(found) { return found }
        }
      }
    }
    return nil
  }

  /// The first wording of a closure that is acceptable.
  private func looked(
    for keys: [String], _ form: Form, in locale: Locale, where isAcceptable: (String) -> Bool
  ) -> String? {
    guard !lookups.isEmpty, !Self.isLookingUp else { return nil }
    let names = keys.flatMap { form.keys($0, in: locale.identifier) }
    return Self.$isLookingUp.withValue(true) {
      for lookup in lookups {
        for name in names {
          if let found = lookup(name, locale), found != name, isAcceptable(found) { return found }
        }
      }
      return nil
    }
  }

  private static func isReadable(_ text: String) -> Bool { PlainText.hasVisibleCharacters(text) }

  /// A closure that itself asks for a text is not asked again.
  @TaskLocal private static var isLookingUp = false
}

/// The tag of a language, in the spelling of BCP 47.
package struct LanguageTag {
  private let language: String
  private let script: String?
  private let region: String?

  /// Reads a tag or the identifier of a locale; what stands after `@` or `.` does not matter.
  package init(_ identifier: String) {
    let parts = identifier.prefix(64).prefix { $0 != "@" && $0 != "." }
      .split { $0 == "-" || $0 == "_" }
    language = parts.first?.lowercased() ?? ""
    script = parts.dropFirst().first { $0.count == 4 && $0.allSatisfy(\.isLetter) }
      .map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
    region = parts.dropFirst().first {
      $0.count == 2 || ($0.count == 3 && $0.allSatisfy(\.isNumber))
    }
    .map { $0.uppercased() }
  }

  /// The tag, spelled as everybody spells it.
  var text: String { Self.joined([language, script, region]) }

  /// Whether it is English, of whatever region.
  package var isEnglish: Bool { language == "en" }

  /// The tags to look under, the nearest first; English is the last.
  package var fallbacks: [String] {
    let script = script ?? impliedScript
    let tags = [
      Self.joined([language, script, region]), Self.joined([language, script]),
      Self.joined([language, region]), language, "en",
    ]
    return tags.enumerated().filter { tags[..<$0.offset].contains($0.element) == false }
      .map(\.element)
  }

  /// Chinese is written in two scripts, and the region says in which.
  private var impliedScript: String? {
    guard language == "zh" else { return nil }
    return ["TW", "HK", "MO"].contains(region) ? "Hant" : "Hans"
  }

  private static func joined(_ parts: [String?]) -> String {
    parts.compactMap(\.self).joined(separator: "-")
  }
}
