// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
package import Mainstay
internal import MainstayHTTP
internal import NIOCore

extension UpstreamClient {
  /// Limits and waits.
  package struct Settings: Sendable {
    /// How long one request may take; more than zero, 10 s by default.
    package var requestLimit = Duration.seconds(10)
    /// How long a connection may take to be made; more than zero, 3 s by default.
    package var connectLimit = Duration.seconds(3)
    /// How long a lookup may take with all its attempts; 20 s by default.
    package var lookupLimit = Duration.seconds(20)
    /// How lookups wait between attempts.
    package var backoff = Backoff.exponential(from: .milliseconds(100), to: .seconds(2))
    /// How many failures in a row open a circuit; 5 by default.
    package var failuresToOpen = 5
    /// How long an open circuit leaves the service alone at first; 1 s by default.
    package var breakFor = Duration.seconds(1)
    /// How long a call waits for its turn where the service limits requests, before it is put off;
    /// 1 s by default.
    package var patience = Duration.seconds(1)
    /// For how long the service is left alone at most when it asks for that; 5 min by default.
    package var maximumHold = Duration.seconds(300)
    /// The greatest answer that is read, in bytes.
    package var maximumAnswerBytes = 4 * 1024 * 1024
    /// Asks for a token, in place of the one that the service no longer takes (401).
    ///
    /// Called once for however many requests were refused. Nil where there is nobody to sign in.
    package var token: (@Sendable (_ old: String?) async throws -> String)?
    /// The size of the parts of a photo, in bytes.
    package var photoPartBytes = 256 * 1024

    package init() {}
  }
}

extension UpstreamClient.Settings {
  func breaker(_ name: String) -> CircuitBreaker {
    CircuitBreaker(
      name, .consecutiveFailures(failuresToOpen), breakFor: breakFor,
      maximumBreak: max(breakFor, .seconds(5)))
  }

  var connections: HTTPClient.Configuration {
    HTTPClient.Configuration(timeout: .init(connect: TimeAmount(connectLimit)))
  }

  /// What is known of the service's answers: it redirects nobody, and answers with JSON alone.
  var http: ResilientClient.Settings {
    var http = ResilientClient.Settings()
    http.redirections = .never
    http.maximumAnswer = maximumAnswerBytes
    http.isPortal = UpstreamClient.isForeign
    return http
  }

  var authorization: HTTPAuthorization? {
    token.map { token in
      HTTPAuthorization { old in
        do {
          return try await token(old)
        } catch {
          let error = ErrorMapping.inventory.map(error)
          // All that is known is that there is no token: the lane waits, and no attempt counts.
          throw error.disposition == .unclassified ? .unauthorized(cause: error) : error
        }
      }
    }
  }
}

extension UpstreamClient {
  /// Whether an answer can only come from something between here and the service, such as the
  /// sign-in page of a guest network.
  @Sendable static func isForeign(_ status: Int, _ headers: HTTPHeaderFields) -> Bool {
    let type = headers["content-type"]?.lowercased() ?? ""
    return switch status {
    case 200...299: !(type.hasPrefix("application/") && type.contains("json"))
    case 300...399, 511: true
    // A page instead of problem details does not say that the service knows nothing.
    case 404, 410: type.hasPrefix("text/html")
    default: false
    }
  }
}
