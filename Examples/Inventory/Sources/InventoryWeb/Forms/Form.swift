// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import InventoryCore
import Mainstay

/// The fields of a form that was sent.
///
/// https://url.spec.whatwg.org/#urlencoded-parsing
struct Form: Sendable, Equatable {
  /// How many fields a form may have.
  static let maximumFields = 100
  static let type = "application/x-www-form-urlencoded"

  /// The values by name; of a name that came twice, the last.
  private let values: [String: String]
  private let path: String

  /// Reads a form.
  ///
  /// - Parameters:
  ///   - bytes: The body.
  ///   - path: The address that it was sent to.
  /// - Throws: `AppError` with the status 400 that says what is wrong with it.
  init(_ bytes: some Collection<UInt8>, path: String) throws(AppError) {
    var values: [String: String] = [:]
    let parts = bytes.split(separator: UInt8(ascii: "&"))
    guard parts.count <= Self.maximumFields else {
      throw .badForm("It has \(parts.count) fields; at most \(Self.maximumFields) are taken.")
    }
    for part in parts {
      let pair = part.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = try Self.text(pair[0])
      let value = try pair.count > 1 ? Self.text(pair[1]) : ""
      // Browsers send each line break as two characters.
      values[name] = value.replacing("\r\n", with: "\n")
    }
    self.values = values
    self.path = path
  }

  /// The value of a field; empty where it was not sent.
  subscript(name: String) -> String { values[name] ?? "" }

  /// Whether a field was sent.
  func has(_ name: String) -> Bool { values[name] != nil }

  /// The names that were sent, sorted.
  var names: [String] { values.keys.sorted() }

  private static func text(_ bytes: some Sequence<UInt8>) throws(AppError) -> String {
    var result: [UInt8] = []
    var iterator = bytes.makeIterator()
    while let byte = iterator.next() {
      switch byte {
      case UInt8(ascii: "+"): result.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = iterator.next().flatMap(digit), let low = iterator.next().flatMap(digit)
        else { throw .badForm("A % must be followed by two hexadecimal digits.") }
        result.append(high << 4 | low)
      default: result.append(byte)
      }
    }
    guard let text = String(validating: result, as: UTF8.self) else {
      throw .badForm("The text of a field must be UTF-8.")
    }
    return text
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
  }
}

extension Form {
  /// The key under which what the form asks for is done once: made of its hidden `key`, where it
  /// was sent to, and what was typed.
  ///
  /// - Throws: `AppError` with the status 400 where `key` is none of those that pages carry.
  func idempotencyKey() throws(AppError) -> IdempotencyKey? {
    guard values["key"] != nil else { return nil }
    let key = self["key"]
    let isLegal =
      (1...64).contains(key.utf8.count)
      && key.utf8.allSatisfy { $0 == UInt8(ascii: "-") || Character(UnicodeScalar($0)).isKeyPart }
    guard isLegal else {
      throw .badForm("The hidden field key must be 1 to 64 letters, digits and hyphens.")
    }
    var fingerprint = Fingerprint(path.utf8)
    for name in names where !["page", "key", "again"].contains(name) {
      fingerprint.add(name.utf8)
      fingerprint.add(self[name].utf8)
    }
    return IdempotencyKey("form-\(key)-\(fingerprint.text)")
  }

  /// Where to go back to; the list where no page of this app is named.
  var page: LocalPage { page(or: .list) }

  func page(or other: LocalPage) -> LocalPage { LocalPage(self["page"]) ?? other }
}

extension Character {
  fileprivate var isKeyPart: Bool { isASCII && (isLetter || isNumber) }
}

extension Request {
  /// The form in the body.
  func form() async throws(AppError) -> Form {
    let type = headers[.contentType]?.split(separator: ";").first?.lowercased()
    guard type?.trimmingCharacters(in: .whitespaces) == Form.type else { throw .noForm }
    return try Form(try await bytes(), path: uri.path)
  }
}

extension AppError {
  static func badForm(_ reason: String) -> AppError {
    refused(
      "web.malformed-form", .validation, 400, "This form can’t be read", "\(reason)",
      suggestion: "Go back, load the page again, and send it once more.")
  }

  static let noForm = refused(
    "web.no-form", .validation, 415, "This is no form", "A form must be sent as \(Form.type).")
}
