// SPDX-License-Identifier: Apache-2.0

/// The rows of the table for HTTP statuses; codes are `http.<status>`.
extension BuiltInError {
  static func http(
    _ status: Int, hint: Duration?, isRepeatable: Bool, problemType: String?
  ) -> BuiltInError {
    let code = ErrorCode("http.\(status)") ?? "http.unknown"
    switch status {
    case 401: return signInAgain(code)
    case 403: return notAllowed(code)
    case 404, 410: return gone(code)
    case 408, 425: return failing(code, hint)
    case 409:
      return switch KeyProblem(status: status, type: problemType) {
      case .running: running(code, hint)
      case .answerLost: outcomeUnknown.coded(code, .server)
      case .reused, nil: conflict(code)
      }
    case 412: return conflict(code)
    case 413: return tooLarge(code)
    case 422: return unacceptable(code)
    case 429: return throttled(code, hint)
    case 501, 505, 506, 508, 510: return refused(code, isServer: true)
    case 511: return portal.coded(code)
    // RFC 9110, section 15: an unknown status is read as the first of its class.
    case 500...599: return isRepeatable ? failing(code, hint) : outcomeUnknown.coded(code, .server)
    case 400...499: return refused(code, isServer: false)
    default: return badAnswer.coded(code, .server)
    }
  }

  private static func signInAgain(_ code: ErrorCode) -> BuiltInError {
    BuiltInError(
      code, .unauthorized, .needsUser, name: "http.sign-in",
      title: "Please sign in again",
      message: "You are not signed in, or your sign-in has expired.",
      suggestion: "Sign in, then try again.", actions: [.signIn, .retry, .dismiss])
  }

  static func notAllowed(_ code: ErrorCode) -> BuiltInError {
    BuiltInError(
      code, .denied, .permanent, name: "http.denied",
      title: "You can’t do this",
      message: "Your account may not do this.",
      suggestion: "Ask the owner for access, or use another account.")
  }

  private static func gone(_ code: ErrorCode) -> BuiltInError {
    BuiltInError(
      code, .notFound, .permanent, name: "http.missing",
      title: "This isn’t there any more",
      message: "The service does not have what was asked for.",
      suggestion: "It may have been deleted. Refresh to see what is there.")
  }

  private static func conflict(_ code: ErrorCode) -> BuiltInError {
    BuiltInError(
      code, .conflict, .needsUser, name: "http.conflict",
      title: "Changed in two places",
      message: "Somebody else changed this in the meantime.",
      suggestion: "Compare both versions and choose what to keep.",
      actions: [.resolveConflict, .dismiss])
  }

  /// A conflict of which the service does not say what is there instead.
  static func changed(_ code: ErrorCode) -> BuiltInError {
    BuiltInError(
      code, .conflict, .needsUser, name: "http.changed",
      title: "This was changed meanwhile",
      message: "What is there now no longer fits what was asked for.",
      suggestion: "Load it again, then repeat your change.", actions: [.reload, .dismiss])
  }

  private static func running(_ code: ErrorCode, _ hint: Duration?) -> BuiltInError {
    BuiltInError(
      code, .server, .transient(retryAfter: hint), name: "http.running",
      title: "Still working on it",
      message: "The service is still working on the same request.",
      suggestion: "Wait a moment; it does not need to be sent again.")
  }

  static func failing(_ code: ErrorCode, _ hint: Duration?) -> BuiltInError {
    BuiltInError(
      code, .server, .transient(retryAfter: hint), name: "http.failing",
      title: "The service has a problem",
      message: "The service could not answer just now. It is not your fault.",
      suggestion: wait(hint))
  }

  static func throttled(_ code: ErrorCode, _ hint: Duration?) -> BuiltInError {
    BuiltInError(
      code, .throttled, .throttled(retryAfter: hint), name: "http.throttled",
      title: "Too many requests",
      message: "The service asks to slow down.",
      suggestion: wait(hint))
  }

  private static func tooLarge(_ code: ErrorCode) -> BuiltInError {
    BuiltInError(
      code, .validation, .permanent, name: "http.too-large",
      title: "This is too large",
      message: "The service does not take anything of this size.",
      suggestion: "Choose something smaller.")
  }

  static func unacceptable(_ code: ErrorCode) -> BuiltInError {
    BuiltInError(
      code, .validation, .permanent, name: "http.unacceptable",
      title: "The service can’t accept this",
      message: "Something in what was sent is not acceptable to the service.",
      suggestion: "Check what you entered.")
  }

  static func refused(_ code: ErrorCode, isServer: Bool) -> BuiltInError {
    BuiltInError(
      code, .server, .permanent, name: isServer ? "http.unsupported" : "http.refused",
      title: isServer ? "The service can’t do this" : "The service refused this",
      message: isServer
        ? "The service does not support what the app asked for."
        : "The service did not accept the request of the app.",
      suggestion: "Update the app. If it happens again, contact support.")
  }

  /// The row for a code that a service gave, whatever it means.
  static func answered(_ number: Int, isRepeatable: Bool) -> BuiltInError {
    let code = ErrorCode("server.\(number)") ?? "server.failed"
    guard (400...599).contains(number) else { return answer(code) }
    let row = http(number, hint: nil, isRepeatable: isRepeatable, problemType: nil)
    return row.coded(code, .server)
  }

  /// A service answered that it failed, in a way that nobody has classified.
  static func answer(_ code: ErrorCode) -> BuiltInError {
    failing(code, nil).coded(code, .server, .unclassified)
  }

  /// Every row, once with a hint and once for a request that must not be sent twice.
  static let http: [BuiltInError] =
    [302, 400, 503].map { answered($0, isRepeatable: true) }
    + [answer("server.failed"), http(100, hint: nil, isRepeatable: true, problemType: nil)]
    + (400...599).flatMap { status in
      [(nil, true), (Duration.seconds(90), true), (nil, false)].map { hint, isRepeatable in
        http(status, hint: hint, isRepeatable: isRepeatable, problemType: nil)
      }
    } + [
      http(409, hint: nil, isRepeatable: true, problemType: "/idempotency-in-progress"),
      changed("http.409"), changed("http.412"),
    ]
}
