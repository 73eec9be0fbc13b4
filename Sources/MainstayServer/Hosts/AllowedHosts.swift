// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import Mainstay
import NIOCore

/// The names by which a service may be called.
///
/// Any site can have a name of its own lead to a machine that its visitor can reach, such as their
/// own (DNS rebinding). Its page is then of the same origin as the service there, and reads and
/// writes as the visitor may; only the name in the request tells. A service to which nobody signs
/// in needs this, and one on loopback most of all.
///
/// It knows no framework; ``HostMiddleware`` adapts it to Hummingbird.
public struct AllowedHosts: Sendable, Hashable {
  private let names: Set<String>

  /// Names what is allowed beside `localhost` and every IP address, which no site can have for a
  /// name.
  ///
  /// - Parameter names: The names, in capitals or not; a port is not heeded. None by default.
  public init(_ names: Set<String> = []) {
    self.names = Set(names.map(Self.name(of:))).union(["localhost"]).subtracting([""])
  }

  /// Lets a request pass that was sent to one of the names.
  ///
  /// - Parameter request: The head of the request.
  /// - Throws: `AppError` of the kind `denied`, answered with 403, for another name and for none.
  public func check(_ request: HTTPRequest) throws(AppError) {
    guard let authority = request.authority else { throw .unknownHost }
    let name = Self.name(of: authority)
    guard names.contains(name) || Self.isAddress(name) else { throw .unknownHost }
  }

  /// The name without its port, in small letters.
  private static func name(of authority: String) -> String {
    let text = authority.lowercased()
    guard let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") else { return text }
    return String(text[..<colon])
  }

  private static func isAddress(_ name: String) -> Bool {
    let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
    let text = isBracketed ? String(name.dropFirst().dropLast()) : name
    // Of version 6, and of no other, where it stands in brackets.
    switch try? SocketAddress(ipAddress: text, port: 0) {
    case .v6: return isBracketed
    case .v4: return !isBracketed
    default: return false
    }
  }
}

extension AppError {
  package static var unknownHost: AppError {
    AppError(
      refusing: "server.host-unknown", .denied, status: 403,
      title: "The service can’t be reached by this name",
      message: "This request was sent to a name that isn’t one of the service’s own.",
      suggestion: "Use the address by which the service is known.")
  }
}
