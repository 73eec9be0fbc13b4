// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct JSONPointerTests {
  /// RFC 6901, section 5.
  @Test(
    arguments: [
      ("", []), ("/foo", ["foo"]), ("/foo/0", ["foo", "0"]), ("/", [""]), ("/a~1b", ["a/b"]),
      ("/c%d", ["c%d"]), ("/e^f", ["e^f"]), ("/g|h", ["g|h"]), ("/i\\j", ["i\\j"]),
      ("/k\"l", ["k\"l"]), ("/ ", [" "]), ("/m~0n", ["m~n"]),
    ] as [(String, [String])])
  func `reads the examples of RFC 6901`(_ text: String, _ tokens: [String]) {
    let pointer = JSONPointer(text)
    #expect(pointer?.tokens == tokens)
    #expect(pointer?.description == text)
  }

  @Test(arguments: ["a", "a/b", "~", "/~", "/~2", "/a~", "/~\u{301}0", " /a", "#/a"])
  func `refuses what is no pointer`(_ text: String) {
    #expect(JSONPointer(text) == nil)
  }

  @Test func `takes a tilde and a one in the right order`() {
    #expect(JSONPointer(String("/~01"))?.tokens == ["~1"])
    #expect(JSONPointer(tokens: ["~1", "/"]).description == "/~01/~1")
  }

  @Test func `an accent after a slash or a tilde stays with the name`() {
    #expect(JSONPointer(String("/\u{301}a"))?.tokens == ["\u{301}a"])
    #expect(JSONPointer(tokens: ["~\u{301}", "/\u{301}"]).description == "/~0\u{301}/~1\u{301}")
  }

  @Test func `any names come back`() {
    var generator = SeededGenerator(seed: 3)
    let pieces = ["~", "/", "0", "1", "~0", "a", "\u{301}", "👩‍👧", "", "\r\n", "{", "\0"]
    for _ in 0..<3_000 {
      let tokens = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
        generator.text(of: pieces, pieces: 6)
      }
      #expect(JSONPointer(JSONPointer(tokens: tokens).description)?.tokens == tokens)
    }
  }

  @Test func `any text is a pointer or is not, and never stops the program`() {
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<3_000 {
      let text = generator.text(of: ["~", "/", "0", "1", "2", "a", "\u{301}", " "], pieces: 10)
      if let pointer = JSONPointer(text) { #expect(pointer.description == text) }
    }
  }

  @Test func `an illegal literal stops the program and says what is legal`() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let pointer: JSONPointer = "barcode"
      print(pointer)
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(message.contains(#"JSONPointer "barcode" is not legal"#))
    #expect(message.contains("RFC 6901"))
  }

  @Test func `comes back from JSON, and bad text is a decoding error`() throws {
    #expect(try throughJSON(["/a~1b/0" as JSONPointer]) == ["/a~1b/0"])
    #expect(throws: DecodingError.self) { try decode([JSONPointer].self, #"["barcode"]"#) }
  }
}
