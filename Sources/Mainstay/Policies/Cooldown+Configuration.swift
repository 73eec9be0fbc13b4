// SPDX-License-Identifier: Apache-2.0

extension Cooldown {
  /// Settings that come from outside, such as a file; checked by
  /// ``Cooldown/init(_:validating:clock:seed:observer:)``.
  ///
  /// All keys may be missing, and spans of time are numbers of seconds:
  /// `{"withoutHint": 1, "maximum": 300, "maximumWait": 10, "spread": 1, "queue": 1000}`.
  public struct Configuration: Sendable, Hashable {
    /// How long everybody waits where the service did not say; zero or more, cut to a year, the
    /// default is 1 second.
    public var withoutHint: Duration
    /// The longest wait that a service may ask for, longer ones are cut to it; more than zero, cut
    /// to a year, the default is 5 minutes.
    public var maximum: Duration
    /// How long a call waits at most; zero or more, cut to a year, the default is 10 seconds.
    public var maximumWait: Duration
    /// Over which time those who wait go on, each at a moment of its own; zero or more, cut to a
    /// year, the default is 1 second.
    public var spread: Duration
    /// How many calls wait at the same time at most; 0 to 1,000,000, the default is 1,000.
    ///
    /// All of them go on within `spread`.
    public var queue: Int

    /// Makes settings.
    public init(
      withoutHint: Duration = .seconds(1), maximum: Duration = .seconds(300),
      maximumWait: Duration = .seconds(10), spread: Duration = .seconds(1), queue: Int = 1_000
    ) {
      self.withoutHint = withoutHint
      self.maximum = maximum
      self.maximumWait = maximumWait
      self.spread = spread
      self.queue = queue
    }
  }
}

extension Cooldown.Configuration {
  /// The settings as the machine takes them.
  ///
  /// - Parameters:
  ///   - name: The origin; nil where it is not known yet.
  ///   - capacity: How many cooldowns are kept; nil for one.
  /// - Returns: The settings.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  func checked(
    name: String?, capacity: Int? = nil
  ) throws(ConfigurationError) -> CooldownStateMachine.Settings {
    let rule = "it must be zero or more"
    var found = Violations()
    if let name { found.checkName(name) }
    if let capacity { found.check(capacity >= 1, "capacity", capacity, "it must be 1 or more") }
    found.check(withoutHint >= .zero, "withoutHint", withoutHint, rule)
    found.check(maximum > .zero, "maximum", maximum, "it must be more than zero")
    found.check(maximumWait >= .zero, "maximumWait", maximumWait, rule)
    found.check(spread >= .zero, "spread", spread, rule)
    found.check((0...1_000_000).contains(queue), "queue", queue, "it must be 0 to 1,000,000")
    guard found.all.isEmpty else {
      throw ConfigurationError(
        subject: capacity == nil ? "Cooldown" : "Cooldowns", violations: found.all)
    }
    return CooldownStateMachine.Settings(
      withoutHint: withoutHint.clamped, maximum: maximum.clamped,
      maximumWait: maximumWait.clamped, spread: spread.clamped, queue: queue)
  }
}

extension Cooldown.Configuration: Codable {
  private enum CodingKeys: CodingKey {
    case withoutHint, maximum, maximumWait, spread, queue
  }

  /// Decodes the settings; a key that is missing gets its default.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    withoutHint = try values.decodeSeconds(.withoutHint) ?? withoutHint
    maximum = try values.decodeSeconds(.maximum) ?? maximum
    maximumWait = try values.decodeSeconds(.maximumWait) ?? maximumWait
    spread = try values.decodeSeconds(.spread) ?? spread
    queue = try values.decode(.queue, default: queue)
  }

  /// Encodes the settings, spans of time as numbers of seconds.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeSeconds(withoutHint, .withoutHint)
    try values.encodeSeconds(maximum, .maximum)
    try values.encodeSeconds(maximumWait, .maximumWait)
    try values.encodeSeconds(spread, .spread)
    try values.encode(queue, forKey: .queue)
  }
}
