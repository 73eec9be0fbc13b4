// SPDX-License-Identifier: Apache-2.0

package import Mainstay

/// What requests are refused for.
extension AppError {
  /// There is more to do than can be done.
  package static var busy: AppError {
    AppError(
      refusing: "server.busy", .rejected, .rejected(), status: 503,
      title: "The service is busy",
      message: "More came at once than the service can answer. It is not your fault.",
      suggestion: "Try again in a moment.")
  }

  package static func missingKey(_ field: String) -> AppError {
    AppError(
      refusing: "server.idempotency-key-missing", .validation, status: 400,
      title: "A key is missing",
      message: "This request needs the field \(public: field), so that it is never done twice.",
      suggestion: "Send a new key with each new request, and the same one when you repeat it.")
  }

  package static func wrongKey(_ field: String) -> AppError {
    AppError(
      refusing: "server.idempotency-key-invalid", .validation, status: 400,
      title: "The key can’t be used",
      message: """
        The field \(public: field) must have \(1) to \(255) characters that can be printed.
        """,
      suggestion: "A UUID makes a good key.")
  }

  package static var stillRunning: AppError {
    AppError(
      refusing: "server.idempotency-running", .conflict, .transient(retryAfter: .seconds(1)),
      status: 409, title: "This is being done already",
      message: "The same request came before and has not been answered yet.",
      suggestion: "Repeat it with the same key in a moment.")
  }

  package static func otherRequest(_ field: String) -> AppError {
    AppError(
      refusing: "server.idempotency-key-reused", .validation, status: 422,
      title: "The key belongs to another request",
      message: "The key in the field \(public: field) came with another request before.",
      suggestion: "Send a new key with each new request.")
  }

  package static var answerLost: AppError {
    AppError(
      refusing: "server.idempotency-answer-lost", .conflict, status: 409,
      title: "This was done already",
      message: "The same request came before and was done. Its answer was not kept.")
  }

  /// A refusal of this library, in the words of ``ServerTexts``.
  init(
    refusing code: ErrorCode, _ kind: ErrorKind, _ disposition: Disposition = .permanent,
    status: Int, title: LocalizableText, message: LocalizableText,
    suggestion: LocalizableText? = nil
  ) {
    func text(_ part: String, _ english: LocalizableText) -> LocalizableText {
      ServerTexts.library.text("error.\(code.rawValue).\(part)", english: english)
    }
    self.init(
      code: code, kind: kind, disposition: disposition, title: text("title", title),
      message: text("message", message), suggestion: suggestion.map { text("suggestion", $0) },
      metadata: [AppError.statusName: String(status)])
  }
}
