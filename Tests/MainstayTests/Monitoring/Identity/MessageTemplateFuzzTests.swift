// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite(.requirement("B41")) struct MessageTemplateFuzzTests {
  /// Pieces out of which messages are put together; many are cut in the middle of something.
  static let pieces = [
    " ", "  ", "\n", "\t", "-", "+", "=", ":", "::", "/", "\\", ".", ",", "_", "@", "\"", "'", "(",
    ")", "[", "]", "{", "}", "<", ">", "%", "#", "~", "$", "é", "日", "٣", "１", "٫", "\u{301}",
    "Optional(", "Optional", "true", "false", "5", "42", "007", "1,234", "4,150,908", "1.5", "1e5",
    "0x1f", "0x", "deadbeef", "9f86d081884c7d65", "e3b0c44", "utf", "utf-8", "sha256", "x86_64",
    "order12345", "k9Mtd2gDcgG", "Fee::add()", "fe80::1", "10.0.0.1", "255.255.255.255", "1.2.3",
    "http", "http://", "tcp://h:1/x?y=1", "a@b.de", "ada", "example.com", "com.example.shop",
    "v1.2.3",
    "/usr/lib/x.so", "C:\\a\\b.txt", "Sources/A/B.swift", "~/x", "2026-11-22", "03:04:05", "T", "Z",
    "Nov", "Mon,", "22", "PM", "ms", "s", "h", "MB", "<int>", "<uuid>", "<", "\"key\":",
    "eyJhbGciOiJI",
    "550e8400-e29b-41d4-a716-446655440000", "550e8400-", "1-5759e988-bd862e3fe1be46a994272793",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "aa:bb:cc:dd:ee:ff", "the", "x",
  ]

  @Test func `the template of a template is itself, whatever the message is`() {
    for seed in 0..<RandomDose.schedules {
      var random = SeededGenerator(seed: seed)
      var message = ""
      for _ in 0..<Int.random(in: 1...14, using: &random) {
        message += Self.pieces.randomElement(using: &random) ?? ""
      }
      let once = MessageTemplate(message).description
      let twice = MessageTemplate(once).description
      #expect(once == twice, "seed \(seed): \(message.debugDescription)")
    }
  }

  @Test func `bytes that are no text make a template of bounded length`() {
    for seed in 0..<RandomDose.schedules / 10 {
      var random = SeededGenerator(seed: seed)
      let count = Int.random(in: 0...6000, using: &random)
      let ceiling: UInt8 = seed % 2 == 0 ? 127 : 255
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...ceiling, using: &random) }
      let once = MessageTemplate(utf8: bytes)
      #expect(once.description.utf8.count <= 1024)
      #expect(MessageTemplate(once.description).description.utf8.count <= 1024)
    }
  }

  @Test(arguments: ["a", "7", "é", " ", "\n", "1.", "a/", "a.b@", "ab ", "0x1 ", "::", "="])
  func `ten megabytes cost no more than their beginning`(_ piece: String) {
    let message = String(repeating: piece, count: 10_000_000 / piece.utf8.count)
    #expect(MessageTemplate(message).description.utf8.count <= 1024)
  }

  @Test func `a long message is cut at a gap`() {
    let words = Array(repeating: "alpha", count: 400).joined(separator: " ")
    let once = MessageTemplate(words).description
    #expect(once.utf8.count <= 1024 && once.utf8.count > 1000)
    #expect(once.hasSuffix(" alpha"))
    #expect(MessageTemplate(once).description == once)
  }
}
