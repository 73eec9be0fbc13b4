// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What can go wrong between here and a service, for the targets that own a client library: the
/// rows of the table, so that one failure reads the same whichever library met it.
package enum WireFailure: Sendable, Hashable {
  case offline, unreachable, hostNotFound, connectionLost, timeout
  case insecure, secureConnectionFailed
  case badAddress, badAnswer, signInRequired, slowDown, overloaded
  case configuration, defect, exhausted

  fileprivate var row: BuiltInError {
    switch self {
    case .offline: .offline
    case .unreachable: .unreachable
    case .hostNotFound: .hostNotFound
    case .connectionLost: .connectionLost
    case .timeout: .timeout
    case .insecure: .insecure
    case .secureConnectionFailed: .secureConnectionFailed
    case .badAddress: .badAddress
    case .badAnswer: .badAnswer
    case .signInRequired: .signInRequired
    case .slowDown: .slowDown
    case .overloaded: .overloaded
    case .configuration: .configuration
    case .defect: .architecturalViolation
    case .exhausted: .exhausted
    }
  }
}

extension AppError {
  /// A failure on the way to a service.
  ///
  /// - Parameters:
  ///   - failure: What it was.
  ///   - wasSent: Whether the request may have reached the service; false only where that is
  ///     certain, nil where it is not about a request.
  ///   - details: Technical words, redacted here.
  ///   - cause: The error of the library.
  ///   - fileID: The file of the mapping; leave it out.
  ///   - function: The function of the mapping; leave it out.
  ///   - line: The line of the mapping; leave it out.
  /// - Returns: The error.
  package static func wire(
    _ failure: WireFailure, wasSent: Bool?, details: String? = nil, cause: any Error,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    AppError(
      failure.row, details: details.map { BoundedText.redacted($0, to: BoundedText.text) },
      metadata: wasSent.map { ["http.sent": $0 ? "maybe" : "no"] } ?? [:], cause: cause,
      at: SourceSite(fileID: fileID, function: function, line: line))
  }

  /// A failure of the operating system, by the core's table of its numbers; nil for one that is not
  /// in it.
  ///
  /// Only what is about connections says whether a request may have been sent: the other side was
  /// never reached where no connection could be made. Whoever knows that there was one, or may have
  /// been, says so in place of that.
  ///
  /// - Parameters:
  ///   - errno: The number, such as `ECONNREFUSED`.
  ///   - details: Technical words, redacted here.
  ///   - cause: The error of the library.
  ///   - fileID: The file of the mapping; leave it out.
  ///   - function: The function of the mapping; leave it out.
  ///   - line: The line of the mapping; leave it out.
  /// - Returns: The error, or nil.
  package static func posix(
    _ errno: Int32, details: String? = nil, cause: any Error,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError? {
    let site = SourceSite(fileID: fileID, function: function, line: line)
    guard errno != ECANCELED else { return .cancelled(cause, at: site) }
    guard let row = POSIXErrorCode(rawValue: errno).flatMap(BuiltInMapping.posix) else {
      return nil
    }
    var metadata = ["error.domain": NSPOSIXErrorDomain, "error.number": String(errno)]
    switch row.code {
    case BuiltInError.offline.code, BuiltInError.unreachable.code: metadata["http.sent"] = "no"
    case BuiltInError.connectionLost.code, BuiltInError.timeout.code:
      metadata["http.sent"] = "maybe"
    default: break
    }
    return AppError(
      row, details: details.map { BoundedText.redacted($0, to: BoundedText.text) },
      metadata: metadata, cause: cause, at: site)
  }
}
