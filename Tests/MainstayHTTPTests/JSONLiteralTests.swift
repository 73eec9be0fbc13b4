// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayHTTP
import Testing

@Suite struct JSONLiteralTests {
  @Test func `a value of JSON is written as a literal, and shown as its document`() {
    let value: JSONValue = ["b": [1, true, "x", .null], "a": [:], "n": -7]
    #expect(
      value
        == .object([
          "b": .array([.integer(1), .bool(true), .string("x"), .null]), "a": .object([:]),
          "n": .integer(-7),
        ]))
    #expect("\(value)" == #"{"a":{},"b":[1,true,"x",null],"n":-7}"#)
    #expect(JSONValue(json: Data(value.description.utf8)) == value)
  }

  @Test func `of members with one name the last counts`() {
    let value: JSONValue = ["a": 1, "a": 2]
    #expect(value == .object(["a": .integer(2)]))
  }

  @Test func `no parameters are none, and not a null`() {
    let none: JSONValue? = nil
    #expect(none == nil && none != .null)
  }
}
