// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

extension Outbox {
  /// Opens an outbox in a file with settings that come from outside.
  ///
  /// - Parameters:
  ///   - url: The SQLite file; it and its folder are created where they are missing.
  ///   - configuration: The settings, such as ones that were read from a file.
  ///   - clock: What waits are measured with; the default is `ContinuousClock`.
  ///   - now: The time of day, read once; nil, the default, for the system's.
  ///   - workers: What runs the operations, one for each kind and version.
  /// - Throws: `ConfigurationError` with everything that is not legal, before anything is opened;
  ///   else ``OutboxError``, naming the path.
  public convenience init(
    at url: URL, validating configuration: Configuration,
    clock: some Clock<Duration> = ContinuousClock(), now: (@Sendable () -> Date)? = nil,
    @WorkerBuilder workers: () -> [Worker]
  ) async throws {
    try configuration.validate()
    try await self.init(
      at: url, configuration: configuration, clock: clock, now: now, workers: workers)
  }

  /// Opens an outbox on a store of your own, such as one of PostgreSQL, with settings that come
  /// from outside.
  ///
  /// - Parameters:
  ///   - store: Where the operations are kept; not opened yet.
  ///   - configuration: The settings, such as ones that were read from the environment.
  ///   - clock: What waits are measured with; the default is `ContinuousClock`.
  ///   - workers: What runs the operations, one for each kind and version.
  /// - Throws: `ConfigurationError` with everything that is not legal, before anything is opened;
  ///   else ``OutboxError``.
  public convenience init(
    store: some OutboxStore, validating configuration: Configuration,
    clock: some Clock<Duration> = ContinuousClock(), @WorkerBuilder workers: () -> [Worker]
  ) async throws {
    try configuration.validate()
    try await self.init(
      store: store, configuration: configuration, clock: clock, workers: workers)
  }
}

extension Outbox.Configuration {
  /// Checks settings that come from outside, before an outbox is opened with them.
  ///
  /// An outbox that is opened with illegal settings stops the program: in code they are a mistake.
  ///
  /// - Throws: `ConfigurationError` with everything that is not legal.
  public func validate() throws(ConfigurationError) {
    var found = Violations()
    check(&found)
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "Outbox", violations: found.all)
    }
  }
}
