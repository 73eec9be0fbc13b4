// SPDX-License-Identifier: Apache-2.0

/// How an ``AdaptiveLimit`` learns its limit from the answers; the pure part.
///
/// Every change of the limit begins a new epoch. A call that began in an earlier one says nothing
/// about the limit in force, so it is not counted. A hundred calls that are dropped together lower
/// the limit once, and never a hundred times.
struct LimitAlgorithm: Sendable {
  /// What one call says.
  struct Sample: Sendable {
    /// How long it took.
    var time: Duration
    /// How many ran when it was let through, itself included.
    var inFlight: Int
    /// Whether the service had no room for it: it asked to slow down, or gave no answer in time.
    var isDrop = false
    /// Whether a time limit made it a drop: it is none where the call had less time than answers
    /// take, such as after a long wait for its turn.
    var wasCut = false
  }

  private enum Law: Sendable {
    case aimd(AIMD)
    case vegas(Vegas)
    case gradient2(Gradient2)
  }

  private var law: Law
  private var bounds: ClosedRange<Double>
  /// The limit with its fraction.
  private var estimate: Double
  private(set) var epoch: UInt64 = 0
  /// How many seconds answers took of late; nil before the first one.
  private var usualTime: Double?
  private var answers = 0.0

  init(_ kind: AdaptiveLimit.Kind) {
    bounds = Double(kind.minimum)...Double(kind.maximum)
    estimate = Double(kind.initial)
    law = Self.law(of: kind)
  }

  private static func law(of kind: AdaptiveLimit.Kind) -> Law {
    switch kind.law {
    case .aimd(let ratio, let timeout): .aimd(AIMD(backoffRatio: ratio, timeout: timeout))
    case .vegas: .vegas(Vegas())
    case .gradient2(let tolerance): .gradient2(Gradient2(tolerance: tolerance))
    }
  }

  /// How many calls may run at the same time.
  var limit: Int { Int(estimate) }

  /// Learns by another kind from now on (P37).
  ///
  /// The limit stays, cut to the new bounds, and the same law keeps what it knows. What began
  /// before says nothing any more.
  mutating func update(_ kind: AdaptiveLimit.Kind) {
    bounds = Double(kind.minimum)...Double(kind.maximum)
    estimate = min(max(estimate, bounds.lowerBound), bounds.upperBound)
    switch (law, Self.law(of: kind)) {
    case (.vegas, .vegas): break
    case (.gradient2(var gradient), .gradient2(let new)):
      gradient.tolerance = new.tolerance
      law = .gradient2(gradient)
    case (_, let new): law = new
    }
    epoch += 1
  }

  /// A call ended.
  ///
  /// - Parameters:
  ///   - sample: What it says.
  ///   - epoch: The epoch in which it was let through.
  ///   - now: The reading of the clock.
  ///   - fraction: A random number in `0..<1`.
  /// - Returns: Whether the limit has changed.
  mutating func learn(
    _ sample: Sample, epoch: UInt64, now: Duration, fraction: Double
  ) -> Bool {
    guard epoch == self.epoch, hadTime(sample) else { return false }
    let before = limit
    // The limit only grows where it was put to use: else nothing was learned about it.
    let isUsed = sample.inFlight * 2 >= before
    let next: Double
    switch law {
    case .aimd(let aimd): next = aimd.next(estimate, sample, isUsed: isUsed)
    case .vegas(var vegas):
      next = vegas.next(estimate, sample, isUsed: isUsed, fraction: fraction)
      law = .vegas(vegas)
    case .gradient2(var gradient):
      next = gradient.next(estimate, sample, now: now)
      law = .gradient2(gradient)
    }
    estimate = min(max(next, bounds.lowerBound), bounds.upperBound)
    guard limit != before else { return false }
    self.epoch += 1
    return true
  }

  /// Whether a call had the time for an answer, which says how much that is.
  ///
  /// It is the average over about a thousand answers, so a service that hangs does not change it.
  /// One answer counts as twice the average at most: a few long calls say nothing about short ones.
  /// The first ten count as they are, since nobody knows yet what is usual. The bound is never
  /// below a millisecond: twice an average of nothing would be nothing for ever.
  private mutating func hadTime(_ sample: Sample) -> Bool {
    let time = sample.time.inSeconds
    if sample.isDrop { return !sample.wasCut || time >= usualTime ?? 0 }
    answers = min(answers + 1, 1_000)
    let usual = usualTime ?? time
    let counted = answers <= 10 ? time : min(time, max(usual * 2, 0.001))
    usualTime = usual + (counted - usual) / answers
    return true
  }
}

