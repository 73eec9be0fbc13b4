// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// A limit of any kind that several processes have a part of.
protocol DividedLimit: AnyObject, Sendable {
  /// Gives this process its part, unless it has it; false where the limit is gone.
  func divide(by members: Int) throws(ConfigurationError) -> Bool
}

/// One limit that several processes have a part of.
///
/// It remembers the part that it gave last: where the limit is another one by then, somebody has
/// set it meanwhile for all of them, and it is divided anew.
final class Division<Limit: Equatable & Sendable>: DividedLimit {
  private struct Last {
    var whole: Limit
    var part: Limit
    var members: Int
  }

  private let last = Locked<Last?>(nil)
  private let now: @Sendable () -> Limit?
  private let part: @Sendable (_ whole: Limit, _ members: Int) -> Limit
  private let set: @Sendable (Limit) throws(ConfigurationError) -> Void

  /// Makes a division that has given nothing yet.
  ///
  /// - Parameters:
  ///   - now: The limit as it is; nil once it is gone.
  ///   - part: What it is for each of so many processes.
  ///   - set: Sets it.
  init(
    _ now: @escaping @Sendable () -> Limit?,
    into part: @escaping @Sendable (_ whole: Limit, _ members: Int) -> Limit,
    set: @escaping @Sendable (Limit) throws(ConfigurationError) -> Void
  ) {
    self.now = now
    self.part = part
    self.set = set
  }

  func divide(by members: Int) throws(ConfigurationError) -> Bool {
    guard let now = now() else { return false }
    var whole = now
    if let last = last.withLock({ $0 }), last.part == now {
      guard last.members != members else { return true }
      whole = last.whole
    }
    // A part that is refused leaves the limit as it is, and is not tried again at each look.
    last.withLock { $0 = Last(whole: whole, part: now, members: members) }
    let part = part(whole, members)
    try set(part)
    last.withLock { $0 = Last(whole: whole, part: part, members: members) }
    return true
  }
}
