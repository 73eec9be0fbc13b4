// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// Reads the members of a document one by one, and collects what is wrong with them.
struct FieldReader {
  private var members: [String: JSONValue]
  private var errors: [FieldError] = []
  private let known: [String]
  private let parent: JSONPointer

  /// - Throws: `AppError.validation` where the bytes are no JSON object.
  init(_ data: Data, known: [String]) throws(AppError) {
    guard let value = try? JSONDecoder().decode(JSONValue.self, from: data),
      case .object(let members) = value
    else {
      throw .validation(
        "The body must be a JSON object.", field: "", code: "inventory.malformed-json")
    }
    self.init(members, known: known)
  }

  init(_ members: [String: JSONValue], known: [String], parent: JSONPointer = "") {
    self.members = members
    self.known = known
    self.parent = parent
  }

  func has(_ name: String) -> Bool { members[name] != nil }

  mutating func refuse(_ name: String, _ detail: String) {
    errors.append(FieldError(JSONPointer(tokens: parent.tokens + [name]), detail))
  }

  /// A text that must not be blank.
  mutating func title(_ name: String = "title") -> String? {
    guard let text = text(name, maximumLength: 500) else {
      if case .null? = members[name] { refuse(name, "The title must not be empty.") }
      return nil
    }
    guard !text.isEmpty else {
      refuse(name, "The title must not be empty.")
      return nil
    }
    return text
  }

  /// A text without blanks around it; nil where it is absent or `null`.
  mutating func text(_ name: String, maximumLength: Int) -> String? {
    switch members[name] {
    case nil, .null: return nil
    case .string(let text):
      let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
      guard trimmed.unicodeScalars.count <= maximumLength, !trimmed.utf8.contains(0) else {
        refuse(name, "At most \(maximumLength) characters are taken, and no zero character.")
        return nil
      }
      return trimmed
    default:
      refuse(name, "This must be a text.")
      return nil
    }
  }

  /// A text, or nil where it is empty.
  mutating func optionalText(_ name: String, maximumLength: Int) -> String? {
    text(name, maximumLength: maximumLength).flatMap { $0.isEmpty ? nil : $0 }
  }

  mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
    switch members[name] {
    case nil, .null: return nil
    case .integer(let value) where range.contains(value): return value
    default:
      refuse(
        name, "This must be a whole number from \(range.lowerBound) to \(range.upperBound).")
      return nil
    }
  }

  func isNull(_ name: String) -> Bool { members[name] == .null }

  func object(_ name: String) -> [String: JSONValue]? {
    if case .object(let members)? = members[name] { members } else { nil }
  }

  /// - Throws: `AppError.validation` with everything that is wrong.
  mutating func finish() throws(AppError) {
    for name in members.keys.sorted() where !known.contains(name) {
      refuse(name, "This is not known; legal are \(known.joined(separator: ", ")).")
    }
    guard errors.isEmpty else { throw FieldErrors(errors: errors).appError }
  }
}
