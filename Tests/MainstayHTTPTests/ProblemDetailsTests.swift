// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import TestSupport
import Testing

@Suite struct ProblemDetailsTests {
  private func problem(_ text: String) throws -> ProblemDetails {
    try #require(ProblemDetails(json: Data(text.utf8)))
  }

  @Test(.requirement("E14")) func `a document is read with all that it says`() throws {
    let problem = try problem(
      """
      {"type": "https://example.com/probs/out-of-credit", "title": "Not enough credit",
       "status": 403, "detail": "Your balance is 30, but that costs 50.",
       "instance": "/account/12345/msgs/abc", "balance": 30,
       "accounts": ["/account/12345", "/account/67890"]}
      """)
    #expect(problem.type == "https://example.com/probs/out-of-credit")
    #expect(problem.title == "Not enough credit")
    #expect(problem.status == 403)
    #expect(problem.detail == "Your balance is 30, but that costs 50.")
    #expect(problem.instance == "/account/12345/msgs/abc")
    #expect(problem.extensions["balance"] == .integer(30))
    #expect(
      problem.extensions["accounts"]
        == .array([.string("/account/12345"), .string("/account/67890")]))
  }

  @Test func `a member of a wrong type counts as not there, and is written again`() throws {
    let text = """
      {"detail":["a"],"instance":null,"status":"403","title":7,"type":{"a":true},"x":1.50}
      """
    let problem = try problem(text)
    #expect(problem.type == "about:blank")
    #expect(problem.title == nil && problem.status == nil && problem.detail == nil)
    #expect(problem.instance == nil)
    #expect(String(decoding: problem.encoded, as: UTF8.self) == text)
  }

  @Test func `a status that is none counts as not there`() throws {
    for status in ["99", "600", "403.5", "-1", "99999999999999999999"] {
      let problem = try problem(#"{"status":\#(status)}"#)
      #expect(problem.status == nil)
      #expect(String(decoding: problem.encoded, as: UTF8.self) == #"{"status":\#(status)}"#)
    }
  }

  @Test func `nothing is lost when it is written again, not even of large numbers`() throws {
    let text = """
      {"a":[1,{"b":null},true,"\\u0000é\\n\\"/"],"big":123456789012345678901234567890.10,\
      "e":1E+400}
      """
    let again = try problem(text).encoded
    let read = try #require(ProblemDetails(json: again))
    #expect(try problem(text) == read)
    #expect(read.encoded == again)
    #expect(
      read.extensions["big"]
        == .number(try #require(JSONValue.Number("123456789012345678901234567890.10"))))
    #expect(String(decoding: again, as: UTF8.self) == text)
  }

  @Test func `what a server says can be changed`() throws {
    var problem = try problem(#"{"title":3,"status":404}"#)
    problem.title = "Gone"
    problem.status = 410
    #expect(String(decoding: problem.encoded, as: UTF8.self) == #"{"status":410,"title":"Gone"}"#)
    problem.fieldErrors = [.init(pointer: "/a~1b", detail: "no")]
    #expect(
      String(decoding: problem.encoded, as: UTF8.self) == """
        {"errors":[{"detail":"no","pointer":"/a~1b"}],"status":410,"title":"Gone"}
        """)
    problem.fieldErrors = []
    #expect(problem.extensions.isEmpty)
  }

  @Test(.requirement("E14"))
  func `errors of fields are found by both forms of pointer, and what has none is left`() throws {
    let problem = try problem(
      """
      {"errors": [
        {"pointer": "/barcode", "detail": "The check digit is wrong."},
        {"pointer": "#/profile/first%20name", "title": "It is too long."},
        {"pointer": "barcode", "detail": "no slash"}, {"pointer": "#/a%zz", "detail": "bad"},
        {"pointer": 3, "detail": "x"}, {"detail": "x"}, {"pointer": "/a", "detail": " "}, 7, null,
        {"pointer": "/a~2", "detail": "x"}
      ]}
      """)
    #expect(
      problem.fieldErrors == [
        .init(pointer: "/barcode", detail: "The check digit is wrong."),
        .init(pointer: "/profile/first name", detail: "It is too long."),
      ])
    #expect(problem.extensions["errors"]?.array?.count == 10)
    #expect(try self.problem(#"{"errors":{"a":1}}"#).fieldErrors.isEmpty)
  }

  @Test func `at most a hundred errors of fields are read`() throws {
    let errors = Array(repeating: #"{"pointer":"/a","detail":"b"}"#, count: 500)
    let problem = try problem(#"{"errors":[\#(errors.joined(separator: ","))]}"#)
    #expect(problem.fieldErrors.count == 100)
  }

  @Test(arguments: [
    "", " ", "null", "7", "[]", "\"a\"", "{", "{\"a\":}", "{\"a\":1,}", "{'a':1}", "{\"a\":01}",
    "{\"a\":1.}", "{\"a\":.5}", "{\"a\":+1}", "{\"a\":NaN}", "{\"a\":1}x", "{\"a\":\"\u{1}\"}",
    "{\"a\":\"\\x\"}", "{\"a\":\"\\u12\"}", "{\"a\":\"", "{\"a\":tru}", "{1:2}", "<html></html>",
  ])
  func `what is no object is no problem`(_ text: String) {
    #expect(ProblemDetails(json: Data(text.utf8)) == nil)
  }
}

@Suite struct JSONValueTests {
  @Test func `depth and length have bounds, and beyond them nothing traps`() {
    func nested(_ depth: Int) -> Data {
      Data(
        (String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    #expect(JSONValue(json: nested(64)) != nil)
    #expect(JSONValue(json: nested(65)) == nil)
    #expect(JSONValue(json: nested(10_000)) == nil)
    #expect(JSONValue(json: Data(String(repeating: "[", count: 500_000).utf8)) == nil)
    #expect(JSONValue(json: Data(repeating: 0x20, count: 1_000_001)) == nil)
    let digits = String(repeating: "9", count: 1_000)
    #expect(JSONValue(json: Data(digits.utf8)) != nil)
    #expect(JSONValue(json: Data((digits + "9").utf8)) == nil)
    #expect(JSONValue.Number(digits + "9") == nil)
  }

  @Test func `bytes that are not valid UTF-8 are replaced, and half a pair as well`() {
    #expect(JSONValue(json: Data([0x22, 0xff, 0x61, 0x22])) == .string("\u{fffd}a"))
    #expect(JSONValue(json: Data(#""\ud83d\ude00""#.utf8)) == .string("😀"))
    #expect(JSONValue(json: Data(#""\ud83dx\ude00""#.utf8)) == .string("\u{fffd}x\u{fffd}"))
    #expect(JSONValue(json: Data(#""\ud83d\u0041""#.utf8)) == .string("\u{fffd}A"))
  }

  @Test func `a number says what it is as far as 64 bits go`() throws {
    #expect(JSONValue.Number(-7).integer == -7)
    #expect(JSONValue.Number("1e3")?.integer == nil)
    #expect(JSONValue.Number("1e3")?.double == 1_000)
    #expect(JSONValue.Number("1e400")?.double == nil)
    #expect(JSONValue.Number("9223372036854775808")?.integer == nil)
    for text in ["", "-", "1 ", "01", "0x1", "1_0", "inf", "1e"] {
      #expect(JSONValue.Number(text) == nil, "\(text)")
    }
  }

  @Test func `random documents are the same after writing and reading`() throws {
    var random = SplitMix64(seed: 11)
    for _ in 0..<RandomDose.cases {
      let value = Self.random(&random, depth: 0)
      #expect(JSONValue(json: value.encoded) == value)
    }
  }

  @Test func `random bytes are read or refused, and nothing traps`() {
    var random = SplitMix64(seed: 12)
    let alphabet = Array(#"{}[]",:\u0123456789eE+-.truefalsn "#.utf8) + [0xff, 0x00, 0xc3]
    for _ in 0..<RandomDose.cases * 20 {
      let count = Int.random(in: 0...40, using: &random)
      let bytes = (0..<count).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
      }
      guard let value = JSONValue(json: Data(bytes)) else { continue }
      #expect(JSONValue(json: value.encoded) == value)
    }
  }

  private static func random(_ random: inout SplitMix64, depth: Int) -> JSONValue {
    switch Int.random(in: 0..<(depth > 4 ? 4 : 6), using: &random) {
    case 0: .null
    case 1: .bool(.random(using: &random))
    case 2: .integer(.random(in: .min ... .max, using: &random))
    case 3: .string(text(&random))
    case 4:
      .array(
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
          Self.random(&random, depth: depth + 1)
        })
    default:
      .object(
        Dictionary(
          (0..<Int.random(in: 0...4, using: &random)).map { _ in
            (text(&random), Self.random(&random, depth: depth + 1))
          }, uniquingKeysWith: { $1 }))
    }
  }

  private static func text(_ random: inout SplitMix64) -> String {
    let scalars = (0..<Int.random(in: 0...6, using: &random)).compactMap { _ in
      Unicode.Scalar(UInt32.random(in: 0...0x2ff, using: &random))
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
