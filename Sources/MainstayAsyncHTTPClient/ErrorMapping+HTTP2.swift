// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import NIOHTTP2

extension ErrorMapping {
  func addingHTTP2Errors() -> ErrorMapping {
    adding(NIOHTTP2Errors.StreamError.self) { error in
      (error.baseError as? any NIOHTTP2Error).map { .http2($0, cause: error) }
    }
    .adding(any: { error in
      (error as? any NIOHTTP2Error).map { .http2($0, cause: $0) }
    })
  }
}

extension AppError {
  fileprivate static func http2(_ error: any NIOHTTP2Error, cause: any Error) -> AppError {
    switch error {
    case let error as NIOHTTP2Errors.StreamClosed: closed(error, cause: cause)
    // There is no stream yet that a request could be on.
    case is NIOHTTP2Errors.CreatedStreamAfterGoaway, is NIOHTTP2Errors.NoStreamIDAvailable,
      is NIOHTTP2Errors.MaxStreamsViolation:
      wire(.connectionLost, wasSent: false, details: words(for: error), cause: cause)
    case is NIOHTTP2Errors.IOOnClosedConnection, is NIOHTTP2Errors.NoSuchStream,
      is NIOHTTP2Errors.ExcessiveOutboundFrameBuffering:
      wire(.connectionLost, wasSent: true, details: words(for: error), cause: cause)
    case is NIOHTTP2Errors.InvalidALPNToken:
      wire(.secureConnectionFailed, wasSent: false, details: words(for: error), cause: cause)
    case is NIOHTTP2Errors.ActivationError, is NIOHTTP2Errors.MissingMultiplexer:
      wire(.defect, wasSent: false, details: words(for: error), cause: cause)
    default: wire(.badAnswer, wasSent: true, details: words(for: error), cause: cause)
    }
  }

  /// The other side ended a stream, and said why.
  ///
  /// What was refused or must go by HTTP/1.1 was not worked on. Source: RFC 9113, sections 7
  /// and 8.7.
  fileprivate static func closed(
    _ error: NIOHTTP2Errors.StreamClosed, cause: any Error
  ) -> AppError {
    let (failure, wasSent): (WireFailure, Bool) =
      switch error.errorCode {
      case .refusedStream: (.overloaded, false)
      case .http11Required: (.configuration, false)
      case .enhanceYourCalm: (.slowDown, true)
      case .inadequateSecurity: (.secureConnectionFailed, true)
      case .noError, .internalError, .settingsTimeout, .streamClosed, .cancel, .connectError:
        (.connectionLost, true)
      default: (.badAnswer, true)
      }
    return wire(
      failure, wasSent: wasSent, details: "HTTP/2: \(error.errorCode)", cause: cause)
  }

  /// The name alone: some of these errors hold fields of the request.
  private static func words(for error: any NIOHTTP2Error) -> String {
    "HTTP/2: \(type(of: error))"
  }
}
