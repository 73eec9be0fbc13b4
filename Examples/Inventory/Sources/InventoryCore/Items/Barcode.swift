// SPDX-License-Identifier: Apache-2.0

package import Mainstay

/// A barcode whose check digit is right.
///
/// Taken are EAN-13, ISBN-13, ISBN-10 and UPC-A, with spaces and hyphens anywhere. ISBN-10 becomes
/// ISBN-13, so one book has one number; the others stay as they are.
///
/// Source: ISO 2108 (ISBN), ISO/IEC 15420 (EAN and UPC).
package struct Barcode: Sendable, Hashable {
  /// The digits alone: 13, or 12 of a UPC-A.
  package let digits: String

  /// Reads a barcode that was scanned or typed.
  ///
  /// - Throws: `AppError.validation` about `/barcode` that says what is wrong and what is legal.
  package init(_ text: String) throws(AppError) {
    let symbols = text.unicodeScalars.filter { !Self.isSeparator($0) }.map(Character.init)
    guard !symbols.isEmpty else { throw .barcode("The barcode is empty.") }
    let isOld = symbols.count == 10
    let body = isOld && "Xx".contains(symbols[9]) ? symbols[..<9] : symbols[...]
    guard let wrong = body.first(where: { !$0.isASCII || !$0.isNumber }) else {
      digits = try isOld ? Self.isbn13(of: symbols) : Self.checked(symbols)
      return
    }
    throw .barcode("“\(String(wrong))” is no digit.")
  }

  /// Whether it is the number of a book: 978 or 979, but for 979-0, which is sheet music.
  package var isISBN: Bool {
    digits.count == 13 && !digits.hasPrefix("9790")
      && (digits.hasPrefix("978") || digits.hasPrefix("979"))
  }

  /// What it is the number of.
  package var kind: ItemKind { isISBN ? .book : .product }

  private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "-" || ("\u{2010}"..."\u{2015}").contains(scalar) || scalar == "\u{2212}"
      || scalar.properties.isWhitespace
  }

  private static func checked(_ symbols: [Character]) throws(AppError) -> String {
    guard symbols.count == 12 || symbols.count == 13 else {
      throw .barcode("It has \(symbols.count) digits.")
    }
    let values = symbols.compactMap(\.wholeNumberValue)
    let expected = checkDigit(values.dropLast())
    guard values.last == expected else {
      throw .wrongCheckDigit(String(symbols.suffix(1)), expected: String(expected))
    }
    return String(symbols)
  }

  /// The last digit of an EAN-13 or UPC-A: weights 3 and 1 from the right.
  private static func checkDigit(_ values: some BidirectionalCollection<Int>) -> Int {
    let sum = values.reversed().enumerated().reduce(0) { sum, value in
      sum + value.element * (value.offset.isMultiple(of: 2) ? 3 : 1)
    }
    return (10 - sum % 10) % 10
  }

  private static func isbn13(of symbols: [Character]) throws(AppError) -> String {
    let values = symbols.dropLast().compactMap(\.wholeNumberValue)
    let sum = values.enumerated().reduce(0) { $0 + $1.element * (10 - $1.offset) }
    let expected = (11 - sum % 11) % 11
    let last = symbols.last?.wholeNumberValue ?? 10
    guard last == expected else {
      throw .wrongCheckDigit(
        String(symbols.suffix(1)), expected: expected == 10 ? "X" : String(expected))
    }
    let body = "978" + String(symbols.dropLast())
    return body + String(checkDigit(body.compactMap(\.wholeNumberValue)))
  }
}

extension AppError {
  fileprivate static func barcode(_ what: String) -> AppError {
    .validation(
      "\(what) Legal are 13 digits (EAN-13, ISBN-13), 12 (UPC-A) or 10 (ISBN-10).",
      suggestion: "Scan it again, or type the digits below the bars.", field: "/barcode",
      code: "inventory.barcode")
  }

  fileprivate static func wrongCheckDigit(_ found: String, expected: String) -> AppError {
    .barcode("The last digit is \(found), but \(expected) would fit the others.")
  }
}
