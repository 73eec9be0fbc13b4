// SPDX-License-Identifier: Apache-2.0

/// One stage of a pipeline in words and numbers, for ``Pipeline/explain()``.
///
/// Every stage of Mainstay's own gives one, in a few lines, as `Throttle` does:
///
/// ```swift
/// package var summaries: [StageSummary] {
///   [StageSummary(.throttle, name: name, "refuses some calls while many fail", .refuses)]
/// }
/// ```
///
/// Numbers are the worst that can happen: what the stage allows, not what it expects.
package struct StageSummary: Sendable, Hashable {
  /// Which policy it is; rules about the order of stages ask for it.
  package enum Kind: String, Sendable, Hashable {
    case retry = "Retry"
    case hedge = "Hedge"
    case breaker = "CircuitBreaker"
    case timeout = "Timeout"
    case abandoningTimeout = "Timeout.Abandoning"
    case deadline = "Deadline"
    case bulkhead = "Bulkhead"
    case rateLimiter = "RateLimiter"
    case adaptiveLimit = "AdaptiveLimit"
    case throttle = "Throttle"
    case cooldown = "Cooldown"
    case coalesce = "Coalesce"
    case chaos = "Chaos"
    case trace = "Trace"
    /// A policy that Mainstay knows nothing about.
    case opaque = "another policy"

    /// Whether it is shared by pipelines and so always has a name of its own.
    var isShared: Bool {
      switch self {
      case .breaker, .bulkhead, .rateLimiter, .adaptiveLimit, .throttle, .cooldown, .coalesce: true
      case .retry, .hedge, .timeout, .abandoningTimeout, .deadline, .chaos, .trace, .opaque: false
      }
    }
  }

  /// What a stage does to the calls through it, in the worst case.
  package enum Effect: Sendable, Hashable {
    /// Lets calls through as they are, or refuses them.
    case refuses
    /// Makes each call wait this long at most, before it is let through; nil where nothing but the
    /// limits around it bounds that.
    case delays(Duration?)
    /// Runs what is inside several times, one after the other.
    case repeats(Repetition)
    /// Runs what is inside several times side by side, each copy this long after the one before, or
    /// when that has failed; nil where the time follows the calls.
    case copies(Int, every: Duration?)
    /// Ends whatever is inside after this time.
    case bounds(Duration)
    /// Nothing is known about it.
    case unknown
  }

  /// What ``Effect/repeats(_:)`` does.
  package struct Repetition: Sendable, Hashable {
    /// How often what is inside runs at most; 1 or more.
    package var attempts: Int
    /// The longest waits of its own between all attempts together.
    package var waits: Duration
    /// The longest waits where a service asks for them; at least `waits`.
    package var askedWaits: Duration
    /// The time after which no attempt begins any more; nil where there is none.
    package var elapsed: Duration?
    /// The longest that is done between two attempts to mend what went wrong.
    package var longestStep = Duration.zero
    /// Whether it also repeats calls that may have had their effect.
    package var isBlind = false
    /// Whether it leaves repeating to a stage further out that repeats already.
    package var yieldsToOuter = false

    package init(
      attempts: Int, waits: Duration, askedWaits: Duration, elapsed: Duration? = nil,
      isBlind: Bool = false, yieldsToOuter: Bool = false
    ) {
      self.attempts = attempts
      self.waits = waits
      self.askedWaits = askedWaits
      self.elapsed = elapsed
      self.isBlind = isBlind
      self.yieldsToOuter = yieldsToOuter
    }
  }

  package var kind: Kind
  /// The name of its own; nil where it has none.
  package var name: String?
  /// What it does, as the end of a sentence that begins with its name.
  package var words: String
  package var effect: Effect
  /// Whether a call that it ends may have had its effect.
  package var leavesOutcomeUnknown = false
  /// Whether it may refuse a call and say when to come back.
  package var refusesWithTime = false
  /// Whether it makes copies of calls that no idempotency key makes safe to repeat.
  package var hedgesBlindly = false
  /// The budget that was given to it, from which its repetitions or copies are paid; nil where it
  /// has one of its own, or none.
  package var budget: ObjectIdentifier?
  /// Whether it disturbs calls in a release build.
  package var disturbsReleases = false
  /// Whether it measures or waits by the clock of the system.
  package var runsByLiveClock = false

  package init(_ kind: Kind, name: String?, _ words: String, _ effect: Effect) {
    self.kind = kind
    self.name = name
    self.words = words
    self.effect = effect
  }

  /// A stage that Mainstay knows nothing about.
  package static func opaque(_ type: Any.Type) -> StageSummary {
    StageSummary(
      .opaque, name: QualifiedTypeName.of(type), "does what only its author knows", .unknown)
  }

  /// A stage that may refuse a call and say when to come back.
  func refusingWithTime() -> StageSummary {
    var copy = self
    copy.refusesWithTime = true
    return copy
  }

  /// A stage that measures or waits by a clock.
  func running(by timeline: Timeline) -> StageSummary {
    var copy = self
    copy.runsByLiveClock = timeline.isLive
    return copy
  }

  var isLimit: Bool { if case .bounds = effect { true } else { false } }

  /// The stage as a page calls it, such as `CircuitBreaker "catalog"`.
  var title: String {
    switch (kind, name) {
    case (.opaque, let name?): name
    case (_, let name?): "\(kind.rawValue) \"\(name)\""
    case (_, nil): kind.rawValue
    }
  }
}

extension [StageSummary] {
  /// What stands around a stage, the outermost first; a run that callers share belongs to nothing
  /// further out.
  func around(_ index: Int) -> ArraySlice<StageSummary> {
    let first = self[..<index].lastIndex { $0.kind == .coalesce } ?? startIndex
    return self[first..<index]
  }
}

extension Duration {
  /// The duration as a page says it: "250 ms", "1.5 s", "2 h".
  package var inWords: String {
    let seconds = inSeconds
    let (value, unit) = Self.scaled(seconds)
    let rounded = (value * 10).rounded() / 10
    let isWhole = rounded == rounded.rounded()
    return (isWhole ? "\(Int64(rounded))" : "\(rounded)") + " " + unit
  }
  private static func scaled(_ seconds: Double) -> (value: Double, unit: String) {
    switch abs(seconds) {
    case 0: (0, "s")
    case ..<0.001: (seconds * 1e6, "µs")
    case ..<1: (seconds * 1e3, "ms")
    case ..<120: (seconds, "s")
    case ..<7200: (seconds / 60, "min")
    case ..<172_800: (seconds / 3600, "h")
    default: (seconds / 86_400, "d")
    }
  }
}
