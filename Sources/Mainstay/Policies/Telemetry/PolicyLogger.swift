// SPDX-License-Identifier: Apache-2.0

public import Logging

/// Writes the events of policies to swift-log.
///
/// The level is that of the event's ``PolicyEvent/What/severity``. The message is the name of the
/// event, the same for each of its kind; what differs stands in the metadata, with texts of errors
/// redacted.
public struct PolicyLogger: PolicyObserver {
  private let logger: Logger
  private let minimumSeverity: Severity

  /// Makes a logger of events.
  ///
  /// - Parameters:
  ///   - logger: Where to write; the default has the label `mainstay.policies`.
  ///   - minimumSeverity: What is milder is not even prepared; the default is `debug`, everything,
  ///     and the logger's own level decides.
  public init(
    _ logger: Logger = Logger(label: "mainstay.policies"), minimumSeverity: Severity = .debug
  ) {
    self.logger = logger
    self.minimumSeverity = minimumSeverity
  }

  /// Writes an event.
  public func observe(_ event: PolicyEvent) {
    let severity = event.what.severity
    guard severity >= minimumSeverity, logger.logLevel <= severity.logLevel else { return }
    var metadata: Logger.Metadata = ["policy": "\(event.policy)"]
    for (name, value) in event.details { metadata[name] = "\(value)" }
    logger.log(level: severity.logLevel, "\(event.what.name)", metadata: metadata)
  }
}
