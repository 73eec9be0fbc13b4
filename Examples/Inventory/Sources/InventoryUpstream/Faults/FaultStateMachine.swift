// SPDX-License-Identifier: Apache-2.0

/// What is done to one request.
struct FaultPlan: Sendable, Equatable {
  enum Refusal: Sendable, Equatable {
    /// The connection is closed.
    case cut
    case portal
    case unavailable
    case serverError
    case tooManyRequests(retryAfter: Int)
  }

  /// What it is answered instead of being heeded.
  var refusal: Refusal?

  /// How long it waits before it is made and answered.
  var delay = Duration.zero

  /// Whether the connection is closed in place of the answer.
  var isCutAfterwards = false

  /// Whether a key that was applied is not applied again.
  var isDeduped = true

  /// What `Retry-After` says of a key that is taken.
  var retryAfter = 1

  /// What `RateLimit-Policy` says; nil where nothing is announced.
  var limit: Int?
}

/// Draws what is done to each request.
struct FaultStateMachine {
  private(set) var settings = FaultSettings()
  private var generator = Draws(seed: 0)

  /// The second that requests are counted in, since the service started, and how many came in it.
  private var window: (second: Int64, count: Int) = (0, 0)

  mutating func set(_ settings: FaultSettings) {
    self.settings = settings
    generator = Draws(seed: settings.seed ?? .random(in: 0 ... .max))
    window = (0, 0)
  }

  /// The plan for a request that comes at a time since the service started.
  mutating func plan(isWrite: Bool, at time: Duration) -> FaultPlan {
    var plan = FaultPlan(isDeduped: settings.dedupe)
    // One draw for each request in each mode, so that a seed means the same everywhere.
    guard generator.fraction() < settings.rate, settings.mode != .healthy else { return plan }
    switch settings.mode {
    case .healthy: break
    case .down: plan.refusal = .cut
    case .slow: plan.delay = .milliseconds(settings.delayMs)
    case .flaky: plan.refusal = generator.fraction() < 0.5 ? .cut : .unavailable
    case .rateLimited:
      plan.limit = settings.limit
      if !passes(at: time) { plan.refusal = .tooManyRequests(retryAfter: settings.retryAfter) }
    case .serverError: plan.refusal = .serverError
    case .portal: plan.refusal = .portal
    case .dropAfterCommit: plan.isCutAfterwards = isWrite
    case .reorder: plan.delay = .milliseconds(Double(settings.delayMs) * generator.fraction())
    }
    return plan
  }

  private mutating func passes(at time: Duration) -> Bool {
    guard let limit = settings.limit else { return false }
    let second = time.components.seconds
    if window.second != second { window = (second, 0) }
    guard window.count < limit else { return false }
    window.count += 1
    return true
  }
}

/// Numbers that are the same for the same seed: SplitMix64.
///
/// https://prng.di.unimi.it/splitmix64.c
private struct Draws: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 up to, but not, 1.
  mutating func fraction() -> Double { .random(in: 0..<1, using: &self) }
}
