// SPDX-License-Identifier: Apache-2.0

import Mainstay

/// Whether a request was refused since there was too much to do, or its caller gave it no time.
///
/// Both are counted where they happen, and no failure that somebody has to look into.
final class OwnRefusal: Sendable {
  @TaskLocal static var current: OwnRefusal?
  /// Whether the time in which a request has to be answered is that of its caller.
  @TaskLocal static var isHurried = false

  private let isNoted = Locked(false)

  /// Says so of the request that is handled.
  static func note() { current?.isNoted.withLock { $0 = true } }

  /// Whether an error is why the request was refused, and not one that came after it.
  func explains(_ error: any Error) -> Bool {
    (error is Rejection || error is TimedOut) && isNoted.withLock { $0 }
  }
}
