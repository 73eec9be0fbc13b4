// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Mainstay

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension ErrorMapping {
  /// This mapping with more about the errors of URLSession: whether a request may have been sent,
  /// which is `AppError.mayHaveBeenSent`, and what they mean on Linux.
  ///
  /// There, the error of a connection that broke is often one of a bad answer or of nothing known,
  /// and only its text tells them apart. The core would give up what should be tried again.
  /// ``HTTPError`` needs no mapping.
  ///
  /// - Returns: This mapping and that of `NSURLErrorDomain`.
  public func addingHTTPErrors() -> ErrorMapping {
    adding(domain: "NSURLErrorDomain") { .url($0, cause: $0) }
      .adding(URLError.self) { .url($0 as NSError, cause: $0) }
  }
}

extension AppError {
  fileprivate static func url(_ error: NSError, cause: any Error) -> AppError? {
    if let failure = URLFailure.inWords(of: error) {
      let isBeforeSending =
        [.insecure, .secureConnectionFailed, .unreachable, .hostNotFound].contains(failure)
      return .wire(
        failure, wasSent: !isBeforeSending,
        details: "NSURLErrorDomain \(error.code): \(error.localizedDescription)", cause: cause)
    }
    let mapped = ErrorMapping.standard.map(cause)
    guard mapped.disposition != .unclassified else { return nil }
    let wasSent = !URLFailure.beforeSending.contains(error.code)
    return mapped.adding(metadata: ["http.sent": wasSent ? "maybe" : "no"])
  }
}

/// The numbers of `URLError.Code`, and the texts of libcurl, which URLSession uses on Linux.
enum URLFailure {
  /// Errors of a request of which no byte has left.
  static let beforeSending: Set<Int> = [
    -1000, -1002, -1003, -1004, -1006, -1009, -1018, -1019, -1020, -1022, -1200, -1201, -1202,
    -1203, -1204, -1205, -1206, -995, -2000,
  ]

  /// What the text says where the number does not: nothing known, an answer that never came, or one
  /// that is no HTTP, of which the number says that the address is none.
  static func inWords(of error: NSError) -> WireFailure? {
    guard [-1, -1002, -1011].contains(error.code) else { return nil }
    let text = error.localizedDescription.prefix(500).lowercased()
    return words.first { text.contains($0.words) }?.failure
  }

  private static let words: [(words: String, failure: WireFailure)] = [
    ("failed to connect", .unreachable), ("couldn't connect", .unreachable),
    ("could not connect", .unreachable), ("connection refused", .unreachable),
    ("not resolve host", .hostNotFound), ("couldn't resolve host", .hostNotFound),
    ("empty reply", .connectionLost), ("server returned nothing", .connectionLost),
    ("transferred a partial file", .connectionLost), ("transfer closed", .connectionLost),
    ("failure when receiving", .connectionLost), ("recv failure", .connectionLost),
    ("failed sending data", .connectionLost), ("send failure", .connectionLost),
    ("connection reset", .connectionLost), ("broken pipe", .connectionLost),
    ("was not closed cleanly", .connectionLost), ("timed out", .timeout),
    ("http/0.9", .badAnswer), ("weird server reply", .badAnswer),
    // Once the handshake is done, the request may have gone the same way.
    ("ssl_read", .connectionLost), ("ssl_write", .connectionLost),
    ("peer certificate", .insecure), ("ssl certificate", .insecure),
    ("server certificate", .insecure), ("certificate problem", .insecure),
    ("certificate subject", .insecure), ("certificate verif", .insecure),
    ("ssl connect error", .secureConnectionFailed), ("ssl_connect", .secureConnectionFailed),
    ("tls connect error", .secureConnectionFailed),
    ("tls handshake", .secureConnectionFailed), ("ssl handshake", .secureConnectionFailed),
    ("unexpected eof", .connectionLost),
  ]
}
