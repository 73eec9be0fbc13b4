// SPDX-License-Identifier: Apache-2.0

/// Holds back an answer, or a script, until a test lets it go on.
public final class Gate: Sendable {
  private let log = EventLog<Void>()

  /// Makes one that is closed.
  public init() {}

  /// Lets everybody go on who waits, and whoever comes later.
  public func open() { log.add(()) }

  /// Returns once it is open, or when the task is cancelled.
  public func opened() async { await log.reached(1) }
}
