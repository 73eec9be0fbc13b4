// SPDX-License-Identifier: Apache-2.0

public import Logging
public import Mainstay

extension JSONRPCEvent {
  /// The name of the event, the same for each of its kind.
  public var name: String {
    switch self {
    case .connected: "connected"
    case .disconnected: "disconnected"
    case .connectingFailed: "connecting-failed"
    case .requested: "requested"
    case .answered: "answered"
    case .failed: "failed"
    case .pushed: "pushed"
    case .ignored: "ignored"
    }
  }

  /// What differs between events of a kind: method, id, code and time; never what was sent.
  public var metadata: [String: String] {
    switch self {
    case .connected(let number): ["connection": "\(number)"]
    case .disconnected(let number, let error):
      ["connection": "\(number)", "error.code": error.code.rawValue]
    case .connectingFailed(let attempt, let error, let pause):
      [
        "attempt": "\(attempt)", "error.code": error.code.rawValue,
        "retry-after": pause.map { "\($0)" } ?? "never",
      ]
    case .requested(let method, let id): Self.call(method, id)
    case .answered(let method, let id, let time):
      Self.call(method, id).merging(["duration": "\(time)"]) { $1 }
    case .failed(let method, let id, let error, let time):
      Self.call(method, id).merging([
        "duration": "\(time)", "error.code": error.code.rawValue,
        "disposition": "\(error.disposition)",
      ]) { $1 }
    case .pushed(let method): Self.call(method, nil)
    case .ignored(let stray): ["stray": stray.rawValue]
    }
  }

  /// Names of methods and ids may be anything, so they are cut and redacted.
  private static func call(_ method: String, _ id: JSONRPCID?) -> [String: String] {
    var values = ["method": BoundedText.redacted(method, to: BoundedText.name)]
    values["id"] = id.map { BoundedText.redacted($0.description, to: BoundedText.name) }
    return values
  }

  /// How bad it is.
  public var severity: Severity {
    switch self {
    case .requested, .answered, .pushed: .debug
    case .connected: .info
    case .failed(_, _, let error, _): error.severity
    case .disconnected(_, let error): error.severity
    case .connectingFailed, .ignored: .warning
    }
  }

  /// Writes the event to a log: its name as the message, the rest as metadata.
  ///
  /// - Parameter logger: The log.
  public func log(to logger: Logger) {
    let level: Logger.Level =
      switch severity {
      case .debug: .debug
      case .info: .info
      case .warning: .warning
      case .error: .error
      case .critical: .critical
      }
    guard logger.logLevel <= level else { return }
    var values: Logger.Metadata = [:]
    for (name, value) in metadata { values[name] = "\(value)" }
    logger.log(level: level, "\(name)", metadata: values)
  }
}

extension JSONRPCClient {
  /// Writes what happens to a log, until the client is closed or the task is cancelled.
  ///
  /// - Parameter logger: The log.
  public func log(to logger: Logger) async {
    for await event in events { event.log(to: logger) }
  }
}
