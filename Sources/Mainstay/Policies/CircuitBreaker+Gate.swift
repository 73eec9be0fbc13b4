// SPDX-License-Identifier: Apache-2.0

import Synchronization

// The way past the lock: while all is well, calls go through by one load each way.
extension CircuitBreaker {
  /// What the machine says of calls, for those who have not locked it; written under the lock.
  ///
  /// A call that reads it a moment before it changes stands in the order of events before that
  /// change: it was admitted by the earlier state, or its success came before the failure.
  struct Gate: ~Copyable, Sendable {
    enum Sign: Sendable, Equatable {
      /// The machine has to be asked.
      case locked
      /// The machine has to be asked, with a reading of the clock.
      case lockedByClock
      /// Calls go through in this epoch, and successes say nothing that is not known.
      case free(epoch: UInt64)
    }

    private static let locked: UInt64 = 0
    private static let lockedByClock: UInt64 = 1
    private let word = Atomic<UInt64>(Self.locked)
    private let waiting = Atomic(false)

    var sign: Sign {
      switch word.load(ordering: .acquiring) {
      case Self.locked: .locked
      case Self.lockedByClock: .lockedByClock
      case let other: .free(epoch: other - 2)
      }
    }

    /// Whether a success that was admitted in an epoch changes nothing.
    func isFree(in epoch: UInt64) -> Bool { word.load(ordering: .acquiring) == epoch + 2 }

    /// Whether calls may wait for the verdict of a probe.
    var letsWait: Bool { waiting.load(ordering: .acquiring) }

    func show(_ sign: Sign, letsWait: Bool) {
      waiting.store(letsWait, ordering: .releasing)
      let new =
        switch sign {
        case .locked: Self.locked
        case .lockedByClock: Self.lockedByClock
        case .free(let epoch): epoch + 2
        }
      word.store(new, ordering: .releasing)
    }
  }

  /// Changes the machine under the lock: the only way to do so. Reading alone needs no new sign.
  func change<T: Sendable>(_ move: (inout Guarded) -> T) -> T {
    guarded.withLock { guarded in
      let result = move(&guarded)
      gate.show(guarded.machine.sign, letsWait: guarded.machine.settings.waiting != nil)
      return result
    }
  }
}

extension CircuitBreakerStateMachine {
  /// What calls have to know before they ask the machine.
  var sign: CircuitBreaker.Gate.Sign {
    guard settings.mode != .disabled else { return .locked }
    guard case .closed = state else { return .lockedByClock }
    let isUntroubled = failures == 0 && windows.isEmpty && !isTimed
    return isUntroubled ? .free(epoch: epoch) : .locked
  }
}
