// SPDX-License-Identifier: Apache-2.0

/// A mistake in one member of a document.
package struct FieldError: Sendable, Equatable, Codable {
  /// Where, as a JSON pointer.
  package let pointer: String

  /// What is wrong, in words that follow the name of the member.
  package let detail: String

  package init(pointer: String, detail: String) {
    self.pointer = pointer
    self.detail = detail
  }
}

/// All that is wrong with the members of a document.
struct InvalidMembers: Error {
  let errors: [FieldError]
}

/// Reads the members of a JSON object and gathers what is wrong with them, instead of stopping at
/// the first mistake.
struct MemberReader {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private let container: KeyedDecodingContainer<Key>
  private var known: Set<String> = []
  private var errors: [FieldError] = []

  init(_ decoder: any Decoder) throws {
    container = try decoder.container(keyedBy: Key.self)
  }

  func isAbsent(_ name: String) -> Bool {
    (try? container.decodeNil(forKey: Key(stringValue: name))) ?? true
  }

  mutating func text(_ name: String, maximumLength: Int) -> String? {
    guard let text = value(name, String.self, "must be a text") else { return nil }
    guard text.count <= maximumLength else {
      refuse(name, "must have at most \(maximumLength) characters")
      return nil
    }
    return text
  }

  mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
    let rule = "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
    return value(name, Int.self, rule).flatMap { within(range, $0, name, rule) }
  }

  mutating func number(_ name: String, in range: ClosedRange<Double>) -> Double? {
    let rule = "must be a number from \(range.lowerBound) to \(range.upperBound)"
    return value(name, Double.self, rule).flatMap { within(range, $0, name, rule) }
  }

  mutating func flag(_ name: String) -> Bool? { value(name, Bool.self, "must be true or false") }

  mutating func seed(_ name: String) -> UInt64? {
    value(name, UInt64.self, "must be a whole number that is not negative")
  }

  mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String
  ) -> Choice? {
    let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    guard let text = value(name, String.self, "must be one of \(choices)") else { return nil }
    guard let choice = Choice(rawValue: text) else {
      refuse(name, "must be one of \(choices)")
      return nil
    }
    return choice
  }

  mutating func ignore(_ names: String...) { known.formUnion(names) }

  mutating func refuse(_ name: String, _ detail: String) {
    let escaped = name.map { $0 == "~" ? "~0" : $0 == "/" ? "~1" : String($0) }.joined()
    errors.append(FieldError(pointer: "/" + escaped, detail: detail))
  }

  /// Throws what was gathered; a member that nobody asked for is a mistake too.
  mutating func finish() throws {
    for name in container.allKeys.map(\.stringValue).sorted() where !known.contains(name) {
      refuse(name, "is not known here")
    }
    guard errors.isEmpty else { throw InvalidMembers(errors: errors) }
  }

  private mutating func value<Value: Decodable>(
    _ name: String, _ type: Value.Type, _ rule: String
  ) -> Value? {
    known.insert(name)
    guard !isAbsent(name) else { return nil }
    if let value = try? container.decode(type, forKey: Key(stringValue: name)) { return value }
    refuse(name, rule)
    return nil
  }

  private mutating func within<Value: Comparable>(
    _ range: ClosedRange<Value>, _ value: Value, _ name: String, _ rule: String
  ) -> Value? {
    guard !range.contains(value) else { return value }
    refuse(name, rule)
    return nil
  }
}
