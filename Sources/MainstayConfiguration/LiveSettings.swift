// SPDX-License-Identifier: Apache-2.0

public import Configuration
public import Logging
public import Mainstay
public import ServiceLifecycle

/// Policies and outboxes whose settings follow a configuration while they work.
///
/// Where a key is not set, what the policy was made with holds; where a value is not legal, or
/// cannot change any more, what held before goes on, and the reason is logged once. A policy whose
/// own values stay as they are is left alone, also where somebody else has given it others.
public struct LiveSettings: Service {
  private let reader: ConfigReader
  private let logger: Logger
  private let parts: [Part]

  /// One policy, and where its settings lie.
  private struct Part: Sendable {
    let key: ConfigKey
    /// Takes what a snapshot says; true where the policy has other settings now.
    let take: @Sendable (ConfigSnapshotReader) throws(ConfigurationError) -> Bool
  }

  /// What a policy was given last, which somebody else may have changed since.
  private final class Last<Settings: Sendable>: Sendable {
    let settings: Locked<Settings>

    init(_ settings: Settings) { self.settings = Locked(settings) }
  }

  /// Makes settings that follow nothing yet.
  ///
  /// - Parameters:
  ///   - reader: Where the values come from; for changes, one of its providers has to reload.
  ///   - logger: Where changes and refused values are told; notices and warnings.
  public init(_ reader: ConfigReader, logger: Logger = Logger(label: "mainstay.configuration")) {
    self.init(reader, logger, [])
  }

  private init(_ reader: ConfigReader, _ logger: Logger, _ parts: [Part]) {
    self.reader = reader
    self.logger = logger
    self.parts = parts
  }

  /// These settings, which are followed by one policy or outbox more.
  ///
  /// - Parameters:
  ///   - key: Where they lie, such as `breakers.catalog`.
  ///   - policy: What takes the settings; those that it has now hold wherever a key is not set.
  /// - Returns: Both these settings and one policy more.
  public func applying(_ key: ConfigKey, to policy: some LiveConfigurable) -> LiveSettings {
    let base = policy.configuration
    let last = Last(base)
    let part = Part(key: key) { snapshot throws(ConfigurationError) in
      let settings = try snapshot.settings(at: key, over: base)
      guard settings != last.settings.withLock({ $0 }) else { return false }
      try policy.update(settings)
      last.settings.withLock { $0 = settings }
      return true
    }
    return LiveSettings(reader, logger, parts + [part])
  }

  /// Follows the configuration until the task is cancelled or the service group shuts down.
  public func run() async throws {
    try await cancelWhenGracefulShutdown { [self] in
      try await reader.watchSnapshot { updates in
        var refused: [Int: ConfigurationError] = [:]
        for try await snapshot in updates { take(snapshot, &refused) }
      }
    }
  }

  /// Applies what a snapshot says to each policy; one refusal leaves the others alone.
  private func take(_ snapshot: ConfigSnapshotReader, _ refused: inout [Int: ConfigurationError]) {
    for (index, part) in parts.enumerated() {
      do throws(ConfigurationError) {
        if try part.take(snapshot) { logger.notice("Took new settings of \(part.key)") }
        refused[index] = nil
      } catch {
        guard refused[index] != error else { continue }
        refused[index] = error
        logger.warning("Kept the old settings of \(part.key): \(error)")
      }
    }
  }
}
