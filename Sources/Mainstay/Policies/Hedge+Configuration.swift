// SPDX-License-Identifier: Apache-2.0

extension Hedge {
  /// How long a copy may take before the next one is started; the set is open.
  public struct Delay: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
      case fixed(Duration)
      case percentile(Double, initially: Duration, minimumSamples: Int)
    }

    /// How many calls a percentile looks back on.
    static let windowSize = 100

    let kind: Kind

    /// Always the same.
    ///
    /// - Parameter delay: The delay; zero or more, cut to a year. Zero starts all copies at once.
    /// - Returns: The rule.
    public static func fixed(_ delay: Duration) -> Delay { Delay(kind: .fixed(delay)) }

    /// As long as this share of the last 100 successful calls took.
    ///
    /// A copy that was cancelled counts as at least as slow as it was by then, and never as fast.
    ///
    /// - Parameters:
    ///   - share: The share of the calls; 0.5 to 0.999. About as many calls as are left over get a
    ///     second copy.
    ///   - initial: The delay as long as too few calls are known; zero or more, the default is one
    ///     second.
    ///   - minimumSamples: How many calls have to be known; 1 to 100, the default is 20.
    /// - Returns: The rule.
    public static func percentile(
      _ share: Double, initially initial: Duration = .seconds(1), minimumSamples: Int = 20
    ) -> Delay {
      Delay(kind: .percentile(share, initially: initial, minimumSamples: minimumSamples))
    }
  }

  /// Settings that come from outside, such as a file; checked by
  /// ``Hedge/init(validating:safety:budget:name:clock:observer:)``.
  ///
  /// All keys may be missing, and spans of time are numbers of seconds. The delay is fixed or a
  /// percentile:
  ///
  /// ```json
  /// {"delay": {"percentile": 0.95, "initially": 1, "minimumSamples": 20}, "maximumCopies": 2}
  /// {"delay": {"fixed": 0.5}}
  /// ```
  public struct Configuration: Sendable, Hashable {
    /// How long a copy may take before the next one is started; the default is as long as 95 % of
    /// the calls take.
    public var delay: Delay
    /// How many copies there are at most, the call itself included; 2 to 10, the default is 2.
    public var maximumCopies: Int

    /// Makes settings.
    public init(delay: Delay = .percentile(0.95), maximumCopies: Int = 2) {
      self.delay = delay
      self.maximumCopies = maximumCopies
    }
  }
}

extension Hedge.Configuration {
  /// Throws everything that is not legal at once.
  func check() throws(ConfigurationError) {
    var found = Violations()
    switch delay.kind {
    case .fixed(let fixed):
      found.check(fixed >= .zero, "delay.fixed", fixed, "it must be zero or more")
    case .percentile(let share, let initial, let minimum):
      found.check(
        (0.5...0.999).contains(share), "delay.percentile", share, "it must be 0.5 to 0.999")
      found.check(initial >= .zero, "delay.initially", initial, "it must be zero or more")
      found.check(
        (1...Hedge.Delay.windowSize).contains(minimum), "delay.minimumSamples", minimum,
        "it must be 1 to 100")
    }
    found.check(
      (2...10).contains(maximumCopies), "maximumCopies", maximumCopies, "it must be 2 to 10")
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "Hedge", violations: found.all)
    }
  }
}

extension Hedge.Delay: Codable {
  private enum CodingKeys: CodingKey {
    case fixed, percentile, initially, minimumSamples
  }

  /// Decodes the rule: one with a fixed delay, or a percentile, of which every key may be missing.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    if let fixed = try values.decodeSeconds(.fixed) {
      self = .fixed(fixed)
    } else {
      self = .percentile(
        try values.decode(.percentile, default: 0.95),
        initially: try values.decodeSeconds(.initially) ?? .seconds(1),
        minimumSamples: try values.decode(.minimumSamples, default: 20))
    }
  }

  /// Encodes the rule, spans of time as numbers of seconds.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    switch kind {
    case .fixed(let fixed): try values.encodeSeconds(fixed, .fixed)
    case .percentile(let share, let initial, let minimum):
      try values.encode(share, forKey: .percentile)
      try values.encodeSeconds(initial, .initially)
      try values.encode(minimum, forKey: .minimumSamples)
    }
  }
}

extension Hedge.Configuration: Codable {
  private enum CodingKeys: CodingKey {
    case delay, maximumCopies
  }

  /// Decodes the settings; a key that is missing gets its default.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    delay = try values.decode(.delay, default: delay)
    maximumCopies = try values.decode(.maximumCopies, default: maximumCopies)
  }
}
