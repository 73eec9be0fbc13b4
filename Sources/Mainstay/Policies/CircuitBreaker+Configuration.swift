// SPDX-License-Identifier: Apache-2.0

extension CircuitBreaker {
  /// Whether a breaker acts on its states.
  public enum Mode: String, Sendable, Hashable, Codable, CaseIterable {
    /// It refuses calls as its states say.
    case enabled
    /// It lets every call through and learns nothing.
    case disabled
    /// It goes through its states and says which calls it would have refused, but refuses none:
    /// the way to try settings out before they matter.
    case metricsOnly
  }

  /// How a breaker tries the dependency out after a break.
  public struct HalfOpen: Sendable, Hashable {
    /// How many probes may run at the same time; 1 to 100, the default is 1.
    public var permits: Int
    /// How many probes have to succeed before the breaker closes; 1 to 100, the default is 1.
    ///
    /// Up to `permits - required` probes may fail meanwhile; one failure more opens it again.
    public var required: Int
    /// How long a probe may take before its place is given up; more than zero, cut to a year.
    ///
    /// The default, nil, is the length of the last break, but 10 seconds at least. Choose it longer
    /// than the ``Timeout`` inside. A probe whose lease has passed counts as failed as soon as
    /// another call finds all places taken.
    public var lease: Duration?
    /// What becomes of a call that comes while all places for probes are taken; the default is
    /// that it is refused.
    public var whileProbing: WhileProbing

    /// Makes the settings of the half-open state.
    public init(
      permits: Int = 1, required: Int = 1, lease: Duration? = nil,
      whileProbing: WhileProbing = .reject
    ) {
      self.permits = permits
      self.required = required
      self.lease = lease
      self.whileProbing = whileProbing
    }
  }

  /// Settings that come from outside, such as a file; checked by
  /// ``CircuitBreaker/init(validating:breakDuration:failIfResult:clock:seed:observer:)``.
  ///
  /// All keys but `name` may be missing, and spans of time are numbers of seconds. `tripRule` is
  /// one rule or a list of them, of which any opens the breaker:
  ///
  /// ```json
  /// {"name": "catalog", "breakFor": 5, "maximumBreak": 60, "breakGrowth": 2, "breakJitter": 0.2,
  ///  "tripRule": [{"consecutiveFailures": 5},
  ///               {"failureRate": 0.5, "seconds": 30, "minimumThroughput": 20},
  ///               {"slowCalls": 0.8, "longerThan": 2, "calls": 100, "minimumThroughput": 50}],
  ///  "halfOpen": {"permits": 1, "required": 1, "lease": 10, "whileProbing": {"wait": 2}},
  ///  "mode": "enabled"}
  /// ```
  public struct Configuration: Sendable, Hashable {
    /// The name of the dependency, for events and messages; not blank.
    public var name: String
    /// When the breaker opens; the default is five failures in a row.
    public var tripRule: TripRule
    /// How long the first break is; more than zero, cut to a year, the default is 5 seconds.
    public var breakFor: Duration
    /// How long a break grows at most, before jitter; at least `breakFor`, cut to a year.
    ///
    /// The default, nil, is the longer of `breakFor` and 60 seconds.
    public var maximumBreak: Duration?
    /// By how much each break is longer than the one before, until the breaker closes; 1 to 100,
    /// the default is 2.
    public var breakGrowth: Double
    /// By which part of its length chance may lengthen a break; 0 to 1, the default is 0.2.
    ///
    /// So not everybody comes back at the same moment. A break is never shortened.
    public var breakJitter: Double
    /// How the dependency is tried out after a break.
    public var halfOpen: HalfOpen
    /// Whether the breaker acts on its states; the default is that it does.
    public var mode: Mode

    /// Makes settings.
    public init(
      name: String, tripRule: TripRule = .consecutiveFailures(5), breakFor: Duration = .seconds(5),
      maximumBreak: Duration? = nil, breakGrowth: Double = 2, breakJitter: Double = 0.2,
      halfOpen: HalfOpen = HalfOpen(), mode: Mode = .enabled
    ) {
      self.name = name
      self.tripRule = tripRule
      self.breakFor = breakFor
      self.maximumBreak = maximumBreak
      self.breakGrowth = breakGrowth
      self.breakJitter = breakJitter
      self.halfOpen = halfOpen
      self.mode = mode
    }
  }
}

