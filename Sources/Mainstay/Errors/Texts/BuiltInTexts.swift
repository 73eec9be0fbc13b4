// SPDX-License-Identifier: Apache-2.0

/// The translations of all texts that Mainstay brings along; English stands beside the errors.
enum BuiltInTexts {
  /// The tables by language; each is read when somebody first asks for it.
  static func table(_ language: String) -> [String: String]? {
    switch language {
    case "de": germanTable
    case "es": spanishTable
    case "fr": frenchTable
    case "ja": japaneseTable
    case "zh-Hans": simplifiedChineseTable
    default: nil
    }
  }

  static let languages = ["de", "es", "fr", "ja", "zh-Hans"]

  private static let germanTable = parsed(german, germanScreens)
  private static let spanishTable = parsed(spanish, spanishScreens)
  private static let frenchTable = parsed(french, frenchScreens)
  private static let japaneseTable = parsed(japanese, japaneseScreens)
  private static let simplifiedChineseTable = parsed(simplifiedChinese, simplifiedChineseScreens)

  /// The wording for a key in a language: that of the core, else that of a library which has it.
  static func wording(_ key: String, _ language: String) -> String? {
    table(language)?[key] ?? TextLibrary.wording(key, language)
  }

  /// Reads a table that is written as a few texts, which compiles faster than a dictionary.
  ///
  /// `name = …` is the title of an error, `> …` its message, `! …` its suggestion; `@name …` is the
  /// title of an action.
  static func parsed(_ texts: String...) -> [String: String] {
    parsed(texts.joined(separator: "\n"), under: "error.")
  }

  /// Reads a table whose keys all begin alike, but for those of actions.
  static func parsed(_ text: String, under prefix: String) -> [String: String] {
    var table: [String: String] = [:]
    var name: Substring = ""
    for line in text.split(separator: "\n") {
      let rest = line.dropFirst(2)
      switch line.first {
      case ">": table["\(prefix)\(name).message"] = String(rest)
      case "!": table["\(prefix)\(name).suggestion"] = String(rest)
      case "@":
        let parts = line.dropFirst().split(separator: " ", maxSplits: 1)
        if let id = parts.first, let title = parts.last { table["action.\(id)"] = String(title) }
      default:
        let parts = line.split(separator: " ", maxSplits: 2)
        name = parts.first ?? ""
        if parts.count == 3 { table["\(prefix)\(name).title"] = String(parts[2]) }
      }
    }
    return table
  }
}
