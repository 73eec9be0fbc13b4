// SPDX-License-Identifier: Apache-2.0

extension ConnectivityMonitor {
  /// Settings of a monitor; those that come from outside are checked by
  /// ``ConnectivityMonitor/init(validating:source:probe:clock:seed:date:)``.
  ///
  /// All keys may be missing, and spans of time are numbers of seconds.
  public struct Configuration: Sendable, Hashable {
    /// Within which time changes are told together; zero or more, cut to a year, the default is
    /// 50 ms.
    public var window: Duration
    /// How long a better connection lasts before it is presented; zero or more, cut to a year, the
    /// default is 2 s.
    public var upDelay: Duration
    /// How long a worse one lasts at least before it is presented, and up to two thirds longer by
    /// chance; zero or more, cut to a year, the default is 3 s.
    public var downDelay: Duration
    /// How many changes in a minute are borne before presenting takes longer, twice as long with
    /// each further one; 1 or more, the default is 4.
    public var calmFlips: Int
    /// How long presenting takes at most; as long as `upDelay` and as `downDelay` or longer, cut
    /// to a year, the default is 60 s.
    public var maximumHold: Duration
    /// How long a better connection lasts before it is told as an improvement; zero or more, cut
    /// to a year, the default is 1 s.
    public var improvementDelay: Duration
    /// After how long evidence weighs half, and calls that failed count no longer; more than zero,
    /// cut to a year, the default is 60 s.
    public var halfLife: Duration
    /// How long after a probe the next one is sent at the earliest, twice as long after each one
    /// that says the same; more than zero, cut to a year, the default is 5 s.
    public var probeInterval: Duration
    /// How long that becomes at most; `probeInterval` or more, cut to a year, the default is 10
    /// minutes.
    public var maximumProbeInterval: Duration

    /// Makes settings.
    public init(
      window: Duration = .milliseconds(50), upDelay: Duration = .seconds(2),
      downDelay: Duration = .seconds(3), calmFlips: Int = 4,
      maximumHold: Duration = .seconds(60), improvementDelay: Duration = .seconds(1),
      halfLife: Duration = .seconds(60), probeInterval: Duration = .seconds(5),
      maximumProbeInterval: Duration = .seconds(600)
    ) {
      self.window = window
      self.upDelay = upDelay
      self.downDelay = downDelay
      self.calmFlips = calmFlips
      self.maximumHold = maximumHold
      self.improvementDelay = improvementDelay
      self.halfLife = halfLife
      self.probeInterval = probeInterval
      self.maximumProbeInterval = maximumProbeInterval
    }
  }
}

extension ConnectivityMonitor.Configuration {
  /// The settings as the machine takes them.
  func checked(
    hasProbe: Bool
  ) throws(ConfigurationError) -> ConnectivityStateMachine.Settings {
    let rule = "it must be zero or more"
    let positive = "it must be more than zero"
    var found = Violations()
    found.check(window >= .zero, "window", window, rule)
    found.check(upDelay >= .zero, "upDelay", upDelay, rule)
    found.check(downDelay >= .zero, "downDelay", downDelay, rule)
    found.check(calmFlips >= 1, "calmFlips", calmFlips, "it must be 1 or more")
    found.check(
      maximumHold >= max(upDelay, downDelay), "maximumHold", maximumHold,
      "it must be as long as upDelay and as downDelay, or longer")
    found.check(improvementDelay >= .zero, "improvementDelay", improvementDelay, rule)
    found.check(halfLife > .zero, "halfLife", halfLife, positive)
    found.check(probeInterval > .zero, "probeInterval", probeInterval, positive)
    found.check(
      maximumProbeInterval >= probeInterval, "maximumProbeInterval", maximumProbeInterval,
      "it must be probeInterval or more")
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "ConnectivityMonitor", violations: found.all)
    }
    var settings = ConnectivityStateMachine.Settings()
    settings.window = window.clamped
    settings.upDelay = upDelay.clamped
    settings.downDelay = downDelay.clamped
    settings.calmFlips = calmFlips
    settings.maximumHold = maximumHold.clamped
    settings.improvementDelay = improvementDelay.clamped
    // A year of half-lives is more than anything lasts; less than a millisecond is none.
    settings.halfLife = max(halfLife.clamped, .milliseconds(1))
    if hasProbe {
      settings.probing = .init(
        interval: max(probeInterval.clamped, .milliseconds(1)),
        maximumInterval: max(maximumProbeInterval.clamped, .milliseconds(1)))
    }
    return settings
  }
}

extension ConnectivityMonitor.Configuration: Codable {
  private enum CodingKeys: CodingKey {
    case window, upDelay, downDelay, calmFlips, maximumHold, improvementDelay, halfLife
    case probeInterval, maximumProbeInterval
  }

  /// Decodes the settings; a key that is missing gets its default.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    window = try values.decodeSeconds(.window) ?? window
    upDelay = try values.decodeSeconds(.upDelay) ?? upDelay
    downDelay = try values.decodeSeconds(.downDelay) ?? downDelay
    calmFlips = try values.decode(.calmFlips, default: calmFlips)
    maximumHold = try values.decodeSeconds(.maximumHold) ?? maximumHold
    improvementDelay = try values.decodeSeconds(.improvementDelay) ?? improvementDelay
    halfLife = try values.decodeSeconds(.halfLife) ?? halfLife
    probeInterval = try values.decodeSeconds(.probeInterval) ?? probeInterval
    maximumProbeInterval =
      try values.decodeSeconds(.maximumProbeInterval) ?? maximumProbeInterval
  }

  /// Encodes the settings, spans of time as numbers of seconds.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeSeconds(window, .window)
    try values.encodeSeconds(upDelay, .upDelay)
    try values.encodeSeconds(downDelay, .downDelay)
    try values.encode(calmFlips, forKey: .calmFlips)
    try values.encodeSeconds(maximumHold, .maximumHold)
    try values.encodeSeconds(improvementDelay, .improvementDelay)
    try values.encodeSeconds(halfLife, .halfLife)
    try values.encodeSeconds(probeInterval, .probeInterval)
    try values.encodeSeconds(maximumProbeInterval, .maximumProbeInterval)
  }
}
