// SPDX-License-Identifier: Apache-2.0

extension AdaptiveLimit {
  /// How a limit learns; the set is open.
  public struct Kind: Sendable, Hashable {
    enum Law: Sendable, Hashable {
      case aimd(backoffRatio: Double, timeout: Duration)
      case vegas
      case gradient2(tolerance: Double)
    }

    var law: Law
    var initial: Int
    var minimum: Int
    var maximum: Int

    /// One more for each full round of answers, a part less for a drop.
    ///
    /// It heeds nothing else, so it works where the service refuses what is too much, and not where
    /// it only gets slower.
    ///
    /// Source: Chiu and Jain (1989).
    ///
    /// - Parameters:
    ///   - initial: The limit at first; `minimum` to `maximum`, the default is 20.
    ///   - minimum: The lowest limit; 1 or more, the default is 1.
    ///   - maximum: The highest limit; up to 1,000,000, the default is 200.
    ///   - backoffRatio: What remains of the limit after a drop; 0.5 to less than 1, the default is
    ///     0.9.
    ///   - timeout: An answer that takes longer counts as a drop; more than zero, cut to a year,
    ///     the default is 5 s.
    /// - Returns: The kind.
    public static func aimd(
      initial: Int = 20, minimum: Int = 1, maximum: Int = 200, backoffRatio: Double = 0.9,
      timeout: Duration = .seconds(5)
    ) -> Kind {
      Kind(
        law: .aimd(backoffRatio: backoffRatio, timeout: timeout), initial: initial,
        minimum: minimum, maximum: maximum)
    }

    /// Keeps a few calls in the queue of the service, as many as TCP Vegas would: it guesses them
    /// from the shortest time an answer ever took.
    ///
    /// Source: Brakmo and Peterson (1995), with the bounds of Netflix.
    ///
    /// - Parameters:
    ///   - initial: The limit at first; `minimum` to `maximum`, the default is 20.
    ///   - minimum: The lowest limit; 1 or more, the default is 1.
    ///   - maximum: The highest limit; up to 1,000,000, the default is 1000.
    /// - Returns: The kind.
    public static func vegas(
      initial: Int = 20, minimum: Int = 1, maximum: Int = 1000
    ) -> Kind {
      Kind(law: .vegas, initial: initial, minimum: minimum, maximum: maximum)
    }

    /// Compares how long answers take now with how long they took over the last minutes; the
    /// steadiest of the three, and the default.
    ///
    /// Source: Gradient2 of Netflix.
    ///
    /// - Parameters:
    ///   - initial: The limit at first; `minimum` to `maximum`, the default is 20.
    ///   - minimum: The lowest limit; 1 or more, the default is 1.
    ///   - maximum: The highest limit; up to 1,000,000, the default is 200.
    ///   - tolerance: By how much answers may take longer before the limit shrinks; 1 to 10, the
    ///     default is 1.5.
    /// - Returns: The kind.
    public static func gradient2(
      initial: Int = 20, minimum: Int = 1, maximum: Int = 200, tolerance: Double = 1.5
    ) -> Kind {
      Kind(
        law: .gradient2(tolerance: tolerance), initial: initial, minimum: minimum,
        maximum: maximum)
    }
  }

  /// Settings that come from outside, such as a file; checked by
  /// ``AdaptiveLimit/init(validating:clock:seed:observer:)``.
  ///
  /// All keys but `name` may be missing, and the wait is a number of seconds:
  ///
  /// ```json
  /// {"name": "catalog", "queue": 20, "maximumWait": 2, "order": "fifo",
  ///  "kind": {"law": "gradient2", "initial": 20, "minimum": 1, "maximum": 200, "tolerance": 1.5}}
  /// ```
  ///
  /// The law may also be `vegas`, or `aimd` with `backoffRatio` and `timeout`.
  public struct Configuration: Sendable, Hashable {
    /// The name of the dependency, for events and messages; not blank.
    public var name: String
    /// How it learns; the default is `.gradient2()`.
    public var kind: Kind
    /// How many calls may wait; zero to 1,000,000, the default is zero: nobody waits.
    public var queue: Int
    /// How long a call waits at most; more than zero, cut to a year, the default is 10 seconds.
    public var maximumWait: Duration
    /// Who gets a place that comes free; the default is who has waited longest.
    public var order: Bulkhead.Order

