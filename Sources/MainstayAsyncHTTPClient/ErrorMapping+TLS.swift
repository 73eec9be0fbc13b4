// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import NIOSSL

extension ErrorMapping {
  func addingTLSErrors() -> ErrorMapping {
    adding(NIOSSLError.self) { .tls($0) }
      .adding(NIOSSLExtraError.self) { .tls($0) }
      // A failed handshake comes as an error of its own; this is what a reader meets later.
      .adding(BoringSSLError.self) {
        .wire(.connectionLost, wasSent: true, details: "TLS ended the connection", cause: $0)
      }
      .adding(NIOSSLCloseTimedOutError.self) { .wire(.connectionLost, wasSent: true, cause: $0) }
  }
}

extension AppError {
  fileprivate static func tls(_ error: NIOSSLError) -> AppError {
    switch error {
    case .handshakeFailed(let reason): handshake(reason, cause: error)
    case .unableToValidateCertificate, .noCertificateToValidate, .cannotMatchULabel,
      .cannotFindPeerIP:
      wire(.insecure, wasSent: false, details: "TLS: \(error)", cause: error)
    case .uncleanShutdown, .shutdownFailed, .writeDuringTLSShutdown, .readInInvalidTLSState:
      wire(.connectionLost, wasSent: true, cause: error)
    case .noSuchFilesystemObject, .failedToLoadCertificate, .failedToLoadPrivateKey:
      wire(.configuration, wasSent: false, details: "TLS: \(error)", cause: error)
    default: wire(.exhausted, wasSent: false, details: "TLS: \(error)", cause: error)
    }
  }

  fileprivate static func tls(_ error: NIOSSLExtraError) -> AppError {
    let failure: WireFailure =
      switch error {
      case .failedToValidateHostname, .serverHostnameImpossibleToMatch: .insecure
      case .cannotUseIPAddressInSNI, .invalidSNIHostname: .badAddress
      case .unknownPrivateKeyFileType: .configuration
      default: .secureConnectionFailed
      }
    return wire(failure, wasSent: false, details: "TLS: \(error)", cause: error)
  }

  /// Nothing of a request is sent before the handshake is done.
  fileprivate static func handshake(_ reason: BoringSSLError, cause: any Error) -> AppError {
    let text = String(describing: reason)
    // The library says it in the words of BoringSSL alone.
    // mainstay:ignore MS110 -- the library has no code for it
    let isDistrust = text.contains("CERTIFICATE_VERIFY_FAILED")
    // What follows is where the library's own source lies on the machine that built it.
    let words = text.range(of: " at /").map { text[..<$0.lowerBound] } ?? text[...]
    return wire(
      isDistrust ? .insecure : .secureConnectionFailed, wasSent: false, details: "TLS: \(words)",
      cause: cause)
  }
}
