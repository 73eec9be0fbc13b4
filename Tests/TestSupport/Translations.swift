// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// What the translations of a library have to be, beside what a lint of texts finds.
public enum Translations {
  /// The languages in which everything is there, besides English.
  public static let languages = TextCatalog.standard.languages.filter { $0 != "en" }

  /// What is wrong with the wordings of texts in one language.
  ///
  /// Each text has a wording that can be read, with the places of the English one. It is not the
  /// English itself, and two texts that differ in English differ here too.
  ///
  /// - Parameters:
  ///   - texts: All texts with a key.
  ///   - language: The tag of the language.
  ///   - same: Why the text with this key is the same in all languages.
  /// - Returns: What is wrong, in words; empty where nothing is.
  public static func problems(
    of texts: [LocalizableText], in language: String, sameAsEnglish same: [String: String] = [:]
  ) -> [String] {
    var problems: [String] = []
    var english: [String: String] = [:]
    for text in texts {
      guard let key = text.key else {
        problems.append("without a key: \(text.pattern)")
        continue
      }
      guard let wording = TextCatalog.standard.pattern(for: key, language: language) else {
        problems.append("\(key) is not translated")
        continue
      }
      if !PlainText.hasVisibleCharacters(wording) { problems.append("\(key) is blank") }
      if LocalizableText.places(in: wording) != LocalizableText.places(in: text.pattern) {
        problems.append("\(key) has other places than in English")
      }
      if wording == text.pattern, same[key] == nil {
        problems.append("\(key) is the English wording")
      }
      let part = key.split(separator: ".").last ?? ""
      if let other = english.updateValue(text.pattern, forKey: "\(part): \(wording)"),
        other != text.pattern
      {
        problems.append("\(key) reads like another text, “\(other)”")
      }
    }
    return problems
  }
}
