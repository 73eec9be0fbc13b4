// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import Testing

/// That types go into JSON and come back without losing a digit.
@Suite struct JSONValueCodingTests {
  private struct Account: Codable, Equatable {
    struct Entry: Codable, Equatable {
      var amount: UInt64
      var rate: Decimal
      var note: String?
    }

    enum State: String, Codable { case open, closed }

    var state: State
    var entries: [Entry]
    var names: [String: Bool]
    var balance: Int128
    var ratio: Double
    var opened: Date
    var link: URL?
    var seal: Data
    var rest: JSONValue
  }

  private let account = Account(
    state: .open,
    entries: [
      Account.Entry(amount: .max, rate: Decimal(sign: .plus, exponent: -2, significand: 105)),
      Account.Entry(amount: 1, rate: 0, note: "a"),
    ],
    names: ["b": true], balance: -10_012_092_782_934_149_947, ratio: 0.1,
    opened: Date(timeIntervalSince1970: 1_700_000_000.5), link: URL(string: "https://example.com"),
    seal: Data([0, 255]), rest: .array([.null, .number(.init(7))]))

  @Test func `a type comes back as it was, with every digit`() throws {
    let value = try JSONValue(encoding: account)
    #expect(value["entries"]?.array?[0]["amount"]?.unsigned == .max)
    #expect(value["entries"]?.array?[0]["rate"]?.wholeDigits == nil)
    #expect(value["balance"]?.wholeDigits == "-10012092782934149947")
    #expect(value["opened"]?.string == "2023-11-14T22:13:20.500Z")
    #expect(value["entries"]?.array?[0].object?.count == 2)
    let read = try JSONValue(reading: value.encoded)
    #expect(read == value)
    #expect(try read.decode(as: Account.self) == account)
  }

  @Test func `an error names the place and the type`() throws {
    func message<T: Decodable>(_ text: String, as type: T.Type) throws -> String {
      let value = try JSONValue(reading: Data(text.utf8))
      let error = try #require(throws: JSONValue.ReadingError.self) {
        _ = try value.decode(as: type)
      }
      return error.description
    }
    #expect(try message(#"[1,"a"]"#, as: [Int].self) == "/1: expected Int")
    #expect(try message("[300]", as: [UInt8].self) == "/0: expected UInt8")
    #expect(try message("[1.5]", as: [Int].self) == "/0: expected Int")
    #expect(try message(#"{"amount":1}"#, as: Account.Entry.self) == "/rate: expected a member")
    #expect(try message("[null]", as: [String].self) == "/0: expected String")
    #expect(try message("1", as: [String].self) == "the document: expected an array")
    #expect(try message(#"["x"]"#, as: [Account.State].self).hasPrefix("/0: expected "))
  }

  @Test func `whole numbers may be written in any way`() throws {
    let value = try JSONValue(reading: Data("[1.0,1e3]".utf8))
    #expect(try value.decode(as: [Int].self) == [1, 1_000])
  }

  @Test func `what has no end, and what is no number, is refused`() {
    struct Endless: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(self)
      }
    }
    #expect(throws: EncodingError.self) { _ = try JSONValue(encoding: Endless()) }
    #expect(throws: EncodingError.self) { _ = try JSONValue(encoding: [Double.nan]) }
    #expect(throws: EncodingError.self) { _ = try JSONValue(encoding: [Float.infinity]) }
  }

  @Test func `classes write into one object`() throws {
    class Animal: Encodable {
      let legs = 4
      enum Keys: String, CodingKey { case legs }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(legs, forKey: .legs)
      }
    }
    final class Dog: Animal {
      enum DogKeys: String, CodingKey { case name }
      override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: DogKeys.self)
        try container.encode("Rex", forKey: .name)
      }
    }
    let value = try JSONValue(encoding: Dog())
    #expect(value == .object(["legs": .integer(4), "name": .string("Rex")]))
  }

  @Test func `Foundation's coders take values too`() throws {
    let text = #"{"a":[1,18446744073709551615,null,true,"x",1.5]}"#
    let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    #expect(try value == JSONValue(reading: Data(text.utf8)))
    let back = try JSONEncoder().encode(value)
    #expect(JSONValue(json: back) == value)
  }
}
