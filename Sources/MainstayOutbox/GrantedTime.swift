// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// Until when what runs may go on: until the time is over that an app has to drain its outbox, or
/// that runs have to end before it is suspended.
final class GrantedTime: Sendable {
  private struct Ends {
    var ofDrains: [Int: Duration] = [:]
    var lastDrain = 0
    var ofSuspension: Duration?
  }

  private let ends = Locked(Ends())

  /// The end, by the clock of the outbox; nil where none is known.
  ///
  /// A suspension ends the time of a drain, and of two drains the longer one counts.
  var end: Duration? { ends.withLock { $0.ofSuspension ?? $0.ofDrains.values.max() } }

  /// A drain begins.
  ///
  /// - Returns: Its number, for ``drainEnded(_:)``.
  func drainBegan(until end: Duration) -> Int {
    ends.withLock { ends in
      ends.lastDrain += 1
      ends.ofDrains[ends.lastDrain] = end
      return ends.lastDrain
    }
  }

  /// A drain has ended; what it has begun goes on.
  func drainEnded(_ number: Int) { ends.withLock { $0.ofDrains[number] = nil } }

  /// What runs is to end; nil where it may go on.
  func suspend(until end: Duration?) { ends.withLock { $0.ofSuspension = end } }
}
