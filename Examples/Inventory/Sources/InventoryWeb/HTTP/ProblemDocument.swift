// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import InventoryCore
package import Mainstay

/// An error as the client of a route reads it, by RFC 9457.
///
/// https://www.rfc-editor.org/rfc/rfc9457
package struct ProblemDocument: Sendable, Hashable, Codable {
  /// An address that ends in the error's code.
  package let type: String
  package let title: String
  package let status: Int
  package let detail: String
  /// What the person can do.
  package let suggestion: String?
  /// Mistakes in single fields, for a form to show under each.
  package let errors: [FieldError]?

  package init(_ error: AppError) {
    type = "https://inventory.example/problems/" + error.code.rawValue
    title = error.title.description
    status = error.answerStatus.code
    detail = error.message.description
    suggestion = error.suggestion?.description
    let fields = error.fieldErrors.filter { !$0.pointer.tokens.isEmpty }
    errors = fields.isEmpty ? nil : fields
  }
}

extension AppError {
  /// The status with which a route answers the error.
  var answerStatus: HTTPResponse.Status {
    if let httpStatus, (400...599).contains(httpStatus) { return .init(code: httpStatus) }
    if ["inventory.malformed-json", "server.idempotency-key-invalid"].contains(code) {
      return .badRequest
    }
    return switch kind {
    case .validation: .unprocessableContent
    case .notFound: .notFound
    case .denied: .forbidden
    case .conflict: .conflict
    case .storageFull: .init(code: 507)
    case .timeout: .gatewayTimeout
    case .rejected: .serviceUnavailable
    default: disposition == .transient() ? .serviceUnavailable : .internalServerError
    }
  }

  /// Whole seconds after which to come back, at least one; nil where that is not known.
  var answerPause: Int? {
    guard answerStatus == .serviceUnavailable, let pause = disposition.retryAfter else {
      return nil
    }
    return max(1, Int((pause / .seconds(1)).rounded(.up)))
  }
}

// What a route refuses before the inventory is asked.
extension AppError {
  static let unknownAddress = refused(
    "web.unknown-address", .notFound, 404, "There is nothing here",
    "No page or document has this address.")

  static func wrongMethod(allowed: String) -> AppError {
    refused(
      "web.method-not-allowed", .validation, 405, "This can’t be done here",
      "The method is not allowed at this address; allowed: \(allowed).")
  }

  static func tooLarge(_ maximum: Int) -> AppError {
    refused(
      "web.too-large", .validation, 413, "This is too large",
      "At most \(maximum) bytes are taken.")
  }

  static let foreignOrigin = refused(
    "web.foreign-origin", .denied, 403, "Another site may not do this",
    "The Origin of a write must have the host that the request was sent to.")

  static func badHeader(_ name: String, _ rule: String) -> AppError {
    refused(
      "web.bad-header", .validation, 400, "A header is not valid", "\(name) must be \(rule).")
  }

  static func badAddress(_ rule: String) -> AppError {
    refused("web.bad-address", .validation, 400, "The address is not valid", "\(rule)")
  }

  static let brokenRequest = refused(
    "web.broken-request", .validation, 400, "The request broke off",
    "The body ended before it was complete.")

  static func refused(
    _ code: ErrorCode, _ kind: ErrorKind, _ status: Int, _ title: LocalizableText,
    _ message: LocalizableText, suggestion: LocalizableText? = nil
  ) -> AppError {
    AppError(
      code: code, kind: kind, disposition: .permanent, severity: .info, title: title,
      message: message, suggestion: suggestion, metadata: ["http.status": String(status)])
  }
}
