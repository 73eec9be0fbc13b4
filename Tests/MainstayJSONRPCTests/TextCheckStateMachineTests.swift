// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import TestSupport
import Testing

@testable import MainstayJSONRPC

@Suite struct TextCheckStateMachineTests {
  private func isText(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes(TextCheck.isText) }

  @Test func `what is a text to the standard library is one here`() {
    var random = SeededGenerator(seed: 7)
    let parts: [[UInt8]] = [
      Array("abcdefgh".utf8), Array("é".utf8), Array("語".utf8), Array("🙂".utf8), [0x80],
      [0xc0, 0xaf], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80], [0xf0, 0x80, 0x80, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xf5], [0xe2, 0x82], [0xef, 0xbb, 0xbf], [0],
    ]
    for _ in 0..<RandomDose.schedules {
      // Mostly legal, at any place of a word of eight bytes.
      let bytes = (0..<Int.random(in: 0...8, using: &random)).flatMap { _ -> [UInt8] in
        let isLegal = Int.random(in: 0..<6, using: &random) > 0
        return (isLegal ? parts.prefix(4) : parts[...]).randomElement(using: &random) ?? []
      }
      #expect(isText(bytes) == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
    }
  }

  @Test func `each single byte and each pair is judged as the standard library does`() {
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        let bytes = [first, second]
        guard isText(bytes) == (String(validating: bytes, as: UTF8.self) != nil) else {
          Issue.record("\(bytes)")
          return
        }
      }
    }
  }

  @Test func `each beginning of a long character is judged as the standard library does`() {
    let rests: [[UInt8]] = [
      [0x80], [0xbf, 0x80], [0x80, 0xbf, 0x80], [0xc0], [0x7f], [0x80, 0x7f], [0xbf, 0xc0],
    ]
    for first in UInt8(0xc0)...UInt8.max {
      for second in UInt8.min...UInt8.max {
        for rest in rests {
          let bytes = [first, second] + rest
          guard isText(bytes) == (String(validating: bytes, as: UTF8.self) != nil) else {
            Issue.record("\(bytes)")
            return
          }
        }
      }
    }
  }
}
