// SPDX-License-Identifier: Apache-2.0

import Synchronization

// The way past the lock: while all is well, calls go through by one load each way, and during a
// break they are refused by a few loads, and a reading of the clock every few milliseconds.
extension CircuitBreaker {
  /// What the machine says of calls, for those who have not locked it; written under the lock.
  ///
  /// A call that reads it a moment before it changes stands in the order of events before that
  /// change: it was admitted by the earlier state, or its success came before the failure.
  struct Gate: ~Copyable, Sendable {
    /// A break that goes on, by readings of the breaker's clock.
    struct Break: Sendable, Equatable {
      let epoch: UInt64
      /// The latest reading that the machine knows: an earlier one means that no time has passed.
      let from: Duration
      /// When calls are let through again.
      let until: Duration
    }

    enum Sign: Sendable, Equatable {
      /// The machine has to be asked.
      case locked
      /// The machine has to be asked, with a reading of the clock.
      case lockedByClock
      /// Calls are refused up to a reading of the clock.
      case open
      /// Calls go through in this epoch, and successes say nothing that is not known.
      case free(epoch: UInt64)
    }

    // Even words ask for no clock, odd ones do; from 2 on they name an epoch.
    private static let locked: UInt64 = 0
    private static let lockedByClock: UInt64 = 1
    private static func free(in epoch: UInt64) -> UInt64 { epoch * 2 + 2 }
    private static func open(in epoch: UInt64) -> UInt64 { epoch * 2 + 3 }

    private let word = Atomic<UInt64>(Self.locked)
    private let waiting = Atomic(false)
    private let from = Reading()
    private let until = Reading()
    /// The tick in which somebody last looked how long the break goes on; 0 where nobody has.
    private let tick = Atomic<Int64>(0)
    /// How long it was then, in nanoseconds.
    private let waitInTick = Atomic<Int64>(0)

    /// Whether whole runs were ever admitted, whose calls may come here as well.
    private let surrounds = Atomic(false)

    var surroundsRuns: Bool { surrounds.load(ordering: .acquiring) }

    func surroundRuns() { surrounds.store(true, ordering: .releasing) }

    var sign: Sign {
      switch word.load(ordering: .acquiring) {
      case Self.locked: .locked
      case Self.lockedByClock: .lockedByClock
      case let word where word.isMultiple(of: 2): .free(epoch: word / 2 - 1)
      default: .open
      }
    }

    /// How long a call has to wait that comes at a reading; nil where the machine has to be asked.
    ///
    /// The word is read before the parts of the break and again after them. It is taken away before
    /// they are written, and each break has an epoch of its own, in which its end stays the same.
    /// So who has seen a part of another break does not find the word that was there before.
    ///
    /// Within a break only its latest reading is written again. Who reads that in between may have
    /// halves of two, which matters only while a clock goes back: the end is right in any case.
    func wait(at now: Duration) -> Duration? {
      let word = word.load(ordering: .acquiring)
      guard word > Self.lockedByClock, !word.isMultiple(of: 2) else { return nil }
      let (from, until, now) = (from.attoseconds, until.attoseconds, now.attoseconds)
      guard self.word.load(ordering: .acquiring) == word else { return nil }
      // Plain numbers, since comparing durations is a call each time.
      return from <= now && now < until ? Duration(attoseconds: until - now) : nil
    }

    /// How long a call has to wait that comes in a tick in which somebody has looked; nil where the
    /// clock has to be read.
    ///
    /// It is too long by what has passed of the tick since then, and in the first moment after the
    /// system has slept by its sleep as well, for that is no tick. The tick is taken away before
    /// another break begins, so who finds the same word twice has the tick and the wait of this
    /// break. Who finds the same tick twice has the wait of this tick.
    func wait(in tick: Int64?) -> Duration? {
      let word = word.load(ordering: .acquiring)
      guard word > Self.lockedByClock, !word.isMultiple(of: 2) else { return nil }
      guard let tick, self.tick.load(ordering: .acquiring) == tick else { return nil }
      let wait = waitInTick.load(ordering: .acquiring)
      guard self.tick.load(ordering: .acquiring) == tick,
        self.word.load(ordering: .acquiring) == word
      else { return nil }
      return Duration(attoseconds: Int128(wait) &* 1_000_000_000)
    }