extension CircuitBreaker.Configuration {
  /// The settings as the machine takes them.
  ///
  /// - Parameter fixedName: The name that they have to have; nil where any will do.
  /// - Returns: The settings, with durations in `0...aYear`.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  func checked(
    named fixedName: String? = nil
  ) throws(ConfigurationError) -> CircuitBreakerStateMachine.Settings {
    let probes = 1...100
    let more = "it must be more than zero"
    let toHundred = "it must be 1 to 100"
    var found = Violations()
    found.check(
      !name.allSatisfy(\.isWhitespace), "name", "\"\(name)\"", "it must not be blank")
    if let fixedName {
      found.check(name == fixedName, "name", "\"\(name)\"", "it must stay \"\(fixedName)\"")
    }
    tripRule.check(&found)
    found.check(breakFor > .zero, "breakFor", breakFor, more)
    if let maximumBreak {
      found.check(
        maximumBreak >= breakFor, "maximumBreak", maximumBreak, "it must be breakFor or more")
    }
    found.check((1...100).contains(breakGrowth), "breakGrowth", breakGrowth, toHundred)
    found.check((0...1).contains(breakJitter), "breakJitter", breakJitter, "it must be 0 to 1")
    found.check(
      probes.contains(halfOpen.permits), "halfOpen.permits", halfOpen.permits, toHundred)
    found.check(
      probes.contains(halfOpen.required), "halfOpen.required", halfOpen.required, toHundred)
    if let lease = halfOpen.lease { found.check(lease > .zero, "halfOpen.lease", lease, more) }
    let waiting = halfOpen.whileProbing.checked(&found)
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "CircuitBreaker", violations: found.all)
    }
    return CircuitBreakerStateMachine.Settings(
      mode: mode, failureThreshold: tripRule.failureThreshold,
      slowerThan: tripRule.slowerThan?.clamped, rates: tripRule.rates,
      firstBreak: breakFor.clamped,
      maximumBreak: (maximumBreak ?? max(breakFor, .seconds(60))).clamped, growth: breakGrowth,
      jitter: breakJitter, permits: halfOpen.permits, required: halfOpen.required,
      lease: halfOpen.lease?.clamped, waiting: waiting)
  }
}

extension CircuitBreaker.HalfOpen: Codable {
  private enum CodingKeys: CodingKey {
    case permits, required, lease, whileProbing
  }

  /// Decodes the settings; a key that is missing gets its default.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    permits = try values.decode(.permits, default: permits)
    required = try values.decode(.required, default: required)
    lease = try values.decodeSeconds(.lease)
    whileProbing = try values.decode(.whileProbing, default: whileProbing)
  }

  /// Encodes the settings, spans of time as numbers of seconds.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(permits, forKey: .permits)
    try values.encode(required, forKey: .required)
    try values.encodeSeconds(lease, .lease)
    try values.encode(whileProbing, forKey: .whileProbing)
  }
}

extension CircuitBreaker.WhileProbing: Codable {
  private enum CodingKeys: CodingKey {
    case wait, callers
  }

  /// The settings as the machine takes them, with everything noted that is not legal.
  fileprivate func checked(
    _ found: inout Violations
  ) -> CircuitBreakerStateMachine.Waiting? {
    guard case .wait(let wait, let callers) = self else { return nil }
    found.check(wait > .zero, "halfOpen.wait", wait, "it must be more than zero")
    found.check(
      (1...10_000).contains(callers), "halfOpen.callers", callers, "it must be 1 to 10,000")
    return .init(atMost: wait.clamped, callers: callers)
  }

  /// Decodes `{"wait": 2, "callers": 100}`; with neither, calls are refused.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let callers = try values.decodeIfPresent(Int.self, forKey: .callers)
    if let wait = try values.decodeSeconds(.wait) {
      self = .wait(atMost: wait, callers: callers ?? 100)
    } else if callers == nil {
      self = .reject
    } else {
      throw DecodingError.keyNotFound(
        CodingKeys.wait,
        .init(codingPath: values.codingPath, debugDescription: "callers need a time to wait"))
    }
  }

  /// Encodes the settings, the wait as a number of seconds; a refusal as an empty object.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    guard case .wait(let wait, let callers) = self else { return }
    try values.encodeSeconds(wait, .wait)
    try values.encode(callers, forKey: .callers)
  }
}

extension CircuitBreaker.Configuration: Codable {
  private enum CodingKeys: CodingKey {
    case name, tripRule, breakFor, maximumBreak, breakGrowth, breakJitter, halfOpen, mode
  }

  /// Decodes the settings; a key that is missing gets its default, but for the name.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(name: try values.decode(String.self, forKey: .name))
    tripRule = try values.decode(.tripRule, default: tripRule)
    breakFor = try values.decodeSeconds(.breakFor) ?? breakFor
    maximumBreak = try values.decodeSeconds(.maximumBreak)
    breakGrowth = try values.decode(.breakGrowth, default: breakGrowth)
    breakJitter = try values.decode(.breakJitter, default: breakJitter)
    halfOpen = try values.decode(.halfOpen, default: halfOpen)
    mode = try values.decode(.mode, default: mode)
  }

  /// Encodes the settings, spans of time as numbers of seconds.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encode(tripRule, forKey: .tripRule)
    try values.encodeSeconds(breakFor, .breakFor)
    try values.encodeSeconds(maximumBreak, .maximumBreak)
    try values.encode(breakGrowth, forKey: .breakGrowth)
    try values.encode(breakJitter, forKey: .breakJitter)
    try values.encode(halfOpen, forKey: .halfOpen)
    try values.encode(mode, forKey: .mode)
  }
}
