// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Mainstay

extension JSONRPCConnectionError: AppErrorConvertible {
  /// What a person reads, and what may be done: the outcome of a call that may have arrived is
  /// unknown where calling twice would do harm.
  public var appError: AppError {
    let known = cause.map { AppError.from($0) }
    let row = known.flatMap { saysMore($0) ? $0 : nil } ?? built
    var metadata = row.metadata
    metadata["jsonrpc.reason"] = reason.rawValue
    metadata["jsonrpc.method"] = method.map { BoundedText.redacted($0, to: 200) }
    metadata["http.sent"] = wasSent ? "maybe" : "no"
    metadata["websocket.close-code"] = closeCode.map(String.init)
    let error = AppError(
      code: row.code, kind: row.kind, disposition: row.disposition, severity: row.severity,
      title: row.title, message: row.message, suggestion: row.suggestion, details: description,
      metadata: metadata, actions: row.actions, help: row.help,
      underlying: cause.map { [$0] } ?? [])
    return isOutcomeUnknown ? error.with(disposition: .unknownOutcome) : error
  }

  /// What stopped the call before it was sent says more than that it was not sent.
  private func saysMore(_ cause: AppError) -> Bool {
    guard cause.disposition != .unclassified, cause.disposition != .cancelled else { return false }
    // What the server says as it closes may be the answer to another call.
    if isShared, self.cause is JSONRPCError {
      guard case .transient = cause.disposition else { return false }
    }
    return switch reason {
    case .unreachable, .refused, .lost, .closedByServer: true
    // There would be another connection by and by.
    case .timedOut: cause.disposition != .permanent
    default: false
    }
  }

  private var isOutcomeUnknown: Bool {
    guard wasSent, !isRepeatable, method != nil else { return false }
    return reason != .duplicateID && reason != .full && reason != .unsendable
  }

  /// The errors of Mainstay that these are, so that they read the same in all languages.
  private var built: AppError {
    switch reason {
    case .unreachable, .refused: .wire(.unreachable, wasSent: wasSent, cause: self)
    case .timedOut: .wire(.timeout, wasSent: wasSent, cause: self)
    case .silent: .wire(.timeout, wasSent: wasSent, cause: self)
    case .violation, .tooLarge, .unreadable, .missing:
      .wire(.badAnswer, wasSent: wasSent, cause: self)
    case .full: Rejection(policy: "JSONRPCClient", reason: .bulkheadFull).appError
    case .duplicateID, .unsendable: .wire(.defect, wasSent: false, cause: self)
    case .closed: wasSent ? .wire(.connectionLost, wasSent: true, cause: self) : .cancelled()
    default: .wire(.connectionLost, wasSent: wasSent, cause: self)
    }
  }
}

extension JSONRPCConnectionError: CustomStringConvertible {
  /// One line for logs.
  public var description: String {
    var line = method.map { BoundedText.redacted($0, to: 200) + ": " } ?? ""
    line += reason.rawValue
    if let closeCode { line += " \(closeCode)" }
    if let details { line += ": \(details)" }
    return line
  }
}
