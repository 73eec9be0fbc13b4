// SPDX-License-Identifier: Apache-2.0

extension Throttle {
  /// Settings that come from outside, such as a file; checked by
  /// ``Throttle/init(validating:clock:seed:observer:)``.
  ///
  /// All keys but `name` may be missing, and the span of time is a number of seconds:
  ///
  /// ```json
  /// {"name": "catalog", "multiplier": 2, "window": 120, "minimumRequests": 10}
  /// ```
  public struct Configuration: Sendable, Hashable {
    /// The name of the dependency, for events and messages; not blank.
    public var name: String
    /// How many calls are sent for each that is accepted; 1 to 100, the default is 2.
    public var multiplier: Double
    /// How far it looks back; more than zero, cut to a year, the default is two minutes.
    public var window: Duration
    /// How many calls have to end in the window before any is refused; 0 or more, the default
    /// is 10.
    public var minimumRequests: Int

    /// Makes settings.
    public init(
      name: String, multiplier: Double = 2, window: Duration = .seconds(120),
      minimumRequests: Int = 10
    ) {
      self.name = name
      self.multiplier = multiplier
      self.window = window
      self.minimumRequests = minimumRequests
    }
  }
}

extension Throttle.Configuration {
  /// The settings as the machine takes them.
  ///
  /// - Parameter fixedName: The name that they have to have; nil where it is not known yet.
  /// - Returns: The settings.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  func checked(
    named fixedName: String?
  ) throws(ConfigurationError) -> ThrottleStateMachine.Settings {
    var found = Violations()
    found.checkName(name, fixed: fixedName)
    found.check((1...100).contains(multiplier), "multiplier", multiplier, "it must be 1 to 100")
    found.check(window > .zero, "window", window, "it must be more than zero")
    found.check(
      minimumRequests >= 0, "minimumRequests", minimumRequests, "it must be zero or more")
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "Throttle", violations: found.all)
    }
    return ThrottleStateMachine.Settings(
      multiplier: multiplier, window: window.clamped, minimumRequests: minimumRequests)
  }
}

extension Throttle.Configuration: Codable {
  private enum CodingKeys: CodingKey {
    case name, multiplier, window, minimumRequests
  }

  /// Decodes the settings; a key that is missing gets its default, but for the name.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(name: try values.decode(String.self, forKey: .name))
    multiplier = try values.decode(.multiplier, default: multiplier)
    window = try values.decodeSeconds(.window) ?? window
    minimumRequests = try values.decode(.minimumRequests, default: minimumRequests)
  }

  /// Encodes the settings, the span of time as a number of seconds.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encode(multiplier, forKey: .multiplier)
    try values.encodeSeconds(window, .window)
    try values.encode(minimumRequests, forKey: .minimumRequests)
  }
}
