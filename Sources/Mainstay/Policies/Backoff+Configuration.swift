// SPDX-License-Identifier: Apache-2.0

extension Backoff {
  /// Settings that come from outside, such as a file; checked by ``Backoff/init(validating:)``.
  ///
  /// All keys but `growth` may be missing, and spans of time are numbers of seconds:
  ///
  /// ```json
  /// {"growth": "exponential", "first": 0.2, "cap": 20, "factor": 2, "jitter": "full"}
  /// ```
  public struct Configuration: Sendable, Hashable {
    /// How delays grow.
    public enum Growth: String, Sendable, Hashable, Codable, CaseIterable {
      /// Not at all: each delay is `first`.
      case constant
      /// By `step` each time.
      case linear
      /// By `factor` each time.
      case exponential
      /// To the sum of the last two: once, once, twice, 3 times, 5 times `first`.
      case fibonacci
    }

    /// How delays grow.
    public var growth: Growth
    /// The first delay; zero or more, cut to a year, the default is 0.2 seconds.
    public var first: Duration
    /// The longest delay; at least the first one, cut to a year.
    ///
    /// The default, nil, is the longer of `first` and 20 seconds. It is not heeded by `constant`.
    public var cap: Duration?
    /// What `linear` adds each time; zero or more, the default is the first delay.
    public var step: Duration?
    /// What `exponential` multiplies with; 1 or more and finite, the default is 2.
    public var factor: Double
    /// How chance spreads the delays; the default is `full`.
    public var jitter: Jitter

    /// Makes settings.
    public init(
      _ growth: Growth, first: Duration = .milliseconds(200), cap: Duration? = nil,
      step: Duration? = nil, factor: Double = 2, jitter: Jitter = .full
    ) {
      self.growth = growth
      self.first = first
      self.cap = cap
      self.step = step
      self.factor = factor
      self.jitter = jitter
    }
  }
}

extension Backoff.Configuration {
  /// Notes what is not legal.
  func check(_ found: inout Violations, prefix: String = "") {
    found.check(first >= .zero, prefix + "first", first, "it must be zero or more")
    if let cap, growth != .constant {
      found.check(cap >= first, prefix + "cap", cap, "it must be at least first, which is \(first)")
    }
    if let step, growth == .linear {
      found.check(step >= .zero, prefix + "step", step, "it must be zero or more")
    }
    if growth == .exponential {
      found.check(
        factor >= 1 && factor.isFinite, prefix + "factor", factor, "it must be 1 or more and finite"
      )
    }
  }

  /// The longest delay in force.
  var effectiveCap: Duration { growth == .constant ? first : cap ?? max(first, .seconds(20)) }
}

extension Backoff.Configuration: Codable {
  private enum CodingKeys: CodingKey {
    case growth, first, cap, step, factor, jitter
  }

  /// Decodes the settings; a key that is missing gets its default, but for `growth`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(try values.decode(Growth.self, forKey: .growth))
    first = try values.decodeSeconds(.first) ?? first
    cap = try values.decodeSeconds(.cap)
    step = try values.decodeSeconds(.step)
    factor = try values.decode(.factor, default: factor)
    jitter = try values.decode(.jitter, default: jitter)
  }

  /// Encodes the settings, spans of time as numbers of seconds.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(growth, forKey: .growth)
    try values.encodeSeconds(first, .first)
    try values.encodeSeconds(cap, .cap)
    try values.encodeSeconds(step, .step)
    try values.encode(factor, forKey: .factor)
    try values.encode(jitter, forKey: .jitter)
  }
}