/// One more for each full round of answers, a tenth less for a drop.
///
/// Source: Chiu and Jain (1989), additive increase and multiplicative decrease; the ratio is that
/// of Netflix, which adds one for each answer and so doubles the limit in a round.
struct AIMD: Sendable {
  let backoffRatio: Double
  let timeout: Duration

  func next(
    _ estimate: Double, _ sample: LimitAlgorithm.Sample, isUsed: Bool
  ) -> Double {
    // Down to the next whole number, so that a small limit does not stand still.
    if sample.isDrop || sample.time > timeout { return (estimate * backoffRatio).rounded(.down) }
    return isUsed ? estimate + 1 / estimate : estimate
  }
}

/// Guesses from the time of answers how many calls queue up at the service, and keeps them few.
///
/// Source: Brakmo and Peterson (1995), with the bounds of Netflix.
struct Vegas: Sendable {
  /// The shortest time, which an answer takes without a queue; nil before the first one.
  private(set) var shortest: Double?
  private var samples = 0.0
  private var jitter = 0.75

  mutating func next(
    _ estimate: Double, _ sample: LimitAlgorithm.Sample, isUsed: Bool, fraction: Double
  ) -> Double {
    let step = Double.log10(estimate)
    // A drop may come back faster than any answer: its time says nothing.
    if sample.isDrop { return (estimate - step).rounded(.down) }
    let time = max(sample.time.inSeconds, 1e-9)
    samples += 1
    if samples >= 30 * jitter * estimate {
      // The service may have got slower for good: every now and then the shortest time is new.
      samples = 0
      jitter = 0.5 + fraction / 2
      shortest = time
      return estimate
    }
    guard let shortest, time >= shortest else {
      shortest = time
      return estimate
    }
    let queue = (estimate * (1 - shortest / time)).rounded(.up)
    guard isUsed else { return estimate }
    if queue > 6 * step { return estimate - step }
    if queue <= step { return estimate + 6 * step }
    return queue < 3 * step ? estimate + step : estimate
  }
}

extension Double {
  /// The logarithm by which Vegas moves: that of the limit to base ten, but 1 at least.
  fileprivate static func log10(_ limit: Double) -> Double {
    var (rest, digits) = (limit, 0.0)
    while rest >= 10 {
      rest /= 10
      digits += 1
    }
    return max(1, digits + (rest - 1) / 9)
  }
}

/// Compares the time of answers now with that over long: where it gets longer, the limit shrinks in
/// proportion.
///
/// It looks at whole windows, since single answers differ too much. Source: Gradient2 of Netflix,
/// which did not heed drops.
struct Gradient2: Sendable {
  var tolerance: Double
  /// The average over about 600 windows; nil before the first one.
  private(set) var longTerm: Double?
  private var windows = 0.0
  private var window = Window()

  private struct Window: Sendable {
    var end: Duration?
    var count = 0.0
    var sum = 0.0
    var inFlight = 0
    var hasDrop = false
  }

  init(tolerance: Double) { self.tolerance = tolerance }

  mutating func next(
    _ estimate: Double, _ sample: LimitAlgorithm.Sample, now: Duration
  ) -> Double {
    let end = window.end ?? now + .seconds(1)
    window.end = end
    window.inFlight = max(window.inFlight, sample.inFlight)
    window.hasDrop = window.hasDrop || sample.isDrop
    if !sample.isDrop {
      window.count += 1
      window.sum += max(sample.time.inSeconds, 1e-9)
    }
    guard window.hasDrop || now >= end && window.count >= 10 else { return estimate }
    let seen = window
    window = Window()
    if seen.hasDrop { return (estimate * 0.9).rounded(.down) }
    return next(estimate, time: seen.sum / seen.count, inFlight: seen.inFlight)
  }

  private mutating func next(_ estimate: Double, time: Double, inFlight: Int) -> Double {
    windows += 1
    let weight = windows <= 10 ? 1 / windows : 2.0 / 601
    var long = longTerm ?? time
    long += (time - long) * weight
    // After a long time of overload the average must not stay high once all is well again.
    if long / time > 2 { long *= 0.95 }
    longTerm = long
    guard Double(inFlight) * 2 >= estimate else { return estimate }
    let gradient = min(max(tolerance * long / time, 0.5), 1)
    let goal = estimate * gradient + 4
    return estimate * 0.8 + goal * 0.2
  }
}
