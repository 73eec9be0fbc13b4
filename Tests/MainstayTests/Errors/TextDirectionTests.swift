// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import Testing

@Suite struct TextDirectionTests {
  private let english = Locale(identifier: "en")
  private let hebrew = "\u{5E1}\u{5E4}\u{5E8}"
  private let arabic = "\u{643}\u{62A}\u{627}\u{628}"

  @Test func `a word that is written the other way turns nothing round`() {
    let text: LocalizableText = "“\(hebrew)”, \(3) copies"
    #expect(text.string(in: english) == "“\u{2068}\(hebrew)\u{2069}”, 3 copies")
    #expect(text.description == "“\(hebrew)”, 3 copies", "what is logged stays as it is")
    let plain: LocalizableText = "“\("Dune")”, \(3) copies"
    #expect(plain.string(in: english) == "“Dune”, 3 copies")
    let accented: LocalizableText = "“\("Émile – 3/4")” is there"
    #expect(accented.string(in: english) == "“Émile – 3/4” is there")
  }

  @Test func `in a wording from right to left it is the others that are kept together`() {
    let title = LocalizableText(verbatim: arabic + " ")
    #expect(title.string(in: english) == arabic + " ", "a text without arguments is as it is")
    let arabicReader = Locale(identifier: "ar")
    let line: LocalizableText = "\(arabic): \("+1 555 0100")"
    #expect(line.string(in: arabicReader) == "\(arabic): \u{2068}+1 555 0100\u{2069}")
    #expect(line.string(in: english) == "\u{2068}\(arabic)\u{2069}: +1 555 0100")
  }
}
