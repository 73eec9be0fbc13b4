// SPDX-License-Identifier: Apache-2.0

public import Logging
public import Mainstay

/// One request that went out, and what came back: for logs, metrics and monitors.
///
/// A call has several where it is repeated, redirected or signed in anew. Nothing in it is
/// anybody's business: the address is without user, query and fragment, and of header fields there
/// is only the name that the service gave to the request.
public struct HTTPExchange: Sendable {
  /// The method.
  public let verb: HTTPVerb
  /// Whom it went to.
  public let origin: HTTPOrigin
  /// The address, redacted.
  public let url: String
  /// Which attempt of its call it was, from 1.
  public let attempt: Int
  /// The status; nil where there was no answer.
  public let status: Int?
  /// By what name the service knows the request; nil where it does not say.
  public let requestID: String?
  /// How long it took until the head of the answer was there.
  public let duration: Duration
  /// Why there was no answer, or that a portal gave it; nil where the service answered.
  public let error: AppError?
}

extension HTTPExchange: CustomStringConvertible {
  /// One line for logs.
  public var description: String {
    var line = "\(verb) \(url): "
    if let status { line += "HTTP status \(status)" }
    if let error { line += status == nil ? "no answer, \(error.code)" : ", \(error.code)" }
    if attempt > 1 { line += ", attempt \(attempt)" }
    if let requestID { line += ", request \(requestID)" }
    return line
  }

  /// Writes the exchange to a log: what failed, and what a portal answered, as a warning, all else
  /// as `debug`; cancellations are `trace`.
  ///
  /// The line has `http.status` where there was an answer, and `error.code` where there was none or
  /// one that is no success, such as `http.500`.
  ///
  /// - Parameter logger: Where it is written.
  public func log(to logger: Logger) {
    let isFailure = error != nil || (status ?? 599) >= 500
    let level: Logger.Level =
      error?.isCancellation ?? false ? .trace : isFailure ? .warning : .debug
    var metadata: Logger.Metadata = [
      "http.method": "\(verb)", "http.url": "\(url)", "http.attempt": "\(attempt)",
      "http.duration_ms": "\(duration.inMilliseconds)",
    ]
    if let status { metadata["http.status"] = "\(status)" }
    if let code { metadata["error.code"] = "\(code)" }
    logger.log(level: level, "\(description)", metadata: metadata)
  }

  /// What went wrong; nil where nothing did.
  private var code: ErrorCode? {
    if let error { return error.code }
    return status.flatMap { $0 >= 400 ? AppError.http(status: $0).code : nil }
  }

  /// Tells a monitor of the connection what became of it: an answer of any kind shows that there is
  /// one.
  ///
  /// A call of the device itself, such as to `localhost`, says nothing about that.
  ///
  /// - Parameter monitor: Who is told.
  public func report(to monitor: ConnectivityMonitor) {
    guard !origin.isLoopback else { return }
    if let error {
      guard !error.isCancellation else { return }
      monitor.record(.failed(error.kind), from: origin.description, lasting: duration)
    } else if status != nil {
      monitor.record(.delivered, from: origin.description, lasting: duration)
    }
  }
}

extension Duration {
  var inMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    return min(max(seconds, -1_000_000_000), 1_000_000_000) * 1_000
      + attoseconds / 1_000_000_000_000_000
  }
}
