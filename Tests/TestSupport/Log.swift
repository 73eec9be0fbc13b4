// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// What happened, in order.
public final class Log: Sendable {
  private let entries = Locked<[String]>([])

  /// Nothing has happened yet.
  public init() {}

  /// What happened so far.
  public var lines: [String] { entries.withLock { $0 } }

  /// Something happens.
  public func add(_ line: String) { entries.withLock { $0.append(line) } }
}
