// SPDX-License-Identifier: Apache-2.0

extension Chaos {
  /// Settings that come from outside, such as those of a staging system; checked by
  /// ``Chaos/init(validating:enabledInRelease:when:name:clock:seed:observer:)``.
  ///
  /// A file can name a latency and a failure with the status of an HTTP answer; an outcome or a
  /// behaviour is code. All keys may be missing, and spans of time are numbers of seconds:
  ///
  /// ```json
  /// {"rate": 0.01, "shortestLatency": 1, "longestLatency": 5, "status": 503, "retryAfter": 2}
  /// ```
  public struct Configuration: Sendable, Hashable {
    /// Which part of the calls is disturbed; 0 to 1, the default is 0.01.
    public var rate: Double
    /// How long a disturbed call waits at least; zero or more, cut to a year, the default is zero.
    public var shortestLatency: Duration
    /// How long a disturbed call waits at most; at least the shortest, cut to a year.
    ///
    /// The default, nil, is the shortest.
    public var longestLatency: Duration?
    /// With which status a disturbed call fails after its latency, without being made; 400 to 599.
    ///
    /// The default, nil, lets it be made.
    public var status: Int?
    /// How long the failure asks to wait; zero or more, cut to a year, and only with a `status`.
    ///
    /// The default, nil, asks for nothing.
    public var retryAfter: Duration?

    /// Makes settings.
    public init(
      rate: Double = 0.01, shortestLatency: Duration = .zero, longestLatency: Duration? = nil,
      status: Int? = nil, retryAfter: Duration? = nil
    ) {
      self.rate = rate
      self.shortestLatency = shortestLatency
      self.longestLatency = longestLatency
      self.status = status
      self.retryAfter = retryAfter
    }
  }

  /// Makes a disturbance from settings that come from outside.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - enabledInRelease: Whether it works, in any build.
  ///   - condition: Whether calls are disturbed just now; asked for each call, always by default.
  ///   - name: The name, for events; the default is that of the pipeline.
  ///   - clock: The clock of the latency; the default is the continuous one.
  ///   - seed: Makes the choice of calls repeatable, for tests; the default is a new seed.
  ///   - observer: Who is told about its events, besides the observer of the process.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  public init(
    validating configuration: Configuration, enabledInRelease: Bool,
    when condition: @escaping @Sendable () -> Bool = { true }, name: String? = nil,
    clock: some Clock<Duration> = ContinuousClock(), seed: UInt64? = nil,
    observer: (any PolicyObserver)? = nil
  ) throws(ConfigurationError) {
    try configuration.check()
    let shortest = configuration.shortestLatency.clamped
    let longest = configuration.longestLatency?.clamped ?? shortest
    var disturbance = Disturbance.latency(shortest...longest)
    if let status = configuration.status {
      let retryAfter = configuration.retryAfter?.clamped
      let error: @Sendable () -> any Error = {
        AppError.http(status: status, isRepeatable: true, retryAfter: retryAfter)
      }
      let isLate = longest > .zero
      disturbance = Disturbance(
        kind: isLate ? .lateError(shortest...longest, error) : .error(error))
    }
    self.init(
      enabledInRelease: enabledInRelease, disturbance, rate: configuration.rate, when: condition,
      name: name, clock: clock, seed: seed, observer: observer)
  }
}

extension Chaos.Configuration {
  fileprivate func check() throws(ConfigurationError) {
    var found = Violations()
    found.check((0...1).contains(rate), "rate", rate, "it must be 0 to 1")
    found.check(
      shortestLatency >= .zero, "shortestLatency", shortestLatency, "it must be zero or more")
    if let longestLatency {
      found.check(
        longestLatency >= shortestLatency, "longestLatency", longestLatency,
        "it must be at least shortestLatency, which is \(shortestLatency)")
    }
    if let status {
      found.check((400...599).contains(status), "status", status, "it must be 400 to 599")
    }
    if let retryAfter {
      found.check(
        retryAfter >= .zero && status != nil, "retryAfter", retryAfter,
        "it must be zero or more, beside a status")
    }
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "Chaos", violations: found.all)
    }
  }
}

extension Chaos.Configuration: Codable {
  private enum CodingKeys: CodingKey {
    case rate, shortestLatency, longestLatency, status, retryAfter
  }

  /// Decodes the settings; a key that is missing gets its default.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    rate = try values.decode(.rate, default: rate)
    shortestLatency = try values.decodeSeconds(.shortestLatency) ?? shortestLatency
    longestLatency = try values.decodeSeconds(.longestLatency)
    status = try values.decodeIfPresent(Int.self, forKey: .status)
    retryAfter = try values.decodeSeconds(.retryAfter)
  }

  /// Encodes the settings, spans of time as numbers of seconds.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(rate, forKey: .rate)
    try values.encodeSeconds(shortestLatency, .shortestLatency)
    try values.encodeSeconds(longestLatency, .longestLatency)
    try values.encodeIfPresent(status, forKey: .status)
    try values.encodeSeconds(retryAfter, .retryAfter)
  }
}
