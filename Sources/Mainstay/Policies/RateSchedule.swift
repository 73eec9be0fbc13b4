// SPDX-License-Identifier: Apache-2.0

/// A reading of a clock or a span of time in nanoseconds; no sum of two overflows.
typealias Nanoseconds = Int128

extension Duration {
  /// The duration in whole nanoseconds.
  var inNanoseconds: Nanoseconds {
    let all = attoseconds
    // Of what is negative no shift is zero.
    guard all >> 104 == 0 else { return all / 1_000_000_000 }
    // By 2 to the power of 9 and 5 to that of 9, in two steps: the processor is much slower at
    // dividing 128 bits at once.
    let low = UInt64(truncatingIfNeeded: all >> 9) & 0xFFFF_FFFF
    let high = UInt64(truncatingIfNeeded: all >> 41).quotientAndRemainder(dividingBy: 1_953_125)
    let rest = (high.remainder << 32 | low) / 1_953_125
    return Nanoseconds(high.quotient) << 32 | Nanoseconds(rest)
  }

  /// A duration of whole nanoseconds, whose seconds fit 64 bits.
  static func exactly(_ nanoseconds: Nanoseconds) -> Duration {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return Duration(
      secondsComponent: Int64(clamping: seconds),
      attosecondsComponent: Int64(clamping: rest) * 1_000_000_000)
  }
}

/// When calls may run by the law of a ``RateLimiter``, given those that were let through before.
///
/// All counting is in integers: nothing is rounded away, however short the steps of time (P14).
enum RateSchedule: Sendable {
  case tokenBucket(TokenBucket)
  case gcra(GenericCellRate)
  case slidingWindow(SlidingWindowLog)

  init(_ kind: RateLimiter.Kind) {
    let per = kind.per.clamped.inNanoseconds
    switch kind.law {
    case .tokenBucket:
      self = .tokenBucket(TokenBucket(rate: kind.rate, per: per, burst: kind.burst))
    case .gcra:
      self = .gcra(GenericCellRate(rate: kind.rate, per: per, burst: kind.burst))
    case .slidingWindow: self = .slidingWindow(SlidingWindowLog(limit: kind.rate, window: per))
    }
  }

  /// What one call may cost at most.
  var highestCost: Int {
    switch self {
    case .tokenBucket(let bucket): bucket.burst
    case .gcra(let cells): cells.burst
    case .slidingWindow(let log): log.limit
    }
  }

  /// When a call may run at the earliest, not before a reading.
  ///
  /// - Parameters:
  ///   - cost: What it costs, the highest cost at most.
  ///   - time: Not before this; never before the latest call that was let through.
  /// - Returns: The first reading that keeps the law.
  func earliest(_ cost: Int, from time: Nanoseconds) -> Nanoseconds {
    switch self {
    case .tokenBucket(let bucket): bucket.earliest(cost, from: time)
    case .gcra(let cells): cells.earliest(cost, from: time)
    case .slidingWindow(let log): log.earliest(cost, from: time)
    }
  }

  /// What calls may cost in all that begin at a reading.
  func free(at time: Nanoseconds) -> Int {
    switch self {
    case .tokenBucket(let bucket): bucket.free(at: time)
    case .gcra(let cells): cells.free(at: time)
    case .slidingWindow(let log): log.free(at: time)
    }
  }

  /// The same under another law: what is used up at a reading stays used up.
  ///
  /// No more is free than before, so changing the law to and fro lets nobody through. What counts
  /// goes on counting from when it began, and parts of a call are kept: else a limit that is
  /// changed again and again would never be free.
  func changed(to kind: RateLimiter.Kind, at time: Nanoseconds) -> RateSchedule {
    var new = RateSchedule(kind)
    switch (self, new) {
    case (.slidingWindow(let old), .slidingWindow(var log)):
      log.take(from: old, at: time)
      return .slidingWindow(log)
    case (.slidingWindow, _), (_, .slidingWindow):
      new.admit(new.highestCost - min(free(at: time), new.highestCost), at: time)
      return new
    case (_, .tokenBucket(var bucket)):
      bucket.hold(calls(at: time), at: time)
      return .tokenBucket(bucket)
    case (_, .gcra(var cells)):
      cells.hold(calls(at: time), at: time)
      return .gcra(cells)
    }
  }

  /// What calls may cost that begin at a reading, to the parts of a call.
  private func calls(at time: Nanoseconds) -> CallParts {
    switch self {
    case .tokenBucket(let bucket): bucket.calls(at: time)
    case .gcra(let cells): cells.calls(at: time)
    case .slidingWindow(let log): CallParts(parts: Int128(log.free(at: time)), perCall: 1)
    }
  }

  /// Lets a call through if it may run at a reading, not before the latest one.
  mutating func admitAtOnce(_ cost: Int, at time: Nanoseconds) -> Bool {
    guard cost > 0 else { return true }
    guard cost <= highestCost else { return false }
    if case .tokenBucket(var bucket) = self {
      guard bucket.admitAtOnce(cost, at: time) else { return false }
      self = .tokenBucket(bucket)
      return true
    }
    guard earliest(cost, from: time) <= time else { return false }
    admit(cost, at: time)
    return true
  }

