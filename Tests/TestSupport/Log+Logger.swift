// SPDX-License-Identifier: Apache-2.0

public import Logging

extension Log {
  /// A logger whose lines are kept here.
  ///
  /// - Parameters:
  ///   - level: The lowest level that is kept; all of them by default.
  ///   - line: How an event is kept; by default its message, and then its metadata by name.
  /// - Returns: The logger.
  public func logger(
    from level: Logger.Level = .trace,
    as line: @escaping @Sendable (LogEvent) -> String = { "\($0.message)\($0.pairs())" }
  ) -> Logger {
    Logger(label: "test") { _ in LineKeeper(log: self, logLevel: level, line: line) }
  }
}

extension LogEvent {
  /// The metadata by name, each pair after a space.
  ///
  /// - Parameter name: What is left out, since it is another one each time.
  /// - Returns: The pairs, as one text.
  public func pairs(without name: String? = nil) -> String {
    (metadata ?? [:]).filter { $0.key != name }.sorted { $0.key < $1.key }
      .map { " \($0.key)=\($0.value)" }.joined()
  }
}

/// A log that keeps its lines.
private struct LineKeeper: LogHandler {
  let log: Log
  var logLevel: Logger.Level
  let line: @Sendable (LogEvent) -> String
  var metadata: Logger.Metadata = [:]

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { log.add(line(event)) }
}
