// SPDX-License-Identifier: Apache-2.0

/// How many repetitions may still be paid for: the pure part of ``RetryBudget``.
///
/// All amounts are whole thousandths of a token, so nothing is lost or made by rounding (P14).
struct RetryBudgetStateMachine: Sendable {
  /// The settings, in thousandths of a token.
  struct Limits: Sendable, Equatable {
    /// What a call that is made for the first time pays in.
    var deposit: Int
    /// What each second pays in.
    var perSecond: Int
    /// What the budget holds at most.
    var capacity: Int
  }

  static let aToken = 1_000

  private(set) var limits: Limits
  /// What is there, without the time since ``refilledAt``.
  private(set) var balance: Int
  /// Up to which reading of the clock time has paid in.
  private(set) var refilledAt: Duration

  init(limits: Limits, initial: Int, now: Duration) {
    self.limits = limits
    balance = min(max(initial, 0), limits.capacity)
    refilledAt = now
  }

  /// Goes on with other settings; what lies in it stays, as far as it still holds that much.
  mutating func update(_ limits: Limits, now: Duration) {
    refill(now: now)
    self.limits = limits
    balance = min(balance, limits.capacity)
    // Time that passed while nothing was paid for it pays nothing afterwards.
    refilledAt = max(refilledAt, now)
  }

  /// Calls that were made for the first time pay in.
  mutating func deposit(_ amount: Int) { add(amount) }

  /// Takes the cost of a repetition, or nothing where there is too little.
  mutating func withdraw(_ cost: Int, now: Duration) -> Bool {
    refill(now: now)
    guard balance >= cost else { return false }
    balance -= max(cost, 0)
    return true
  }

  /// A repetition was not made, or was worth its cost.
  mutating func refund(_ cost: Int) { add(cost) }

  /// How long it takes until the cost is there by time alone; nil where that never happens.
  mutating func wait(for cost: Int, now: Duration) -> Duration? {
    refill(now: now)
    let missing = cost - balance
    guard missing > 0 else { return .zero }
    guard limits.perSecond > 0, cost <= limits.capacity else { return nil }
    let (full, rest) = (Int64(missing) * Self.billion)
      .quotientAndRemainder(dividingBy: Int64(limits.perSecond))
    let wait = Duration.nanoseconds(full + (rest > 0 ? 1 : 0)) - (now - refilledAt).clamped
    return max(wait, .nanoseconds(1))
  }

  /// Time pays in; a clock that went back has not let any pass (P12).
  private mutating func refill(now: Duration) {
    guard limits.perSecond > 0 else { return }
    let (missing, perSecond) = (Int64(limits.capacity - balance), Int64(limits.perSecond))
    let untilFull = Duration.nanoseconds(missing * Self.billion / perSecond + 1)
    let elapsed = (now - refilledAt).clamped  // not below zero
    guard elapsed < untilFull else {
      balance = limits.capacity
      refilledAt = now
      return
    }
    // Both products stay below capacity x a billion, which fits. What is less than a thousandth of
    // a token stays for the next time.
    let amount = elapsed.wholeNanoseconds * perSecond / Self.billion
    balance += Int(amount)
    // Rounded up, so that time never pays twice.
    let used = (amount * Self.billion + perSecond - 1) / perSecond
    refilledAt += .nanoseconds(used)
  }

  private mutating func add(_ amount: Int) {
    balance += min(max(amount, 0), limits.capacity - balance)
  }

  // In `Int64`, since `Int` has 32 bits on watches.
  private static let billion: Int64 = 1_000_000_000
}

extension Duration {
  /// Whole nanoseconds of a duration of at most a year.
  fileprivate var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = clamped.components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
