// SPDX-License-Identifier: Apache-2.0

/// The texts that a library outside the core brings along, in all built-in languages but English.
///
/// The core cannot name the library, so the library joins, once for the process: where it makes its
/// first client or its first text. From then on every catalogue finds its texts. As in the core,
/// English stands beside the errors, and an app replaces a text by its key.
package final class TextLibrary: Sendable {
  private static let all = Locked<[TextLibrary]>([])

  /// What the keys begin with, such as `error.ogmios.`.
  private let prefix: String
  private let texts: [String: String]
  /// For each key of a shared text the key under which it is written.
  private let shared: [String: String]
  private let tables = Locked<[String: [String: String]]>([:])

  private init(_ name: String, texts: [String: String], sharing names: [String: String]) {
    let prefix = "error.\(name)."
    self.prefix = prefix
    self.texts = texts
    let pairs = names.flatMap { name, other in
      ["title", "suggestion"].map { ("\(prefix)\(name).\($0)", "\(prefix)\(other).\($0)") }
    }
    shared = Dictionary(pairs) { $1 }
  }

  /// Makes the texts of a library, which every catalogue finds from then on.
  ///
  /// - Parameters:
  ///   - name: What the codes of its errors begin with, such as `ogmios`; no other library has it.
  ///   - texts: The texts by the tags of the languages, in the form of the core's tables. Their
  ///     names are the codes without what they begin with.
  ///   - names: For each name that has its title and suggestion in common with others, the name
  ///     under which they are written; a text under a name of its own comes first.
  /// - Returns: The library.
  package static func joining(
    _ name: String, texts: [String: String], sharing names: [String: String] = [:]
  ) -> TextLibrary {
    let library = TextLibrary(name, texts: texts, sharing: names)
    all.withLock { $0.append(library) }
    return library
  }

  /// A text of this library, which has joined by then.
  package func text(_ key: String, english: LocalizableText) -> LocalizableText {
    LocalizableText(key: key, english: english)
  }

  /// The keys for which it has a wording in a language.
  package func keys(in language: String) -> Set<String> {
    Set(table(language).map { Array($0.keys) } ?? [])
  }

  /// The keys under which a text is looked for: its own, and then the one that it shares.
  package static func keys(for key: String) -> [String] {
    [key] + [library(of: key)?.shared[key]].compactMap(\.self)
  }

  /// The wording of the library whose key it is.
  static func wording(_ key: String, _ language: String) -> String? {
    library(of: key)?.table(language)?[key]
  }

  private static func library(of key: String) -> TextLibrary? {
    all.withLock { $0 }.first { key.hasPrefix($0.prefix) }
  }

  /// The table of a language, which is read when somebody first asks for it.
  private func table(_ language: String) -> [String: String]? {
    if let table = tables.withLock({ $0[language] }) { return table }
    guard let text = texts[language] else { return nil }
    let table = BuiltInTexts.parsed(text, under: prefix)
    tables.withLock { $0[language] = table }
    return table
  }
}
