// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

extension ErrorMapping {
  func addingNIOErrors() -> ErrorMapping {
    adding(NIOConnectionError.self) { .unconnected($0) }
      .adding(IOError.self) { .io($0) }
      .adding(ChannelError.self) { .channel($0) }
      .adding(EventLoopError.self) { .eventLoop($0) }
      .adding(SocketAddressError.self) { .address($0) }
      .adding(SocketAddressError.UnknownHost.self) { error in
        .wire(.hostNotFound, wasSent: false, details: error.errorDescription, cause: error)
      }
      .adding(HTTPParserError.self) { .parser($0) }
      .adding(NIOHTTPDecoderError.self) { .wire(.badAnswer, wasSent: true, cause: $0) }
      .adding(NIOTooManyBytesError.self) { error in
        .wire(.badAnswer, wasSent: true, details: "The answer is too long", cause: error)
      }
  }
}

extension AppError {
  /// What the system says about a connection; one to an address in numbers fails so as well.
  ///
  /// A connection that is there dies of the same numbers as one that cannot be made. Linux says
  /// that there is no route in place of a time limit, and Apple's systems that the network is down.
  fileprivate static func io(_ error: IOError) -> AppError? {
    let number = error.errnoCode
    let mapped = posix(number, details: "SwiftNIO: errno \(number)", cause: error)
    guard endsConnections(number), !isOfConnecting(error) else { return mapped }
    return mapped?.adding(metadata: ["http.sent": "maybe"])
  }

  /// Whether a number that says that no connection can be made ends those that are there as well.
  static func endsConnections(_ number: CInt) -> Bool {
    [ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH].contains(number)
  }

  private static func isOfConnecting(_ error: IOError) -> Bool {
    // The library says in which call it was by its text alone; that of a reset begins alike.
    let text = error.description
    // mainstay:ignore MS110 -- the library has no code for it
    return text.hasPrefix("connect(") || text.hasPrefix("finishing a non-blocking connect")
  }

  /// No connection was made; the first attempt that failed for a reason in the table says why.
  fileprivate static func unconnected(_ error: NIOConnectionError) -> AppError {
    for failure in error.connectionErrors {
      guard let known = (failure.error as? IOError).flatMap({ posix($0.errnoCode, cause: error) })
      else { continue }
      return known.adding(metadata: ["http.sent": "no"])
    }
    // Without any attempt to connect, there was no address.
    let failure: WireFailure = error.connectionErrors.isEmpty ? .hostNotFound : .unreachable
    return wire(failure, wasSent: false, details: "SwiftNIO: no connection", cause: error)
  }

  fileprivate static func channel(_ error: ChannelError) -> AppError {
    switch error {
    case .connectTimeout:
      wire(.timeout, wasSent: false, details: "SwiftNIO: connect timeout", cause: error)
    case .connectPending, .writeHostUnreachable: wire(.unreachable, wasSent: false, cause: error)
    case .ioOnClosedChannel, .alreadyClosed, .outputClosed, .inputClosed, .eof:
      wire(.connectionLost, wasSent: true, details: "SwiftNIO: \(error)", cause: error)
    default: wire(.defect, wasSent: nil, cause: error)
    }
  }

  fileprivate static func eventLoop(_ error: EventLoopError) -> AppError {
    switch error {
    case .cancelled, .shutdown: .cancelled()
    case .unsupportedOperation, .shutdownFailed:
      wire(.defect, wasSent: nil, details: "SwiftNIO: \(error)", cause: error)
    }
  }

  fileprivate static func address(_ error: SocketAddressError) -> AppError {
    switch error {
    case .unsupported, .unixDomainSocketPathTooLong, .failedToParseIPString:
      wire(.badAddress, wasSent: false, cause: error)
    default: wire(.hostNotFound, wasSent: false, cause: error)
    }
  }

  fileprivate static func parser(_ error: HTTPParserError) -> AppError {
    switch error {
    case .invalidEOFState, .closedConnection:
      wire(.connectionLost, wasSent: true, details: "SwiftNIO: \(error)", cause: error)
    default: wire(.badAnswer, wasSent: true, details: "SwiftNIO: \(error)", cause: error)
    }
  }
}
