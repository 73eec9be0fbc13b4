// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hummingbird
internal import Mainstay
internal import NIOCore

/// Lets in who may come in, and sees to it that every answer carries the same protection.
struct Gate<Context: RemoteAddressRequestContext>: RouterMiddleware {
  let site: Site

  func handle(
    _ request: Request, context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do {
      let visitor = try await check(request.head, from: context.remoteAddress)
      response = try await CurrentVisitor.$visitor.withValue(visitor) {
        try await answer(request, context, next)
      }
    } catch let refusal as Refusal {
      response = answer(to: refusal, request.head, context)
    }
    protect(&response.headers, of: request.head)
    // A body would be read as the beginning of the next answer on the same connection.
    return request.method == .head ? response.createHeadResponse() : response
  }

  /// The answer to somebody who may come in.
  private func answer(
    _ request: Request, _ context: Context,
    _ next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let refusal as Refusal {
      return answer(to: refusal, request.head, context)
    } catch let error as WrongMethod {
      var response = answer(to: .wrongMethod, request.head, context)
      response.headers[.allow] = error.allowed.map(\.rawValue).joined(separator: ", ")
      return response
    } catch {
      guard !error.isCancellation else { throw error }
      return site.failure(.serviceUnavailable, site.words(for: error))
    }
  }

  private func answer(
    to refusal: Refusal, _ head: HTTPRequest, _ context: Context
  ) -> Response {
    site.refusals.add(refusal, head, from: context.remoteAddress)
    var response = site.failure(
      refusal.status, refusal.words, showsPlaces: !refusal.isAtTheGate)
    if refusal == .tooManyStreams { response.headers[.retryAfter] = "30" }
    if refusal == .notAuthenticated, let challenge = site.dashboard.challenge {
      response.status = .unauthorized
      response.headers[.wwwAuthenticate] = challenge
    }
    return response
  }

  /// - Returns: Who has come, where that is known.
  /// - Throws: `Refusal`.
  private func check(
    _ head: HTTPRequest, from peer: SocketAddress?
  ) async throws -> Dashboard.Visitor? {
    if let admission = site.dashboard.admission {
      guard case .letIn(let visitor) = await admission(head) else {
        throw Refusal.notAuthenticated
      }
      return visitor
    }
    guard let peer, Self.isLoopback(peer) else { throw Refusal.foreignPeer }
    // A page of another site may have its name lead to this machine.
    guard let host = Transport.host(of: head),
      Transport.loopbackNames.contains(host)
        || site.dashboard.allowedHosts.contains(where: { $0.lowercased() == host })
    else { throw Refusal.foreignHost }
    return nil
  }

  private static func isLoopback(_ peer: SocketAddress) -> Bool {
    switch peer {
    case .unixDomainSocket: return true
    case .v4, .v6:
      guard let text = peer.ipAddress else { return false }
      let address = text.hasPrefix("::ffff:") ? String(text.dropFirst(7)) : text
      return address == "::1" || address.hasPrefix("127.")
    }
  }

  private func protect(_ headers: inout HTTPFields, of head: HTTPRequest) {
    for (name, value) in Self.protection {
      if let name = HTTPField.Name(name) { headers[name] = value }
    }
    if site.transport.asksForTLS(head) {
      headers[.strictTransportSecurity] = "max-age=31536000"
    }
  }

  private static var protection: KeyValuePairs<String, String> {
    [
      "Content-Security-Policy": """
      default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; \
      img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'
      """,
      "X-Content-Type-Options": "nosniff",
      "X-Frame-Options": "DENY",
      // Without a referrer at all, browsers would also send no origin along with forms.
      "Referrer-Policy": "same-origin",
      "X-Permitted-Cross-Domain-Policies": "none",
      "Cross-Origin-Embedder-Policy": "require-corp",
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Resource-Policy": "same-origin",
      "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
      "Cache-Control": "no-store",
    ]
  }
}
