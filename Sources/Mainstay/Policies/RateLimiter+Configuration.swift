// SPDX-License-Identifier: Apache-2.0

extension RateLimiter {
  /// How many calls may begin when; the set is open.
  public struct Kind: Sendable, Hashable {
    enum Law: String, Sendable, Hashable, Codable, CaseIterable {
      case tokenBucket, gcra, slidingWindow
    }

    var law: Law
    /// The rate, or the limit of a sliding window.
    var rate: Int
    var per: Duration
    /// The rate itself for a sliding window.
    var burst: Int

    /// A bucket of tokens that is filled at a steady rate; a call takes one, so `burst` calls may
    /// begin at once after a pause, and never more than `burst` and what came in meanwhile.
    ///
    /// - Parameters:
    ///   - rate: How many tokens come in; 1 to 1,000,000,000.
    ///   - per: In which time; a nanosecond or more, cut to a year.
    ///   - burst: How many the bucket holds; 1 to 1,000,000,000, the default, nil, is `rate`.
    /// - Returns: The kind.
    public static func tokenBucket(rate: Int, per: Duration, burst: Int? = nil) -> Kind {
      Kind(law: .tokenBucket, rate: rate, per: per, burst: burst ?? rate)
    }

    /// The generic cell rate algorithm: calls at even distances, `burst` of which may come early.
    ///
    /// The same law as that of a token bucket, kept as a single reading; by default nothing may
    /// come early, so that the other side sees no bursts at all.
    ///
    /// - Parameters:
    ///   - rate: How many calls may begin; 1 to 1,000,000,000.
    ///   - per: In which time; a nanosecond or more, cut to a year.
    ///   - burst: How many may begin at once; 1 to 1,000,000,000, the default is 1.
    /// - Returns: The kind.
    public static func gcra(rate: Int, per: Duration, burst: Int = 1) -> Kind {
      Kind(law: .gcra, rate: rate, per: per, burst: burst)
    }

    /// At most so many calls in any span of this length, exactly: every call is remembered for as
    /// long as it counts, so no two bursts meet at the edge of a window.
    ///
    /// - Parameters:
    ///   - limit: How many; 1 to 100,000, which bounds what is remembered.
    ///   - per: How long the window is; a nanosecond or more, cut to a year.
    /// - Returns: The kind.
    public static func slidingWindow(limit: Int, per: Duration) -> Kind {
      Kind(law: .slidingWindow, rate: limit, per: per, burst: limit)
    }
  }

  /// Settings that come from outside, such as a file; checked by
  /// ``RateLimiter/init(validating:clock:observer:)``.
  ///
  /// `burst`, `maximumWait` and `queue` may be missing, and spans of time are numbers of seconds:
  ///
  /// ```json
  /// {"name": "search", "maximumWait": 2, "queue": 100,
  ///  "kind": {"tokenBucket": {"rate": 100, "per": 1, "burst": 20}}}
  /// ```
  ///
  /// The kind may also be `{"gcra": {"rate": 100, "per": 1, "burst": 5}}` or
  /// `{"slidingWindow": {"limit": 100, "per": 60}}`.
  public struct Configuration: Sendable, Hashable {
    /// The name of the quota, for events and messages; not blank.
    public var name: String
    /// How many calls may begin when.
    public var kind: Kind
    /// How long a call waits for its turn at most; zero or more, cut to a year, the default is
    /// zero: nobody waits.
    public var maximumWait: Duration
    /// How many calls wait for their turns at the same time at most, those included that have
    /// reserved one; 0 to 1,000,000, the default is 10,000.
    public var queue: Int

    /// Makes settings.
    public init(
      name: String, kind: Kind, maximumWait: Duration = .zero, queue: Int = 10_000
    ) {
      self.name = name
      self.kind = kind
      self.maximumWait = maximumWait
      self.queue = queue
    }
  }
}

