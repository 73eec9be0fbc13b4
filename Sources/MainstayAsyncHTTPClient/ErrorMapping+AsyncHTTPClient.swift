// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
public import Mainstay

extension ErrorMapping {
  /// This mapping with the errors of AsyncHTTPClient, SwiftNIO, its TLS and its HTTP/2 added.
  ///
  /// | What happened | Becomes | Sent |
  /// |---|---|---|
  /// | a time limit before there was a connection | `timeout`, transient | no |
  /// | a time limit of the request, of reading, of writing | `timeout`, transient | maybe |
  /// | no connection, no name, no answer of a proxy | `network` or `offline`, transient | no |
  /// | the connection broke | `network`, transient | maybe |
  /// | the network or the host was gone, with a connection or before | the same | maybe |
  /// | a service that takes no more streams of HTTP/2 | `server`, transient | no |
  /// | a service that asks for calm by HTTP/2 | `throttled`, throttled | maybe |
  /// | a certificate that cannot be trusted | `insecure`, permanent | no |
  /// | no secure connection for another reason | `insecure`, transient | no |
  /// | an answer that is no HTTP, or too long | `decoding`, permanent | maybe |
  /// | an address that cannot be used | `configuration`, permanent | no |
  /// | too many redirections | `configuration`, permanent | maybe |
  /// | settings of the client | `configuration`, permanent | no |
  /// | a proxy that wants a sign-in | `unauthorized`, needs the user | no |
  /// | the request or the client was stopped | `cancelled` | |
  /// | the client was used in a way that it does not allow | `defect`, permanent | |
  ///
  /// Whether the request may have been sent is `AppError.mayHaveBeenSent`: it makes an
  /// unknown outcome of a request that must not be sent twice. A client that was shut down counts
  /// as stopped, so that nothing is given up while a process ends. What libraries say about their
  /// errors is kept only where no values of the request stand in it.
  ///
  /// - Returns: This mapping and those of the libraries' errors.
  public func addingAsyncHTTPClientErrors() -> ErrorMapping {
    let mapping = addingErrorsByName().addingHTTP2Errors().addingNIOErrors().addingTLSErrors()
      .adding(HTTPClientError.self) { error in
        ClientMeaning(of: error)?.error(for: error)
      }
      .adding(ResponseAccumulator.ResponseTooBigError.self) { error in
        .wire(.badAnswer, wasSent: true, details: "The answer is too long", cause: error)
      }
    #if canImport(Network)
      return mapping.addingNetworkFrameworkErrors()
    #else
      return mapping
    #endif
  }
}

extension ErrorMapping {
  /// Errors whose types are those of a library that nothing else here needs.
  ///
  /// They are added first, so that they are asked last: this looks at every error.
  fileprivate func addingErrorsByName() -> ErrorMapping {
    adding(any: { error in
      switch String(reflecting: type(of: error)) {
      case "NIOHTTPCompression.NIOHTTPDecompression.DecompressionError",
        "NIOHTTPCompression.NIOHTTPDecompression.ExtraDecompressionError":
        .wire(.badAnswer, wasSent: true, details: "The answer cannot be unpacked", cause: error)
      default: nil
      }
    })
  }
}

/// What an error of the client means.
private enum ClientMeaning: Sendable {
  case cancelled
  case failed(WireFailure, wasSent: Bool)

  init?(of error: HTTPClientError) {
    if let meaning = Self.all[error.shortDescription] {
      self = meaning
      // mainstay:ignore MS110 -- its type is not public
    } else if error.description.hasPrefix("HTTPClientError.internalStateFailure") {
      // The only one whose text has values.
      self = .failed(.defect, wasSent: true)
    } else {
      return nil
    }
  }

  func error(for error: HTTPClientError) -> AppError {
    switch self {
    case .cancelled: .cancelled()
    case .failed(let failure, let wasSent):
      .wire(
        failure, wasSent: wasSent, details: "AsyncHTTPClient: \(error.shortDescription)",
        cause: error)
    }
  }

  /// By the text without values: those of headers are nobody's business.
  private static let all = Dictionary(
    uniqueKeysWithValues: rows.flatMap { errors, meaning in
      errors.map { ($0.shortDescription, meaning) }
    } + former.map { ($0, .failed(.badAnswer, wasSent: true)) })

  /// Those that the client no longer throws have no names that may be used.
  private static let former = [
    "Chunked specified multiple times", "Incompatible headers",
    "HTTP end received after head with 1xx",
  ]

  private static let rows: [([HTTPClientError], ClientMeaning)] = [
    ([.cancelled, .requestStreamCancelled, .alreadyShutdown], .cancelled),
    (
      [
        .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout,
        .socksHandshakeTimeout, .httpProxyHandshakeTimeout,
      ], .failed(.timeout, wasSent: false)
    ),
    ([.readTimeout, .writeTimeout, .deadlineExceeded], .failed(.timeout, wasSent: true)),
    ([.remoteConnectionClosed, .uncleanShutdown], .failed(.connectionLost, wasSent: true)),
    ([.invalidProxyResponse], .failed(.unreachable, wasSent: false)),
    ([.proxyAuthenticationRequired], .failed(.signInRequired, wasSent: false)),
    (
      [.serverOfferedUnsupportedApplicationProtocol("")],
      .failed(.secureConnectionFailed, wasSent: false)
    ),
    (
      [.invalidURL, .emptyHost, .emptyScheme, .unsupportedScheme(""), .missingSocketPath],
      .failed(.badAddress, wasSent: false)
    ),
    ([.redirectLimitReached, .redirectCycleDetected], .failed(.badAddress, wasSent: true)),
    (
      [
        .invalidRedirectConfiguration, .invalidHTTPVersionConfiguration,
        .invalidDNSOverridesConfiguration, .invalidLocalAddress, .invalidProxyConfiguration,
      ], .failed(.configuration, wasSent: false)
    ),
    (
      [
        .identityCodingIncorrectlyPresent, .contentLengthMissing, .traceRequestWithBody,
        .invalidHeaderFieldNames([]), .invalidHeaderFieldValues([]), .shutdownUnsupported,
      ], .failed(.defect, wasSent: false)
    ),
    ([.bodyLengthMismatch, .writeAfterRequestSent], .failed(.defect, wasSent: true)),
  ]
}
