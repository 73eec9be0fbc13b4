// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// What is known of how a browser reaches the dashboard.
///
/// Whoever writes `X-Forwarded-Proto` changes nothing but the answer to that request, and a page of
/// another site cannot write it: so it is believed, whoever the other side is. Over a connection
/// without TLS a browser heeds neither a `Secure` cookie nor `Strict-Transport-Security`.
struct Transport: Sendable {
  /// Names that always lead to the machine itself.
  static let loopbackNames: Set<String> = ["localhost", "127.0.0.1", "[::1]"]

  private static let forwarded = HTTPField.Name("X-Forwarded-Proto")

  /// Whether all come over TLS, whatever a request says.
  let isAlwaysSecure: Bool

  /// Whether a request was sent over TLS, to this process or to a proxy before it.
  func isSecure(_ head: HTTPRequest) -> Bool {
    if isAlwaysSecure || head.scheme?.lowercased() == "https" { return true }
    // Of a list, the first was written by the proxy that the browser spoke to.
    let said = Self.forwarded.flatMap { head.headerFields[$0] }?.split(separator: ",").first
    return said?.filter { $0 != " " }.lowercased() == "https"
  }

  /// Whether a browser is asked to come over TLS alone from now on.
  ///
  /// Never on a name of the machine itself: there it would hold for every other program on it, too.
  func asksForTLS(_ head: HTTPRequest) -> Bool {
    guard isSecure(head), let host = Self.host(of: head) else { return false }
    return !Self.loopbackNames.contains(host)
  }

  /// The name that a request was sent to, without its port.
  static func host(of head: HTTPRequest) -> String? {
    guard let text = head.authority?.lowercased() else { return nil }
    guard let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") else { return text }
    return String(text[..<colon])
  }
}
