// SPDX-License-Identifier: Apache-2.0

extension Retry {
  /// Settings that come from outside, such as a file; checked by
  /// ``Retry/init(validating:retryIf:retryIfResult:budget:nesting:name:clock:seed:observer:)``.
  ///
  /// All keys may be missing, and spans of time are numbers of seconds:
  ///
  /// ```json
  /// {"maximumAttempts": 3, "backoff": {"growth": "exponential", "first": 0.2, "cap": 20},
  ///  "maximumServerDelay": 60, "maximumElapsed": 300}
  /// ```
  public struct Configuration: Sendable, Hashable {
    /// How often the operation is run at most, the first time included; 1 or more, the default is
    /// 3.
    public var maximumAttempts: Int
    /// How long to wait in between; the default grows from 200 ms to 20 s with full jitter.
    public var backoff: Backoff.Configuration
    /// The longest wait that a service may ask for; zero or more, cut to a year, the default is one
    /// minute.
    public var maximumServerDelay: Duration
    /// How long everything may take, waits included; more than zero, cut to a year.
    ///
    /// The default, nil, is no limit but the active ``Deadline``.
    public var maximumElapsed: Duration?

    /// Makes settings.
    public init(
      maximumAttempts: Int = 3, backoff: Backoff.Configuration = .init(.exponential),
      maximumServerDelay: Duration = .seconds(60), maximumElapsed: Duration? = nil
    ) {
      self.maximumAttempts = maximumAttempts
      self.backoff = backoff
      self.maximumServerDelay = maximumServerDelay
      self.maximumElapsed = maximumElapsed
    }
  }
}

extension Retry {
  /// The settings in force; where a function says the backoff, they name the usual one instead.
  public var configuration: Configuration { settings.configuration }

  /// Goes on with other settings, with all copies of this retry, also those in pipelines.
  ///
  /// A call keeps to those that hold when its first attempt fails. Where no `maximumElapsed` held
  /// when the call began, one that holds then counts from there. A backoff that a function says
  /// stays as long as ``Configuration/backoff`` does.
  ///
  /// - Parameter configuration: The settings.
  /// - Throws: ``ConfigurationError`` with everything that is not legal; nothing is changed then.
  public func update(_ configuration: Configuration) throws(ConfigurationError) {
    try configuration.check()
    settings.update(configuration)
    guard !audience.isEmpty else { return }
    audience.tell(
      PolicyEvent(policy: name ?? "retry", what: .settingsChanged, reading: timeline.now))
  }
}

extension Retry.Configuration {
  /// Throws everything that is not legal at once.
  func check() throws(ConfigurationError) {
    var found = Violations()
    found.check(maximumAttempts >= 1, "maximumAttempts", maximumAttempts, "it must be 1 or more")
    backoff.check(&found, prefix: "backoff.")
    found.check(
      maximumServerDelay >= .zero, "maximumServerDelay", maximumServerDelay,
      "it must be zero or more")
    if let maximumElapsed {
      found.check(
        maximumElapsed > .zero, "maximumElapsed", maximumElapsed, "it must be more than zero")
    }
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "Retry", violations: found.all)
    }
  }
}

extension Retry.Configuration: Codable {
  private enum CodingKeys: CodingKey {
    case maximumAttempts, backoff, maximumServerDelay, maximumElapsed
  }

  /// Decodes the settings; a key that is missing gets its default.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    maximumAttempts = try values.decode(.maximumAttempts, default: maximumAttempts)
    backoff = try values.decode(.backoff, default: backoff)
    maximumServerDelay = try values.decodeSeconds(.maximumServerDelay) ?? maximumServerDelay
    maximumElapsed = try values.decodeSeconds(.maximumElapsed)
  }

  /// Encodes the settings, spans of time as numbers of seconds.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(maximumAttempts, forKey: .maximumAttempts)
    try values.encode(backoff, forKey: .backoff)
    try values.encodeSeconds(maximumServerDelay, .maximumServerDelay)
    try values.encodeSeconds(maximumElapsed, .maximumElapsed)
  }
}