    /// Remembers how long a call has to wait that comes at a reading in a tick, where the break
    /// goes on well beyond that tick; called under the lock.
    ///
    /// Whoever came to the lock after those of a later tick has nothing new to tell.
    func look(at now: Duration, in tick: Int64) {
      guard tick >= self.tick.load(ordering: .relaxed), let wait = wait(at: now),
        wait > Self.margin
      else { return }
      self.tick.store(0, ordering: .releasing)
      waitInTick.store(Int64(clamping: wait.inNanoseconds), ordering: .releasing)
      self.tick.store(tick, ordering: .releasing)
    }

    /// So much of a break is left to the clock: five ticks of the slowest systems, which look at
    /// theirs 100 times in a second.
    private static let margin = Duration.milliseconds(50)

    /// Whether a success that was admitted in an epoch changes nothing.
    func isFree(in epoch: UInt64) -> Bool {
      word.load(ordering: .acquiring) == Self.free(in: epoch)
    }

    /// Whether calls may wait for the verdict of a probe.
    var letsWait: Bool { waiting.load(ordering: .acquiring) }

    func show(_ sign: Sign, _ openBreak: Break?, letsWait: Bool) {
      let new =
        switch sign {
        case .locked: Self.locked
        case .lockedByClock, .open: Self.lockedByClock
        case .free(let epoch): Self.free(in: epoch)
        }
      // What is stored again is taken from the caches of all who read it: with a rule about a rate
      // most calls change nothing that is shown. Without a break there is no tick either.
      if openBreak == nil, word.load(ordering: .relaxed) == new, self.letsWait == letsWait {
        return
      }
      waiting.store(letsWait, ordering: .releasing)
      let isSameBreak = openBreak.map { Self.open(in: $0.epoch) == word.load(ordering: .relaxed) }
      word.store(new, ordering: .releasing)
      if isSameBreak != true { tick.store(0, ordering: .releasing) }
      guard let openBreak else { return }
      from.attoseconds = openBreak.from.attoseconds
      until.attoseconds = openBreak.until.attoseconds
      word.store(Self.open(in: openBreak.epoch), ordering: .releasing)
    }
  }

  /// A reading that is written by one at a time, and makes sense where nobody wrote it meanwhile.
  private struct Reading: ~Copyable, Sendable {
    private let high = Atomic<Int64>(0)
    private let low = Atomic<UInt64>(0)

    var attoseconds: Int128 {
      get {
        let high = Int128(high.load(ordering: .acquiring))
        return high << 64 | Int128(low.load(ordering: .acquiring))
      }
      nonmutating set {
        high.store(Int64(truncatingIfNeeded: newValue >> 64), ordering: .releasing)
        low.store(UInt64(truncatingIfNeeded: newValue), ordering: .releasing)
      }
    }
  }

  /// Changes the machine under the lock: the only way to do so.
  ///
  /// Reading alone needs no new sign.
  func change<T: Sendable>(_ move: (inout Guarded) -> T) -> T {
    guarded.withLock { guarded in
      let result = move(&guarded)
      gate.show(
        guarded.machine.sign, guarded.machine.openBreak,
        letsWait: guarded.machine.settings.waiting != nil)
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

  /// The break in which all that a call can get is a refusal; nil where there is none.
  var openBreak: CircuitBreaker.Gate.Break? {
    guard case .open(let until) = state, settings.mode == .enabled else { return nil }
    return .init(epoch: epoch, from: latest, until: until)
  }
}
