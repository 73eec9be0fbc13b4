// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import NIOCore

/// Refuses what a page of another host asks for whose name leads to this machine.
///
/// Such a page is of the same origin as the service, and only the name tells. Addresses are let in:
/// no page can have one of somebody else.
struct HostMiddleware: RouterMiddleware {
  typealias Context = UpstreamContext

  /// The name that it was told to listen on.
  let host: String

  func handle(
    _ request: Request, context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard let authority = request.head.authority, isOwn(authority.lowercased()) else {
      throw Problem.foreignHost
    }
    return try await next(request, context)
  }

  private func isOwn(_ authority: String) -> Bool {
    var name = authority[...]
    if let colon = name.lastIndex(of: ":"), !name.hasSuffix("]") { name = name[..<colon] }
    if name == "localhost" || name == host.lowercased() { return true }
    let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
    let text = isBracketed ? String(name.dropFirst().dropLast()) : String(name)
    switch try? SocketAddress(ipAddress: text, port: 0) {
    case .v6: return isBracketed
    case .v4: return !isBracketed
    default: return false
    }
  }
}
