// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct ErrorCodeTests {
  @Test(arguments: ["a", "network.timeout", "http.503", "a-b.c-d", "a.b.c.d", "3", "a--b", "a-"])
  func `takes a legal code`(_ text: String) {
    #expect(ErrorCode(text)?.rawValue == text)
  }

  @Test(arguments: [
    "", ".", "a.", ".a", "a..b", "-a", "a.-b", "A", "a b", "a_b", "ä", "a\n", "a\u{301}", "a/b",
    "١", String(repeating: "a", count: 129),
  ])
  func `refuses an illegal code`(_ text: String) {
    #expect(ErrorCode(text) == nil)
  }

  @Test func `the longest legal code has 128 characters`() {
    let text = String(repeating: "a", count: 128)
    #expect(ErrorCode(text) != nil)
  }

  /// FNV-1a, worked out by another program.
  @Test func `its number is the same in every process and release`() {
    #expect(ErrorCode("network.timeout").number == 1_386_577_557)
    #expect(ErrorCode("unknown").number == 1_956_076_702)
  }

  @Test func `its number is positive and fits 32 bits`() {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<2_000 {
      let text = generator.text(of: ["a", "b", "z", "0", "9", "-"], pieces: 40)
      guard let code = ErrorCode(text) else { continue }
      #expect((1...Int(Int32.max)).contains(code.number))
    }
  }

  @Test func `any text is a code or is not, and never stops the program`() {
    var generator = SeededGenerator(seed: 2)
    let pieces = ["a", "z", "0", "-", ".", "..", "A", "é", "\u{301}", "\0", "👩‍👩‍👧", "\r\n", " "]
    for _ in 0..<5_000 {
      let text = generator.text(of: pieces, pieces: 12)
      if let code = ErrorCode(text) {
        #expect(code.rawValue == text)
        #expect(text.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-.".utf8.contains($0) })
      }
    }
  }

  @Test func `an illegal literal stops the program and says what is legal`() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let code: ErrorCode = "Payments Declined"
      print(code)
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(message.contains(#"ErrorCode "Payments Declined" is not legal: 1 to 128 characters"#))
  }

  @Test func `comes back from JSON, and bad text is a decoding error`() throws {
    #expect(try throughJSON(["payments.declined" as ErrorCode]) == ["payments.declined"])
    #expect(throws: DecodingError.self) { try decode([ErrorCode].self, #"["Not Legal"]"#) }
    #expect(throws: DecodingError.self) { try decode([ErrorCode].self, "[3]") }
  }
}

@Suite struct ErrorKindTests {
  @Test func `a kind of a newer build is kept`() throws {
    let kinds = try decode([ErrorKind].self, #"["offline", "quantum"]"#)
    #expect(kinds.first == .offline)
    #expect(kinds.last?.rawValue == "quantum")
    #expect(try throughJSON(kinds) == kinds)
  }

  @Test func `an empty kind stops the program`() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      print(ErrorKind(""))
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(message.contains("ErrorKind"))
  }

  @Test func `severities are ordered and a newer one is an error`() throws {
    #expect(Severity.allCases == Severity.allCases.sorted())
    #expect(try decode([Severity].self, #"["debug", "apocalyptic"]"#) == [.debug, .error])
    #expect(try throughJSON(Severity.allCases) == Severity.allCases)
  }
}
