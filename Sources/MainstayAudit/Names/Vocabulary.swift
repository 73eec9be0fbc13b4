// SPDX-License-Identifier: Apache-2.0

/// The names that rules go by, since they see no types; a configuration adds to them.
package struct Vocabulary: Sendable, Equatable {
  /// The type for the errors of the whole app, such as `AppError`; nil where there is none.
  package var appError: String?
  /// Protocols whose conformance is a conversion into it.
  package var converters: Set<String> = ["AppErrorConvertible"]
  /// First words, or whole names, of calls that report an error to somebody.
  package var recorders: Set<String> = [
    "log", "print", "debugPrint", "dump", "NSLog", "os_log", "record", "report", "capture",
    "track", "present", "show", "fail", "notify", "alert", "warn", "emit", "increment", "handle",
    "display", "toast", "send", "yield", "finish", "reject", "post", "write",
    "assert", "assertionFailure", "precondition", "preconditionFailure", "fatalError", "abort",
    "exit", "XCTFail",
  ]
  /// Names of what a log goes to.
  package var loggers: Set<String> = ["log", "logger", "Log", "Logger", "os_log", "console"]
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
    "terminate", "disconnect", "invalidate", "remove", "delete", "cleanup", "cleanUp", "rollback",
    "setActive", "synchronize", "tearDown",
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
    guard let first = words(of: name).first else { return false }
    return recorders.contains(first)
  }

  func isLogger(_ name: String) -> Bool {
    if loggers.contains(name) { return true }
    return words(of: name).last.map { $0 == "log" || $0 == "logger" } ?? false
  }
}
