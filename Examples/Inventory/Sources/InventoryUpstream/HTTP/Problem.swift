// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// A problem as the client reads it, by RFC 9457.
///
/// https://www.rfc-editor.org/rfc/rfc9457
package struct ProblemDocument: Sendable, Equatable, Codable {
  /// An address that ends in the problem's name.
  package let type: String
  package let title: String
  package let status: Int
  package let detail: String?

  /// Mistakes in single members of the request's document.
  package let errors: [FieldError]?

  /// What is there instead, when a precondition failed.
  package let current: Twin?
}

/// A request that was refused.
struct Problem: Error, Equatable {
  static let contentType = "application/problem+json"
  private static let address = "https://inventory.example/problems/"

  let status: HTTPResponse.Status
  let name: String
  let title: String
  let detail: String?
  var errors: [FieldError]?
  var current: Twin?
  var headers: HTTPFields = [:]

  init(_ status: HTTPResponse.Status, _ name: String, _ title: String, _ detail: String? = nil) {
    self.status = status
    self.name = name
    self.title = title
    self.detail = detail
  }

  var document: ProblemDocument {
    ProblemDocument(
      type: Self.address + name, title: title, status: status.code, detail: detail,
      errors: errors, current: current)
  }
}

// What is wrong with the request.
extension Problem {
  static func invalid(_ errors: [FieldError]) -> Problem {
    var problem = Problem(
      .badRequest, "invalid-document", "The document is not valid",
      errors.map { "\($0.pointer) \($0.detail)." }.joined(separator: " "))
    problem.errors = errors
    return problem
  }

  static func malformed(_ detail: String) -> Problem {
    Problem(.badRequest, "malformed-json", "The body is not a JSON object", detail)
  }

  static func badHeader(_ detail: String) -> Problem {
    Problem(.badRequest, "bad-header", "A header is not valid", detail)
  }

  static func badAddress(_ detail: String) -> Problem {
    Problem(.badRequest, "bad-address", "The address is not valid", detail)
  }

  static let keyMissing = Problem(
    .badRequest, "idempotency-key-missing", "An Idempotency-Key is needed",
    "Send one with every write: 1 to 255 visible ASCII characters, new for each change.")

  static func notFound(_ detail: String) -> Problem {
    Problem(.notFound, "not-found", "There is nothing here", detail)
  }

  static func wrongMethod(allowed: String) -> Problem {
    var problem = Problem(
      .methodNotAllowed, "method-not-allowed", "The method is not allowed here",
      "Allowed: \(allowed).")
    problem.headers[.allow] = allowed
    return problem
  }

  static func tooLarge(maximum: Int) -> Problem {
    Problem(
      .contentTooLarge, "too-large", "The body is too large", "At most \(maximum) bytes are taken.")
  }

  static let foreignOrigin = Problem(
    .forbidden, "foreign-origin", "Writes from other origins are refused",
    "The Origin of a write must have the host that the request was sent to.")

  static let foreignHost = Problem(
    .forbidden, "foreign-host", "The service is not called by this name",
    "The Host of a request must be localhost, an address, or the name that was given to --host.")
}

// What stands in the way.
extension Problem {
  static func inProgress(retryAfter: Int) -> Problem {
    var problem = Problem(
      .conflict, "idempotency-in-progress", "A request with this key is still running",
      "Send it again later to read its answer.")
    problem.headers[.retryAfter] = String(retryAfter)
    return problem
  }

  static let keyReused = Problem(
    .unprocessableContent, "idempotency-key-reused", "The key was used for another request",
    "A key stands for one method, address and body.")

  static func stale(_ current: Twin?) -> Problem {
    let detail =
      switch current {
      case nil: "There is no such twin."
      case let twin? where twin.fields == nil: "The twin was deleted in version \(twin.version)."
      case let twin?: "The twin is at version \(twin.version)."
      }
    var problem = Problem(
      .preconditionFailed, "stale-version", "Another version is here", detail)
    problem.current = current
    problem.headers[.eTag] = current?.tag
    return problem
  }

  static let unknownCursor = Problem(
    .gone, "unknown-cursor", "The cursor belongs to another history",
    "Begin again without `since`.")

  static let storageFailed = Problem(
    .internalServerError, "storage-failed", "The change could not be stored",
    "Nothing was changed.")

  static let serverError = Problem(
    .internalServerError, "server-error", "Something went wrong here",
    "Nothing was changed.")

  static let unavailable = Problem(
    .serviceUnavailable, "unavailable", "The service is not available for the moment",
    "Nothing was changed.")

  static func tooManyRequests(retryAfter: Int) -> Problem {
    var problem = Problem(
      .tooManyRequests, "too-many-requests", "There were too many requests",
      "Wait \(retryAfter) seconds.")
    problem.headers[.retryAfter] = String(retryAfter)
    return problem
  }
}
