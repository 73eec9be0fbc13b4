// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import TestSupport
import Testing

/// That JSON is read whole or refused, says where, and keeps its digits.
@Suite struct JSONReadingTests {
  private func refusal(
    _ text: String, limits: JSONValue.Limits = JSONValue.Limits()
  ) -> String? {
    refusal(of: Data(text.utf8), limits: limits)
  }

  private func refusal(of data: Data, limits: JSONValue.Limits = JSONValue.Limits()) -> String? {
    do throws(JSONValue.ReadingError) {
      _ = try JSONValue(reading: data, limits: limits)
      return nil
    } catch {
      return error.description
    }
  }

  @Test(.requirement("D5")) func `an error says where, and what was expected there`() throws {
    #expect(refusal("") == "the document (byte 0): expected a value")
    #expect(refusal(#"{"a":[1,{"b":}]}"#) == "/a/1/b (byte 13): expected a value")
    #expect(refusal(#"{"a":[1 2]}"#) == "/a/1 (byte 8): expected a comma or ]")
    #expect(refusal(#"{"a" 1}"#) == "/a (byte 5): expected a colon")
    #expect(refusal("[1] x") == "the document (byte 4): expected the end of the document")
    #expect(
      refusal("\"a\u{1}\"") == "the document (byte 2): expected a text without control characters")
    #expect(refusal(#""a"#) == "the document (byte 2): expected the end of a text")
    #expect(refusal(#"{"a":1,}"#) == "/a (byte 7): expected the name of a member")
    let error = try #require(throws: JSONValue.ReadingError.self) {
      _ = try JSONValue(reading: Data("[tru]".utf8))
    }
    #expect(error.appError.kind == .decoding)
    #expect(error.pointer == "/0")
    #expect(error.offset == 1)
  }

  @Test func `depth uses up nothing, however much of it there is`() throws {
    let limits = JSONValue.Limits(depth: 512)
    for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
      let inside = open == "[" ? "" : "1"
      for depth in [10_000, 1_000_000] {
        let text = String(repeating: open, count: depth) + inside
        let whole = text + String(repeating: close, count: depth)
        #expect(refusal(whole, limits: .init(bytes: .max, depth: 512))?.contains("levels") == true)
        #expect(refusal(text, limits: .init(bytes: .max))?.contains("64 levels") == true)
      }
      let legal =
        String(repeating: open, count: 512) + inside + String(repeating: close, count: 512)
      let value = try JSONValue(reading: Data(legal.utf8), limits: limits)
      #expect(value.encoded == Data(legal.utf8))
      #expect(try value == JSONValue(reading: Data(legal.utf8), limits: limits))
      #expect(Set([value, value]).count == 1)
    }
  }

  @Test func `a value made by hand may be deep, and is written without the stack`() {
    var value = JSONValue.null
    for _ in 0..<10_000 { value = .array([value]) }
    #expect(value.encoded.count == 20_004)
    // Freed a level at a time, as no reader makes one that is so deep.
    while case .array(let elements) = value, let first = elements.first { value = first }
    #expect(value == .null)
  }

  @Test func `limits are kept, and cut to what is legal`() {
    #expect(
      refusal("[1234]", limits: .init(bytes: 5))
        == "the document (byte 0): expected at most 5 bytes")
    #expect(refusal("[12345]", limits: .init(digits: 4)) == "/0 (byte 6): expected a value")
    #expect(refusal("[[1]]", limits: .init(depth: 1)) == "/0 (byte 1): expected at most 1 levels")
    let cut = JSONValue.Limits(bytes: -1, depth: 9_999, digits: 0)
    #expect(cut == JSONValue.Limits(bytes: 0, depth: 512, digits: 1))
  }

  @Test func `bytes that are no text are repaired or refused`() throws {
    let data = Data([0x22, 0x61, 0xff, 0x62, 0x22])
    #expect(JSONValue(json: data) == .string("a\u{fffd}b"))
    let refusal = refusal(of: data, limits: .init(repairsText: false))
    #expect(refusal == "the document (byte 4): expected UTF-8")
  }

  @Test func `numbers keep their digits, and whole ones are known as such`() throws {
    let text = "[-10012092782934149947,18446744073709551615,1.50,1e400]"
    let value = try JSONValue(reading: Data(text.utf8))
    #expect(value.encoded == Data(text.utf8))
    #expect(value.array?[1].unsigned == .max)
    #expect(value.array?[0].integer == nil)
    #expect(value.array?[0].wholeDigits == "-10012092782934149947")
    #expect(value.array?[2].double == 1.5)
    #expect(value.array?[3].double == nil)
    for (text, digits) in [
      "1.0": "1", "1e3": "1000", "-12.50e1": "-125", "0e999999999999": "0", "-0.0": "0",
      "100e-2": "1",
    ] { #expect(JSONValue.Number(text)?.wholeDigits == digits, "\(text)") }
    for text in ["1.5", "1e-1", "1e99999999999999999999", "1e2000", "1e-9223372036854775808"] {
      let number = try #require(JSONValue.Number(text))
      #expect(number.wholeDigits == nil, "\(text)")
    }
  }
}
