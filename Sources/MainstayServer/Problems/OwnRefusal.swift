// SPDX-License-Identifier: Apache-2.0

import Mainstay

/// Whether a request was refused since there was too much to do, or its caller gave it no time.
///
/// Both are counted where they happen, and no failure that somebody has to look into.
final class OwnRefusal: Sendable {
  @TaskLocal static var current: OwnRefusal?
  /// Whether the time in which a request has to be answered is that of its caller.
  @TaskLocal static var isHurried = false

  private let noted = Locked<(any Error)?>(nil)

  /// Says so of the request that is handled, with the error that it ends with.
  static func note(_ error: any Error) { current?.noted.withLock { $0 = error } }

  /// Whether an error is why the request was refused, and not one that came after it.
  func explains(_ error: any Error) -> Bool {
    guard let noted = noted.withLock({ $0 }) else { return false }
    if let noted = noted as? AppError { return noted.id == (error as? AppError)?.id }
    // Other errors are values without a name.
    return type(of: noted) == type(of: error)
  }
}
