// SPDX-License-Identifier: Apache-2.0

/// Where a request goes below the base address of its client, such as `/books/1?full=yes`.
///
/// What is interpolated is data and never more than one segment or one value: of
/// `"/books/\(title)"` the title may hold slashes, question marks and spaces, and still names one
/// book. A segment that would lead to another place, `.`, `..` or an empty value, makes the path
/// illegal, and the request is not sent; a value of the query may be each of them.
///
/// Source: RFC 3986, sections 2 and 3.3.
public struct HTTPPath: Sendable, Hashable {
  /// The path as it is sent, with what must be encoded encoded.
  public let text: String

  /// Whether something in it could lead to another place.
  let isIllegal: Bool

  /// Makes a path of text that is one already, such as an absolute link that a service has sent.
  ///
  /// A relative link of an answer is about the address of that answer, and a path is below the
  /// address of the client: ask the answer for it, by ``ResilientClient/Response/path(to:)``.
  ///
  /// - Parameter text: The path, with or without the slash at its beginning, and a query. What is
  ///   not legal in an address is encoded; what is encoded stays as it is. An absolute link of HTTP
  ///   is one within the origin of the client; one to another origin is an error, and not sent.
  public init(_ text: String) {
    // A fragment of a link is for its reader.
    let link = Self.isLink(text) ? String(text.prefix { $0 != "#" }) : text
    self.text = Self.encoded(link, keeping: Self.isLegal)
    isIllegal = Self.leadsElsewhere(self.text)
  }

  init(text: String, isIllegal: Bool) {
    self.text = text
    self.isIllegal = isIllegal
  }

  /// The path with values added to its query.
  ///
  /// - Parameter values: Names and values, which may hold anything.
  /// - Returns: The path.
  public func query(_ values: KeyValuePairs<String, String>) -> HTTPPath {
    var copy = text
    for (name, value) in values {
      copy += copy.contains("?") ? "&" : "?"
      copy += Self.encoded(name, keeping: Self.isUnreserved) + "="
      copy += Self.encoded(value, keeping: Self.isUnreserved)
    }
    return HTTPPath(text: copy, isIllegal: isIllegal)
  }
}

extension HTTPPath: ExpressibleByStringInterpolation {
  /// A path as it is written, in which values are encoded.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""
    fileprivate var isIllegal = false

    /// Begins a path.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Adds what is written in the code.
    public mutating func appendLiteral(_ literal: String) {
      text += HTTPPath.encoded(literal, keeping: HTTPPath.isLegal)
    }

    /// Adds a value, of which nothing but letters, digits and `-._~` stays as it is.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      let value = value.description
      // In a query these mean nothing but themselves: an empty field is a search as well.
      if value == "." || value == ".." || value.isEmpty, !text.contains("?") { isIllegal = true }
      text += HTTPPath.encoded(value, keeping: HTTPPath.isUnreserved)
    }
  }

  /// Makes a path of text with values in it.
  public init(stringInterpolation: StringInterpolation) {
    text = stringInterpolation.text
    isIllegal = stringInterpolation.isIllegal || Self.leadsElsewhere(stringInterpolation.text)
  }

  /// Makes a path of text.
  public init(stringLiteral value: String) { self.init(value) }
}

extension HTTPPath {
  /// Whether it is a whole address; what is interpolated never makes it one, as its colon is
  /// encoded.
  var isLink: Bool { Self.isLink(text) }

  private static func isLink(_ text: String) -> Bool {
    // The longest scheme has eight bytes with what follows it.
    let beginning = String(text.prefix(8)).lowercased()
    return beginning.hasPrefix("http://") || beginning == "https://"
  }

  /// A segment that means "here" or "one up", however it is written.
  fileprivate static func leadsElsewhere(_ text: String) -> Bool {
    // By bytes: this is asked of each request, and most have neither of these.
    let (dot, percent) = (UInt8(ascii: "."), UInt8(ascii: "%"))
    guard text.withBytes({ $0.contains { $0 == dot || $0 == percent } }) else { return false }
    var dots: Int? = 0
    var bytes = text.utf8[...]
    func isEnd(_ dots: Int?) -> Bool { dots == 1 || dots == 2 }
    while let byte = bytes.popFirst() {
      switch byte {
      case UInt8(ascii: "?"), UInt8(ascii: "#"): return isEnd(dots)
      case UInt8(ascii: "/"):
        if isEnd(dots) { return true }
        dots = 0
      case UInt8(ascii: "."): dots = dots.map { $0 + 1 }
      case UInt8(ascii: "%") where isRestOfDot(bytes.prefix(2)):
        bytes = bytes.dropFirst(2)
        dots = dots.map { $0 + 1 }
      default: dots = nil
      }
    }
    return isEnd(dots)
  }

  private static func isRestOfDot(_ bytes: Substring.UTF8View) -> Bool {
    bytes.elementsEqual("2e".utf8) || bytes.elementsEqual("2E".utf8)
  }

  static func encoded(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
    if text.withBytes({ $0.allSatisfy(isKept) }) { return text }
    var result = ""
    for byte in text.utf8 {
      if isKept(byte) {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        result += "%" + String(byte >> 4, radix: 16, uppercase: true)
        result += String(byte & 15, radix: 16, uppercase: true)
      }
    }
    return result
  }

  fileprivate static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e: true
    default: false
    }
  }

  /// What may stand in a path and a query, the percent sign included; a fragment is never sent.
  static func isLegal(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x21, 0x24...0x2f, 0x3a, 0x3b, 0x3d, 0x3f, 0x40: true
    default: isUnreserved(byte) || byte == 0x25
    }
  }
}
