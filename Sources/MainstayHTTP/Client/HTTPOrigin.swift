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
  /// The address of a path below a base address.
  ///
  /// - Throws: `AppError` where there is none: nothing is sent.
  static func address(of path: HTTPPath, below base: URL) throws(AppError) -> URL {
    guard !path.isIllegal else {
      throw illegal("A path has a segment that leads elsewhere")
    }
    var text = base.absoluteString.prefix { $0 != "?" && $0 != "#" }
    while text.hasSuffix("/") { text.removeLast() }
    let separator = path.text.hasPrefix("/") || path.text.hasPrefix("?") || path.text.isEmpty
    guard let url = URL(string: text + (separator ? "" : "/") + path.text),
      HTTPOrigin(url) == HTTPOrigin(base)
    else {
      throw illegal("A path makes no address below \(base.scheme ?? "")://\(base.host ?? "")")
    }
    return url
  }

  /// An error of a request that nobody can send.
  static func illegal(_ details: String) -> AppError {
    .wire(.badAddress, wasSent: false, details: details, cause: URLError(.badURL))
  }
}
