// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

struct WordyFault: Error, CustomStringConvertible {
  let description: String
}

private struct Record: Codable, Equatable {
  var fingerprint: Fingerprint
}

@Suite struct FingerprintTextTests {
  /// Values that a release has used: when one of these fails, every group of every user moves.
  static let golden: [(error: any Error, text: String)] = [
    (CartError.empty, "1-6c39f18f885b873477e4096db3d1a0ed"),
    (CartError.full(limit: 9), "1-d098a545af30de6ddd70c19f87482e18"),
    (AppError.offline(), "1-097f29a6c4af0e0da5974be202990915"),
    (NSError(domain: "Shop", code: 7), "1-18004883e469aec77df4e0ca3b8e1e1c"),
    (
      NSError(domain: "Shop", code: 7, userInfo: [NSUnderlyingErrorKey: CartError.empty]),
      "1-045d53da2c7eed3841bd86a2eb688526"
    ),
    (
      WordyFault(description: "row 5 of 1,234 is bad"),
      "1-fe820bec0bd497fd9b24b2b10a568d3c"
    ),
    (AppError.validation("Row \(5) is bad."), "1-97f7804ee11d834047f390d015351ca5"),
    (AppError.jsonRPC(code: -32_603, isRepeatable: true), "1-72c4a3d8491d248b9b3b0678ead234e3"),
    (AppError.jsonRPC(code: 3_117), "1-0c4d13d33bdf1913c9dea98f1c39b9e6"),
    (CancellationError(), "1-00000000000000000000000000000000"),
  ]

  @Test(.requirement("B41"), arguments: golden.indices)
  func `the value of a release never changes`(_ index: Int) {
    let (error, text) = Self.golden[index]
    #expect(Fingerprint(of: error).description == text)
  }

  @Test func `keys and messages have values of their own`() {
    #expect(Fingerprint(key: "checkout").description == "1-ca2050cd6d123ec5fb55398553b31773")
    #expect(
      Fingerprint(message: "disk is slow").description == "1-187d45d2a633aea4e5cb70429ff79daa")
    #expect(Fingerprint(key: "checkout") != Fingerprint(message: "checkout"))
  }

  @Test func `it is read from its text`() throws {
    let fingerprint = Fingerprint(of: CartError.empty)
    #expect(Fingerprint(fingerprint.description) == fingerprint)
    let record = Record(fingerprint: fingerprint)
    let data = try JSONEncoder().encode(record)
    #expect(String(decoding: data, as: UTF8.self) == "{\"fingerprint\":\"\(fingerprint)\"}")
    #expect(try JSONDecoder().decode(Record.self, from: data) == record)
    let old = try #require(Fingerprint("7-" + fingerprint.description.dropFirst(2)))
    #expect(old.version == 7)
    #expect(old != fingerprint)
  }

  @Test(arguments: [
    "", "1", "1-", "-1-00112233445566778899aabbccddeeff", "0-00112233445566778899aabbccddeeff",
    "01-00112233445566778899aabbccddeeff", "1-00112233445566778899aabbccddeef",
    "1-00112233445566778899aabbccddeeff0", "1-00112233445566778899AABBCCDDEEFF",
    "1-+0112233445566778899aabbccddeeff", "1-00112233445566778899aabbccddeeff-",
    "99999999999999999999-00112233445566778899aabbccddeeff", "1-００112233445566778899aabbccdd",
  ])
  func `what is no fingerprint is refused`(_ text: String) throws {
    #expect(Fingerprint(text) == nil)
    let data = try JSONEncoder().encode(["fingerprint": text])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Record.self, from: data) }
  }
}
