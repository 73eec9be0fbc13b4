// SPDX-License-Identifier: Apache-2.0

extension Timeout {
  /// Settings that come from outside, such as a file; checked by
  /// ``Timeout/init(validating:name:clock:observer:)``.
  ///
  /// The span of time is a number of seconds: `{"limit": 10, "leavesOutcomeUnknown": false}`.
  public struct Configuration: Sendable, Hashable {
    /// How long it may take; more than zero, cut to a year.
    public var limit: Duration
    /// Whether a call that was ended may have had its effect, so that it must not simply be
    /// repeated; nil, the default, for what the policy says by itself.
    ///
    /// That is true for ``Timeout/Abandoning``, whose operation goes on, and false for ``Timeout``
    /// and ``Deadline``, unless the one whose settings change was made otherwise in code. What is
    /// in force is never nil.
    public var leavesOutcomeUnknown: Bool?

    /// Makes settings.
    public init(limit: Duration, leavesOutcomeUnknown: Bool? = nil) {
      self.limit = limit
      self.leavesOutcomeUnknown = leavesOutcomeUnknown
    }
  }

  /// Makes a limit from settings that come from outside.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - name: The name, for events and messages; the default is that of the pipeline.
  ///   - clock: The clock; the default is the continuous one.
  ///   - observer: Who is told about its events, besides the observer of the process.
  /// - Throws: ``ConfigurationError`` where the limit is not legal.
  public init(
    validating configuration: Configuration, name: String? = nil,
    clock: some Clock<Duration> = ContinuousClock(), observer: (any PolicyObserver)? = nil
  ) throws(ConfigurationError) {
    try configuration.check("Timeout")
    self.init(
      configuration.limit, disposition: configuration.disposition(), name: name, clock: clock,
      observer: observer)
    limit.terms.decideByItself(isUnknown: false)
  }

  /// The settings in force; the limit is cut to what is useful.
  public var configuration: Configuration { Timeout.Configuration(of: limit) }

  /// Goes on with other settings, also where it stands in pipelines.
  ///
  /// They hold for calls that begin later; those that run end when they were to end.
  ///
  /// - Parameter configuration: The settings.
  /// - Throws: ``ConfigurationError`` where the limit is not legal; nothing is changed then.
  public func update(_ configuration: Configuration) throws(ConfigurationError) {
    try configuration.check("Timeout")
    limit.update(configuration)
  }
}

extension Deadline {
  /// Settings that come from outside; those of a ``Timeout``.
  public typealias Configuration = Timeout.Configuration

  /// Makes a limit from settings that come from outside.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - name: The name, for events and messages; the default is that of the pipeline.
  ///   - clock: The clock; the default is the continuous one.
  ///   - observer: Who is told about its events, besides the observer of the process.
  /// - Throws: ``ConfigurationError`` where the limit is not legal.
  public init(
    validating configuration: Configuration, name: String? = nil,
    clock: some Clock<Duration> = ContinuousClock(), observer: (any PolicyObserver)? = nil
  ) throws(ConfigurationError) {
    try configuration.check("Deadline")
    self.init(
      configuration.limit, disposition: configuration.disposition(), name: name, clock: clock,
      observer: observer)
    limit.terms.decideByItself(isUnknown: false)
  }

  /// The settings in force; the limit is cut to what is useful.
  public var configuration: Configuration { Timeout.Configuration(of: limit) }

  /// Goes on with other settings, also where it stands in pipelines.
  ///
  /// They hold for calls that begin later; those that run end when they were to end.
  ///
  /// - Parameter configuration: The settings.
  /// - Throws: ``ConfigurationError`` where the limit is not legal; nothing is changed then.
  public func update(_ configuration: Configuration) throws(ConfigurationError) {
    try configuration.check("Deadline")
    limit.update(configuration)
  }
}

extension Timeout.Abandoning {
  /// Makes a limit after which an attempt is given up, from settings that come from outside.
  ///
  /// - Parameters:
  ///   - configuration: The settings; as in code, the outcome of a call that was given up counts
  ///     as unknown unless they say otherwise.
  ///   - name: The name, for events and messages; the default is that of the pipeline.
  ///   - clock: The clock; the default is the continuous one.
  ///   - observer: Who is told about its events, besides the observer of the process.
  /// - Throws: ``ConfigurationError`` where the limit is not legal.
  public init(
    validating configuration: Timeout.Configuration, name: String? = nil,
    clock: some Clock<Duration> = ContinuousClock(), observer: (any PolicyObserver)? = nil
  ) throws(ConfigurationError) {
    try configuration.check("Timeout.Abandoning")
    self.init(
      configuration.limit, disposition: configuration.disposition(isUnknownByItself: true),
      name: name, clock: clock, observer: observer)
    limit.terms.decideByItself(isUnknown: true)
  }

  /// The settings in force; the limit is cut to what is useful.
  public var configuration: Timeout.Configuration { Timeout.Configuration(of: limit) }

  /// Goes on with other settings, also where it stands in pipelines.
  ///
  /// They hold for calls that begin later; those that run end when they were to end.
  ///
  /// - Parameter configuration: The settings.
  /// - Throws: ``ConfigurationError`` where the limit is not legal; nothing is changed then.
  public func update(_ configuration: Timeout.Configuration) throws(ConfigurationError) {
    try configuration.check("Timeout.Abandoning")
    limit.update(configuration)
  }
}

extension Timeout.Configuration {
  fileprivate init(of limit: TimeLimit) {
    self.init(
      limit: limit.duration, leavesOutcomeUnknown: limit.disposition == .unknownOutcome)
  }

  /// What may be done once the limit has passed.
  fileprivate func disposition(isUnknownByItself: Bool = false) -> Disposition {
    leavesOutcomeUnknown ?? isUnknownByItself ? .unknownOutcome : .transient()
  }

  fileprivate func check(_ subject: String) throws(ConfigurationError) {
    var found = Violations()
    found.check(limit > .zero, "limit", limit, "it must be more than zero")
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: subject, violations: found.all)
    }
  }
}

extension Timeout.Configuration: Codable {
  private enum CodingKeys: CodingKey {
    case limit, leavesOutcomeUnknown
  }

  /// Decodes the settings; the limit must be there.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    guard let limit = try values.decodeSeconds(.limit) else {
      throw DecodingError.keyNotFound(
        CodingKeys.limit,
        .init(codingPath: decoder.codingPath, debugDescription: "a limit in seconds is needed"))
    }
    self.init(limit: limit)
    leavesOutcomeUnknown = try values.decodeIfPresent(Bool.self, forKey: .leavesOutcomeUnknown)
  }

  /// Encodes the settings, the span of time as a number of seconds.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeSeconds(limit, .limit)
    try values.encodeIfPresent(leavesOutcomeUnknown, forKey: .leavesOutcomeUnknown)
  }
}
