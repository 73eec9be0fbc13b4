// SPDX-License-Identifier: Apache-2.0

/// The header fields of a request or of an answer, in their order.
///
/// Case does not matter in names. Several fields of one name are read as one value, joined by
/// commas, and each can be had by ``values(of:)``. Source: RFC 9110, section 5.
public struct HTTPHeaderFields: Sendable, Hashable {
  /// One field.
  public struct Field: Sendable, Hashable {
    /// The name, as it was written.
    public let name: String
    /// The value.
    public let value: String

    /// Makes a field.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// All fields, in order.
  public private(set) var all: [Field]

  /// Makes fields.
  public init(_ fields: [Field] = []) { all = fields }

  /// Makes fields of a dictionary, in the order of their names.
  public init(_ fields: [String: String]) {
    all = fields.sorted { $0.key < $1.key }.map { Field($0.key, $0.value) }
  }

  /// The value of a field; nil where there is none.
  ///
  /// Several of one name are joined by commas. Setting puts one field in place of all of that name,
  /// and nil removes them.
  public subscript(name: String) -> String? {
    get {
      var found: String?
      for field in all where Self.isEqual(field.name, name) {
        found = found.map { $0 + ", " + field.value } ?? field.value
      }
      return found
    }
    set {
      guard let newValue else {
        all.removeAll { Self.isEqual($0.name, name) }
        return
      }
      guard let first = all.firstIndex(where: { Self.isEqual($0.name, name) }) else {
        all.append(Field(name, newValue))
        return
      }
      all[first] = Field(name, newValue)
      var index = all.count - 1
      while index > first {
        if Self.isEqual(all[index].name, name) { all.remove(at: index) }
        index -= 1
      }
    }
  }

  /// The values of all fields of one name, in order.
  public func values(of name: String) -> [String] {
    all.filter { Self.isEqual($0.name, name) }.map(\.value)
  }

  /// Of what type the body is, such as `application/json`: `Content-Type` in lower case and without
  /// its parameters, such as the character set; nil where there is no such field.
  public var mediaType: String? { self["content-type"].map(HTTPFields.mediaType) }

  /// Whether there is a field of this name.
  public func contains(_ name: String) -> Bool {
    all.contains { Self.isEqual($0.name, name) }
  }

  /// Adds a field, and leaves others of that name as they are.
  public mutating func append(_ name: String, _ value: String) {
    all.append(Field(name, value))
  }

  /// Puts fields in the place of those with the same names.
  public mutating func merge(_ others: HTTPHeaderFields) {
    if others.all.isEmpty { return }
    all.removeAll { others.contains($0.name) }
    all += others.all
  }
}

extension HTTPHeaderFields: ExpressibleByDictionaryLiteral {
  /// Makes fields in the order in which they are written.
  public init(dictionaryLiteral elements: (String, String)...) {
    all = elements.map { Field($0.0, $0.1) }
  }
}

extension HTTPHeaderFields {
  /// Takes out what is about the body of a change, or the version that it is made to.
  ///
  /// The question that it goes on as has no body, and is about another resource (RFC 9110, section
  /// 15.4).
  mutating func removeThoseOfChange() {
    all.removeAll { field in
      let name = field.name.lowercased()
      return name.hasPrefix("content-") || Self.conditions.contains(name)
    }
  }

  /// Without those that make an answer depend on what its asker has already.
  var withoutConditions: HTTPHeaderFields {
    HTTPHeaderFields(all.filter { !Self.conditions.contains($0.name.lowercased()) })
  }

  private static let conditions: Set<String> = [
    "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range",
  ]

  /// By name in lower case, as far as they are read by name.
  package var byName: [String: String] {
    Dictionary(all.map { ($0.name.lowercased(), $0.value) }) { $0 + ", " + $1 }
  }

  /// Whether the body is a page for people.
  var isPage: Bool { isOfType("text/html") || isOfType("application/xhtml+xml") }

  /// Whether the body is a problem document.
  var isProblem: Bool { isOfType(ProblemDetails.contentType) }

  private func isOfType(_ media: String) -> Bool {
    guard let type = self["content-type"] else { return false }
    return type.withBytes { bytes in
      let own = bytes.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
      return media.withBytes { Self.isEqual(UnsafeBufferPointer(rebasing: own), $0) }
    }
  }

  /// How many bytes of a body there will be; nil where nobody knows, as with one that is unpacked.
  package var contentLength: Int? {
    guard let text = self["content-length"], !contains("content-encoding") else { return nil }
    return Int(text).flatMap { $0 < 0 ? nil : $0 }
  }

  /// The first name that is no token, or whose value could end the field: it must not be sent.
  package var firstIllegalName: String? {
    all.first { field in
      field.name.isEmpty || !field.name.withBytes { $0.allSatisfy(Self.isTokenByte) }
        || field.value.withBytes { $0.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7f } }
    }?.name
  }

  /// Whether a byte may stand in a token (RFC 9110, section 5.6.2).
  package static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
    case 0x21, 0x23...0x27, 0x2a, 0x2b, 0x2d, 0x2e, 0x5e, 0x5f, 0x60, 0x7c, 0x7e: true
    default: false
    }
  }

  /// This is asked several times in each request.
  private static func isEqual(_ one: String, _ other: String) -> Bool {
    guard one.utf8.count == other.utf8.count else { return false }
    return one.withBytes { one in other.withBytes { isEqual(one, $0) } }
  }

  private static func isEqual(
    _ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard one.count == other.count else { return false }
    for index in one.indices where one[index] != other[index] {
      guard lowered(one[index]) == lowered(other[index]) else { return false }
    }
    return true
  }

  private static func lowered(_ byte: UInt8) -> UInt8 {
    (0x41...0x5a).contains(byte) ? byte | 0x20 : byte
  }
}

extension String {
  /// Reads the bytes where they lie; one by one, each costs as much as several of these.
  func withBytes<T>(_ body: (UnsafeBufferPointer<UInt8>) throws -> T) rethrows -> T {
    // A text of Objective-C has none in one place, and is copied first.
    if let result = try utf8.withContiguousStorageIfAvailable(body) { return result }
    return try Array(utf8).withUnsafeBufferPointer(body)
  }
}
