// SPDX-License-Identifier: Apache-2.0

/// The method of a request of HTTP, such as `GET`.
///
/// Source: RFC 9110, section 9.
public struct HTTPVerb: Sendable, Hashable {
  /// The method as it is sent.
  public let rawValue: String

  /// Asks for what an address names.
  public static let get = HTTPVerb(known: "GET")
  /// Asks for what an address names, without its content.
  public static let head = HTTPVerb(known: "HEAD")
  /// Hands something over to be worked on.
  public static let post = HTTPVerb(known: "POST")
  /// Puts something in place of what an address names.
  public static let put = HTTPVerb(known: "PUT")
  /// Changes what an address names.
  public static let patch = HTTPVerb(known: "PATCH")
  /// Removes what an address names.
  public static let delete = HTTPVerb(known: "DELETE")
  /// Asks what may be done.
  public static let options = HTTPVerb(known: "OPTIONS")

  /// Makes a method of text; nil for what is none.
  ///
  /// - Parameter text: 1 to 32 letters, digits or signs of a token of RFC 9110. Case matters there,
  ///   so it is kept.
  public init?(_ text: String) {
    guard (1...32).contains(text.utf8.count), text.utf8.allSatisfy(HTTPHeaderFields.isTokenByte)
    else { return nil }
    rawValue = text
  }

  private init(known text: String) { rawValue = text }

  /// Whether a request asks and changes nothing (RFC 9110, section 9.2.1; QUERY too).
  public var isSafe: Bool {
    switch rawValue {
    case "GET", "HEAD", "OPTIONS", "TRACE", "QUERY": true
    default: false
    }
  }

  /// Whether a request has the same effect sent twice as sent once (RFC 9110, section 9.2.2).
  public var isIdempotent: Bool {
    switch rawValue {
    case "PUT", "DELETE": true
    default: isSafe
    }
  }
}

extension HTTPVerb: LosslessStringConvertible {
  /// The method as it is sent.
  public var description: String { rawValue }
}
