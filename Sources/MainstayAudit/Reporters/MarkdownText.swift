// SPDX-License-Identifier: Apache-2.0

extension String {
  /// A text as Markdown, in which code between backticks stays code and nothing else has a meaning.
  var markdown: String {
    let parts = split(separator: "`", omittingEmptySubsequences: false)
    // An odd backtick begins no code.
    guard parts.count % 2 == 1 else { return markdownEscaped }
    return parts.enumerated().map { place, part in
      place % 2 == 0 ? String(part).markdownEscaped : String(part).markdownCode
    }.joined()
  }

  /// The text in a cell of a table.
  var markdownCell: String { markdown.replacing("|", with: "\\|") }

  private var markdownEscaped: String {
    String(terminalSafe.flatMap { "\\`*_[]<>#&~".contains($0) ? ["\\", $0] : [$0] as [Character] })
  }

  /// The text as code, between as many backticks as it needs.
  var markdownCode: String {
    guard !isEmpty else { return "" }
    let text = terminalSafe
    guard text.contains("`") else { return "`\(text)`" }
    let fence = String(repeating: "`", count: text.longestRun(of: "`") + 1)
    return "\(fence) \(text) \(fence)"
  }

  /// The text as a block of code of a language.
  func markdownBlock(_ language: String) -> String {
    let fence = String(repeating: "`", count: max(3, longestRun(of: "`") + 1))
    return "\(fence)\(language)\n\(self)\n\(fence)"
  }

  private func longestRun(of character: Character) -> Int {
    var longest = 0
    var run = 0
    for each in self {
      run = each == character ? run + 1 : 0
      longest = max(longest, run)
    }
    return longest
  }

  /// A path as a URI has it: what is neither a letter, a digit nor one of `-._~/` goes as `%20`.
  var percentEncoded: String {
    utf8.map { byte in
      let scalar = Unicode.Scalar(byte)
      let isPlain =
        scalar.isASCII
        && (scalar.properties.isAlphabetic || "0123456789-._~/".unicodeScalars.contains(scalar))
      let digits = String(byte, radix: 16, uppercase: true)
      return isPlain ? String(scalar) : "%" + (byte < 16 ? "0" : "") + digits
    }.joined()
  }
}