    /// Makes settings.
    public init(
      name: String, kind: Kind = .gradient2(), queue: Int = 0,
      maximumWait: Duration = .seconds(10), order: Bulkhead.Order = .fifo
    ) {
      self.name = name
      self.kind = kind
      self.queue = queue
      self.maximumWait = maximumWait
      self.order = order
    }
  }
}

extension AdaptiveLimit.Configuration {
  /// The settings of the permits.
  ///
  /// - Parameter fixedName: The name that they have to have; nil where any will do.
  /// - Returns: The settings, with the limit at first.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  func checked(
    named fixedName: String? = nil
  ) throws(ConfigurationError) -> BulkheadStateMachine.Settings {
    var found = Violations()
    found.checkName(name, fixed: fixedName)
    kind.check(&found)
    found.checkQueue(queue, maximumWait: maximumWait)
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "AdaptiveLimit", violations: found.all)
    }
    return BulkheadStateMachine.Settings(
      limit: kind.initial, queue: queue, maximumWait: maximumWait.clamped, order: order)
  }
}

extension AdaptiveLimit.Kind {
  fileprivate func check(_ found: inout Violations) {
    found.check(
      initial >= minimum && initial <= maximum, "initial", initial,
      "it must be minimum to maximum, \(minimum) to \(maximum)")
    found.check(minimum >= 1, "minimum", minimum, "it must be 1 or more")
    found.check(
      maximum >= minimum && maximum <= 1_000_000, "maximum", maximum,
      "it must be minimum, \(minimum), to 1,000,000")
    switch law {
    case .aimd(let ratio, let timeout):
      found.check(
        ratio >= 0.5 && ratio < 1, "backoffRatio", ratio, "it must be 0.5 to less than 1")
      found.check(timeout > .zero, "timeout", timeout, "it must be more than zero")
    case .vegas: break
    case .gradient2(let tolerance):
      found.check((1...10).contains(tolerance), "tolerance", tolerance, "it must be 1 to 10")
    }
  }
}

extension AdaptiveLimit.Kind: Codable {
  private enum CodingKeys: CodingKey {
    case law, initial, minimum, maximum, backoffRatio, timeout, tolerance
  }

  private enum Name: String, Codable, CaseIterable {
    case aimd, vegas, gradient2
  }

  /// Decodes the kind; a key that is missing gets its default, but for the law.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    // Also what is for another law has to be of its type.
    let ratio = try values.decode(.backoffRatio, default: 0.9)
    let timeout = try values.decodeSeconds(.timeout) ?? .seconds(5)
    let tolerance = try values.decode(.tolerance, default: 1.5)
    switch try values.decode(Name.self, forKey: .law) {
    case .aimd: self = .aimd(backoffRatio: ratio, timeout: timeout)
    case .vegas: self = .vegas()
    case .gradient2: self = .gradient2(tolerance: tolerance)
    }
    initial = try values.decode(.initial, default: initial)
    minimum = try values.decode(.minimum, default: minimum)
    maximum = try values.decode(.maximum, default: maximum)
  }

  /// Encodes the kind, the span of time as a number of seconds.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    switch law {
    case .aimd(let ratio, let timeout):
      try values.encode(Name.aimd, forKey: .law)
      try values.encode(ratio, forKey: .backoffRatio)
      try values.encodeSeconds(timeout, .timeout)
    case .vegas: try values.encode(Name.vegas, forKey: .law)
    case .gradient2(let tolerance):
      try values.encode(Name.gradient2, forKey: .law)
      try values.encode(tolerance, forKey: .tolerance)
    }
    try values.encode(initial, forKey: .initial)
    try values.encode(minimum, forKey: .minimum)
    try values.encode(maximum, forKey: .maximum)
  }
}

extension AdaptiveLimit.Configuration: Codable {
  private enum CodingKeys: CodingKey {
    case name, kind, queue, maximumWait, order
  }

  /// Decodes the settings; a key that is missing gets its default, but for the name.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(name: try values.decode(String.self, forKey: .name))
    kind = try values.decode(.kind, default: kind)
    queue = try values.decode(.queue, default: queue)
    maximumWait = try values.decodeSeconds(.maximumWait) ?? maximumWait
    order = try values.decode(.order, default: order)
  }

  /// Encodes the settings, the wait as a number of seconds.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encode(kind, forKey: .kind)
    try values.encode(queue, forKey: .queue)
    try values.encodeSeconds(maximumWait, .maximumWait)
    try values.encode(order, forKey: .order)
  }
}
