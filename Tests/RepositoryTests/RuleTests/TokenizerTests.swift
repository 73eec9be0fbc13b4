// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import Testing

@Suite struct TokenizerTests {
  private func words(_ text: String) -> [String] {
    planted("a.swift", text).tokens.filter(\.isWord).map(\.text)
  }

  @Test func `comments are no code`() {
    #expect(words("a // b\nc /* d /* e */ f */ g /// h") == ["a", "c", "g"])
  }

  @Test func `texts are no code, whatever their form`() {
    #expect(words(##"a "b { \" c" d #"e " \ f"# g"##) == ["a", "d", "g"])
    #expect(words("a \"\"\"\n b \" c \"\" }\n \"\"\" d") == ["a", "d"])
    #expect(words("a \"\"\"\r\n b \" c \"\" }\r\n \"\"\" d") == ["a", "d"])
    #expect(words("a #\"\"\"\n \\(b) \"\"\" c\n \"\"\"# d") == ["a", "d"])
    #expect(words("a #\"\"\"# b #\"\"\"\"c\"\"# d") == ["a", "b", "d"])
  }

  @Test func `code in an interpolation is code`() {
    #expect(words(#"a "b \(c(d, "e \(f) g")) h" i"#) == ["a", "c", "d", "f", "i"])
    #expect(words(##"a #"b \(c) \#(d) e"# f"##) == ["a", "d", "f"])
  }

  @Test func `a text without an end stops at the end of the line`() {
    #expect(words("a \"b\nc") == ["a", "c"])
  }

  @Test func `a regex is no code and a division is`() {
    #expect(words("let a = /b\"{/\nc") == ["let", "a", "c"])
    #expect(words("a #/b \" {/# c") == ["a", "c"])
    #expect(words("a / b / c; (d)/e/f") == ["a", "b", "c", "d", "e", "f"])
  }

  @Test func `a raw identifier is one word`() {
    #expect(words("func `says \"no\" // twice`() { a }") == ["func", "says \"no\" // twice", "a"])
  }

  @Test func `a token knows its line`() {
    let file = planted("a.swift", "a\n\"\"\"\nb\n\"\"\"\nc")
    #expect(file.tokens.map { file.line(at: $0.offset) } == [1, 5])
  }
}