  /// A call is let through, at a reading that ``earliest(_:from:)`` gave.
  mutating func admit(_ cost: Int, at time: Nanoseconds) {
    switch self {
    case .tokenBucket(var bucket):
      bucket.admit(cost, at: time)
      self = .tokenBucket(bucket)
    case .gcra(var cells):
      cells.admit(cost, at: time)
      self = .gcra(cells)
    case .slidingWindow(var log):
      self = .slidingWindow(log.emptied)  // else the log would be copied
      log.admit(cost, at: time)
      self = .slidingWindow(log)
    }
  }
}

/// A number of calls that need not be whole, zero or more.
struct CallParts: Sendable {
  let parts: Int128
  let perCall: Int128

  /// The same in other parts, rounded down; no more calls than a bound.
  func counted(in perCall: Int128, atMost bound: Int) -> Int128 {
    // Apart, since their product could be too large.
    let (whole, rest) = parts.quotientAndRemainder(dividingBy: self.perCall)
    guard whole < bound else { return Int128(bound) * perCall }
    return whole * perCall + rest * perCall / self.perCall
  }
}

/// Tokens that come in at a steady rate, up to as many as the bucket holds; a call takes its cost.
///
/// A token is counted as `per` parts, of which `rate` come in per nanosecond.
struct TokenBucket: Sendable {
  let burst: Int
  private let rate: Int128
  private let token: Int128
  /// So long an empty bucket takes to fill.
  private let filling: Nanoseconds
  private var parts: Int128
  private var time: Nanoseconds = .min / 8

  init(rate: Int, per: Nanoseconds, burst: Int) {
    self.rate = Int128(rate)
    self.burst = burst
    token = per
    parts = Int128(burst) * per
    filling = parts / self.rate + 1
  }

  private func parts(at now: Nanoseconds) -> Int128 {
    let full = Int128(burst) &* token
    // A longer time could be too long to multiply.
    let elapsed = now - time
    guard elapsed < filling else { return full }
    return min(full, parts + elapsed &* rate)
  }

  func earliest(_ cost: Int, from time: Nanoseconds) -> Nanoseconds {
    let missing = Int128(cost) * token - parts(at: time)
    guard missing > 0 else { return time }  // without a division
    return time + (missing + rate - 1) / rate
  }

  func free(at time: Nanoseconds) -> Int { Int(clamping: parts(at: time) / token) }

  func calls(at time: Nanoseconds) -> CallParts {
    CallParts(parts: max(0, parts(at: time)), perCall: token)
  }

  /// So many calls are free at a reading, up to the burst.
  mutating func hold(_ calls: CallParts, at now: Nanoseconds) {
    (parts, time) = (calls.counted(in: token, atMost: burst), now)
  }

  mutating func admit(_ cost: Int, at now: Nanoseconds) {
    parts = parts(at: now) - Int128(cost) * token
    time = now
  }

  mutating func admitAtOnce(_ cost: Int, at now: Nanoseconds) -> Bool {
    let rest = parts(at: now) - Int128(cost) &* token
    guard rest >= 0 else { return false }
    (parts, time) = (rest, now)
    return true
  }
}

/// The generic cell rate algorithm: one reading, the time at which all that was let through is
/// worked off at the steady rate.
///
/// It is counted in parts of a nanosecond, `rate` of them. Source: ITU-T I.371, annex A.
struct GenericCellRate: Sendable {
  let burst: Int
  private let rate: Int128
  private let cell: Int128
  private var workedOff: Int128 = .min / 4

  init(rate: Int, per: Nanoseconds, burst: Int) {
    self.rate = Int128(rate)
    self.burst = burst
    cell = per
  }

  func earliest(_ cost: Int, from time: Nanoseconds) -> Nanoseconds {
    let parts = workedOff + Int128(cost - burst) * cell
    guard parts > time * rate else { return time }  // without a division
    let (whole, rest) = parts.quotientAndRemainder(dividingBy: rate)
    return rest > 0 ? whole + 1 : whole
  }

  func free(at time: Nanoseconds) -> Int {
    let ahead = max(0, workedOff - time * rate)
    return max(0, burst - Int(clamping: (ahead + cell - 1) / cell))
  }

  func calls(at time: Nanoseconds) -> CallParts {
    let ahead = max(0, workedOff - time * rate)
    return CallParts(parts: max(0, Int128(burst) * cell - ahead), perCall: cell)
  }

  /// So many calls are free at a reading, up to the burst.
  mutating func hold(_ calls: CallParts, at time: Nanoseconds) {
    let free = calls.counted(in: cell, atMost: burst)
    workedOff = time * rate + Int128(burst) * cell - free
  }

  mutating func admit(_ cost: Int, at time: Nanoseconds) {
    workedOff = max(workedOff, time * rate) + Int128(cost) * cell
  }
}
