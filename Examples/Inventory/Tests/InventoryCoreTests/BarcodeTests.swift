// SPDX-License-Identifier: Apache-2.0

import InventoryCore
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct BarcodeTests {
  struct Line: Sendable, CustomTestStringConvertible {
    let text: String
    let digits: String
    var kind = ItemKind.book

    var testDescription: String { text }
  }

  static let legal: [Line] = [
    Line(text: "9780141439518", digits: "9780141439518"),
    Line(text: "978-0-14-143951-8", digits: "9780141439518"),
    Line(text: " 978 0141439518\n", digits: "9780141439518"),
    Line(text: "978‐0‑14–143951—8", digits: "9780141439518"),
    Line(text: "0141439513", digits: "9780141439518"),
    Line(text: "0-14-143951-3", digits: "9780141439518"),
    Line(text: "080442957X", digits: "9780804429573"),
    Line(text: "080442957x", digits: "9780804429573"),
    Line(text: "9799000000011", digits: "9799000000011"),
    Line(text: "4006381333931", digits: "4006381333931", kind: .product),
    Line(text: "036000291452", digits: "036000291452", kind: .product),
    Line(text: "0036000291452", digits: "0036000291452", kind: .product),
    Line(text: "9790060115615", digits: "9790060115615", kind: .product),
  ]

  @Test(arguments: legal) func `legal codes are brought to digits`(_ line: Line) throws {
    let barcode = try Barcode(line.text)
    #expect(barcode.digits == line.digits)
    #expect(barcode.kind == line.kind)
    #expect(try Barcode(barcode.digits) == barcode)
  }

  static let illegal: [(text: String, says: String)] = [
    ("", "empty"), (" - ", "empty"), ("abc", "“a” is no digit"), ("978014143951", "last digit"),
    ("9780141439519", "The last digit is 9, but 8 would fit"),
    ("0141439514", "The last digit is 4, but 3 would fit"),
    ("0804429570", "The last digit is 0, but X would fit"),
    ("036000291453", "The last digit is 3, but 2 would fit"),
    ("97801414395188", "It has 14 digits"), ("1", "It has 1 digits"),
    ("978014143951X", "“X” is no digit"), ("X141439513", "“X” is no digit"),
    ("٩٧٨٠١٤١٤٣٩٥١٨", "is no digit"), ("978014143951\u{0}", "is no digit"),
    ("⑨780141439518", "is no digit"),
  ]

  @Test(arguments: illegal.indices)
  func `anything else is refused with the reason and what is legal`(_ index: Int) throws {
    let (text, says) = Self.illegal[index]
    let error = try #require(throws: AppError.self) { try Barcode(text) }
    #expect(error.field == "/barcode")
    #expect(error.kind == .validation && error.disposition == .permanent)
    #expect(error.message.description.contains(says))
    #expect(error.message.description.contains("13 digits (EAN-13, ISBN-13)"))
  }

  @Test func `one wrong digit is always found, and so is every text without harm`() throws {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<RandomDose.cases {
      let body = (0..<12).map { _ in Int.random(in: 0...9, using: &generator) }
      let legal = (0...9).filter { digit in
        (try? Barcode((body + [digit]).map(String.init).joined())) != nil
      }
      #expect(legal.count == 1)
      let good = body + legal
      let place = Int.random(in: 0..<13, using: &generator)
      var bad = good
      bad[place] = (bad[place] + Int.random(in: 1...9, using: &generator)) % 10
      #expect((try? Barcode(bad.map(String.init).joined())) == nil)
      let noise = String(
        (0..<Int.random(in: 0...20, using: &generator)).map { _ in
          Character(Unicode.Scalar(UInt8.random(in: 0...255, using: &generator)))
        })
      _ = try? Barcode(noise)
    }
  }
}