extension RateLimiter.Configuration {
  /// Notes everything that is not legal.
  ///
  /// - Throws: ``ConfigurationError`` with all of it.
  ///
  /// - Parameter fixedName: The name that they have to have; nil where any will do.
  func check(named fixedName: String? = nil) throws(ConfigurationError) {
    let billion = 1...1_000_000_000
    var found = Violations()
    found.checkName(name, fixed: fixedName)
    if kind.law == .slidingWindow {
      found.check((1...100_000).contains(kind.rate), "limit", kind.rate, "it must be 1 to 100,000")
    } else {
      let rule = "it must be 1 to 1,000,000,000"
      found.check(billion.contains(kind.rate), "rate", kind.rate, rule)
      found.check(billion.contains(kind.burst), "burst", kind.burst, rule)
    }
    found.check(
      kind.per >= .nanoseconds(1), "per", kind.per, "it must be a nanosecond or more")
    found.check(maximumWait >= .zero, "maximumWait", maximumWait, "it must be zero or more")
    found.check((0...1_000_000).contains(queue), "queue", queue, "it must be 0 to 1,000,000")
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "RateLimiter", violations: found.all)
    }
  }
}

extension RateLimiter.Kind: Codable {
  private enum CodingKeys: CodingKey {
    case rate, limit, per, burst
  }

  private struct LawKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ law: Law) { stringValue = law.rawValue }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
  }

  /// What lies under the name of a law.
  private struct Terms: Decodable {
    let rate: Int?
    let limit: Int?
    let burst: Int?
    let per: Duration

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      rate = try values.decodeIfPresent(Int.self, forKey: .rate)
      limit = try values.decodeIfPresent(Int.self, forKey: .limit)
      burst = try values.decodeIfPresent(Int.self, forKey: .burst)
      guard let per = try values.decodeSeconds(.per) else {
        throw DecodingError.keyNotFound(
          CodingKeys.per,
          .init(codingPath: values.codingPath, debugDescription: "a time in seconds is needed"))
      }
      self.per = per
    }
  }

  /// Decodes a kind: an object with one key, the kind's name.
  public init(from decoder: any Decoder) throws {
    let laws = try decoder.container(keyedBy: LawKey.self)
    // Each is asked for by its name: not every decoder can list what is there.
    let found = try Law.allCases.compactMap { law in
      try laws.decodeIfPresent(Terms.self, forKey: LawKey(law)).map { (law, $0) }
    }
    guard found.count == 1, laws.allKeys.count <= 1, let (law, terms) = found.first else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "one of tokenBucket, gcra and slidingWindow is needed"))
    }
    guard let rate = law == .slidingWindow ? terms.limit : terms.rate else {
      throw DecodingError.keyNotFound(
        law == .slidingWindow ? CodingKeys.limit : .rate,
        .init(
          codingPath: laws.codingPath + [LawKey(law)], debugDescription: "it must be set"))
    }
    switch law {
    case .tokenBucket: self = .tokenBucket(rate: rate, per: terms.per, burst: terms.burst)
    case .gcra: self = .gcra(rate: rate, per: terms.per, burst: terms.burst ?? 1)
    case .slidingWindow: self = .slidingWindow(limit: rate, per: terms.per)
    }
  }

  /// Encodes the kind under its name, the span of time as a number of seconds.
  public func encode(to encoder: any Encoder) throws {
    var laws = encoder.container(keyedBy: LawKey.self)
    var values = laws.nestedContainer(keyedBy: CodingKeys.self, forKey: LawKey(law))
    try values.encodeSeconds(per, .per)
    try values.encode(rate, forKey: law == .slidingWindow ? .limit : .rate)
    if law != .slidingWindow { try values.encode(burst, forKey: .burst) }
  }
}

extension RateLimiter.Configuration: Codable {
  private enum CodingKeys: CodingKey {
    case name, kind, maximumWait, queue
  }

  /// Decodes the settings; where there is no wait, nobody waits.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try values.decode(String.self, forKey: .name),
      kind: try values.decode(RateLimiter.Kind.self, forKey: .kind))
    maximumWait = try values.decodeSeconds(.maximumWait) ?? maximumWait
    queue = try values.decode(.queue, default: queue)
  }

  /// Encodes the settings, the wait as a number of seconds.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encode(kind, forKey: .kind)
    try values.encodeSeconds(maximumWait, .maximumWait)
    try values.encode(queue, forKey: .queue)
  }
}

extension RateLimiter.Kind {
  /// What it lets through, in words.
  var inWords: String {
    let through = (rate == 1 ? "1 call" : "\(rate) calls") + " through in"
    return switch law {
    case .tokenBucket, .gcra: "\(through) \(per.inWords), up to \(burst) of them at once"
    case .slidingWindow: "\(through) any \(per.inWords)"
    }
  }
}
