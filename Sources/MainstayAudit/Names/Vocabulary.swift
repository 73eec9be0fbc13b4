// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// The names that rules go by, since they see no types; a configuration adds to them.
package struct Vocabulary: Sendable, Equatable {
  /// The type for the errors of the whole app, such as `AppError`; nil where there is none.
  package var appError: String?
  /// Protocols whose conformance is a conversion into it.
  package var converters: Set<String> = ["AppErrorConvertible"]
  /// First words, or whole names, of calls that report an error to somebody.
  package var recorders: Set<String> = [
    "log", "print", "debugPrint", "dump", "NSLog", "os_log", "fputs", "fprintf", "perror",
    "vprintf", "printf", "record", "report", "capture", "track", "present", "show", "fail",
    "notify", "alert", "warn", "warning", "emit", "increment", "handle", "display", "toast",
    "reject", "post", "complain", "diagnose", "trace", "beep",
    "assert", "assertionFailure", "precondition", "preconditionFailure", "fatalError", "abort",
    "exit", "XCTFail",
  ]
  /// Names of what a log goes to.
  package var loggers: Set<String> = [
    "log", "logger", "Log", "Logger", "os_log", "console", "stderr", "standardError", "crashlytics",
    "Crashlytics", "SentrySDK", "Sentry", "Analytics", "analytics", "telemetry", "Telemetry",
    "metrics", "reporter", "diagnostics",
  ]
  /// Calls whose text a person reads.
  package var screens: Set<String> = [
    "Text", "Label", "Alert", "UIAlertController", "alert", "showAlert", "showError", "showToast",
    "toast", "presentAlert", "presentError", "showMessage", "displayError", "confirmationDialog",
    "Button", "ContentUnavailableView", "navigationTitle", "accessibilityLabel",
  ]
  /// Words in the names of state that a person sees.
  package var stateWords: Set<String> = [
    "error", "alert", "failure", "failed", "message", "toast", "banner",
  ]
  /// Calls that tidy up, whose failure changes nothing.
  package var cleanUps: Set<String> = [
    "removeItem", "close", "cancel", "unlink", "shutdown", "syncShutdownGracefully", "stop",
    "terminate", "disconnect", "invalidate", "cleanup", "cleanUp", "rollback", "setActive",
    "tearDown", "closeFile", "closedir", "fclose", "munmap", "trashItem",
  ]
  /// Verbs of what must not be done twice.
  package var onceOnly: Set<String> = [
    "create", "charge", "purchase", "pay", "transfer", "submit", "order", "send", "post", "book",
    "refund", "insert", "add",
  ]
  /// Words in the names of calls that try again.
  package var retries: Set<String> = ["retry", "retrying", "withRetry", "withRetries"]
  /// Endings of types between technical errors and people.
  package var presentationLayers: [String] = ["ViewModel", "Controller", "Store", "Presenter"]
  /// Types of errors that such a layer must not throw.
  package var technicalErrors: Set<String> = []
  /// Words of error cases that say too little.
  package var vagueCases: Set<String> = ["unknown", "generic", "other"]

  package init() {}

  /// Whether a call with this name, made on this receiver, reports to somebody.
  func isRecorder(_ name: String, receiver: String?) -> Bool {
    if recorders.contains(name) { return true }
    if let receiver, isLogger(receiver) { return true }
    let all = words(of: name)
    guard let first = all.first else { return false }
    return recorders.contains(first) || all.contains(where: Self.failureWords.contains)
  }

  func isLogger(_ name: String) -> Bool {
    if loggers.contains(name) { return true }
    return words(of: name).last.map { $0 == "log" || $0 == "logger" } ?? false
  }

  /// Whether a call tidies up, so that its failure changes nothing.
  func isCleanUp(_ call: FunctionCallExprSyntax) -> Bool {
    guard let name = call.name else { return false }
    if cleanUps.contains(name) { return true }
    let all = words(of: name)
    guard let first = all.first, let last = all.last else { return false }
    return Self.cleanUpVerbs.contains(first) || Self.cleanUpVerbs.contains(last)
  }

  /// Whether what is tried tidies up.
  func isCleanUp(_ origin: Syntax) -> Bool {
    origin.as(TryExprSyntax.self)?.tried.map { isCleanUp($0) } ?? false
  }

  /// Whether a name says that something failed: `.failed`, `hasError`, `markInvalid`.
  static func namesFailure(_ name: String) -> Bool {
    words(of: name).contains(where: failureWords.contains)
  }

  /// Whether a text says that something failed.
  static func speaksOfFailure(_ text: String) -> Bool {
    text.lowercased().split { !$0.isLetter }.contains { failureWords.contains(String($0)) }
  }

  static let failureWords: Set<String> = [
    "error", "errors", "err", "fail", "fails", "failed", "failing", "failure", "failures",
    "invalid", "invalidated", "unavailable", "denied", "rejected", "refused", "corrupt",
    "corrupted", "unauthorized", "forbidden", "malformed", "broken", "aborted", "bad",
    "unreachable", "unsupported",
  ]
  private static let cleanUpVerbs: Set<String> = [
    "close", "shutdown", "cancel", "disconnect", "unlink", "terminate", "cleanup", "rollback",
    "teardown",
  ]
}
