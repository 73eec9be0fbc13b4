// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// Whom a request goes to: scheme, host and port.
///
/// Each has policies of its own. Source: RFC 6454, section 4.
public struct HTTPOrigin: Sendable, Hashable {
  /// `http` or `https`.
  public let scheme: String
  /// The host, in lower case.
  public let host: String
  /// The port, that of the scheme where the address names none.
  public let port: Int

  /// The origin of an address; nil for what is none of HTTP.
  init?(_ url: URL) {
    guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
      let host = url.host?.lowercased(), !host.isEmpty
    else { return nil }
    self.scheme = scheme
    self.host = host
    port = url.port ?? (scheme == "https" ? 443 : 80)
    guard (1...65_535).contains(port) else { return nil }
  }

  /// Whether it is the device itself.
  var isLoopback: Bool {
    let host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[].")).lowercased()
    if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
    let mapped = host.hasPrefix("::ffff:") ? String(host.dropFirst(7)) : host
    let parts = mapped.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}

extension HTTPOrigin: CustomStringConvertible {
  /// Such as `https://api.example.com`; the port where it is not that of the scheme.
  public var description: String {
    let isUsual = port == (scheme == "https" ? 443 : 80)
    let host = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    return "\(scheme)://\(host)" + (isUsual ? "" : ":\(port)")
  }
}

extension HTTPOrigin {
  /// An error of a request that nobody can send.
  static func illegal(_ details: String) -> AppError {
    .wire(.badAddress, wasSent: false, details: details, cause: URLError(.badURL))
  }
}

/// The address below which the requests of a client go, taken apart once.
struct BaseAddress: Sendable {
  /// Nil where it is no address of HTTP.
  let origin: HTTPOrigin?
  let url: URL
  /// Without query and fragment, and without a slash at its end.
  private let text: String

  init(_ url: URL) {
    origin = HTTPOrigin(url)
    self.url = url
    var text = url.absoluteString.prefix { $0 != "?" && $0 != "#" }
    while text.hasSuffix("/") { text.removeLast() }
    self.text = String(text)
  }

  /// The address of a path.
  ///
  /// It has the origin of the base: a slash or a question mark ends whatever stands before it, and
  /// a path has no sign that could begin another.
  ///
  /// - Throws: `AppError` where there is none: nothing is sent.
  func address(of path: HTTPPath) throws(AppError) -> WireAddress {
    guard !path.isIllegal else {
      throw HTTPOrigin.illegal("A path has a segment that leads elsewhere")
    }
    if path.isLink { return try address(ofLink: path.text) }
    let isSeparated =
      path.text.isEmpty || path.text.utf8.first.map { $0 == 0x2f || $0 == 0x3f } ?? true
    let whole = isSeparated ? text + path.text : text + "/" + path.text
    // Behind an address, what is legal in a path and a query makes one; a percent sign alone does
    // not.
    guard origin == nil || path.text.utf8.contains(UInt8(ascii: "%")) else {
      return WireAddress(whole, below: url)
    }
    guard let url = URL(string: whole) else {
      throw HTTPOrigin.illegal("A path makes no address")
    }
    return WireAddress(url)
  }
  /// The address of an absolute link, within the origin of the base alone: the sign-in goes along.
  ///
  /// It has the host as the base writes it: who reads addresses in another way finds no other.
  private func address(ofLink link: String) throws(AppError) -> WireAddress {
    let host = Self.host(of: link)
    // The path has encoded the brackets of an address of IPv6.
    let plain = host.replacing("%5B", with: "[").replacing("%5D", with: "]")
    guard let origin, !plain.contains("@"), let url = URL(string: plain + "/"),
      HTTPOrigin(url) == origin
    else { throw HTTPOrigin.illegal("A link leads to another origin than that of the client") }
    guard let url = URL(string: Self.host(of: text) + link.dropFirst(host.count)) else {
      throw HTTPOrigin.illegal("A link makes no address")
    }
    return WireAddress(url)
  }

  /// An address up to its path.
  private static func host(of address: String) -> String {
    let slashes = address.firstRange(of: "://")?.upperBound ?? address.startIndex
    let end = address[slashes...].firstIndex { $0 == "/" || $0 == "?" } ?? address.endIndex
    return String(address[..<end])
  }
}
