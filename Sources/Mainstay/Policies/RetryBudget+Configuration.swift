// SPDX-License-Identifier: Apache-2.0

extension RetryBudget {
  /// What a repetition costs, by what the attempt before it ended with; in tokens.
  ///
  /// Each is 0 to the capacity of the budget. After the refusal of another policy nothing is paid,
  /// since nothing was sent.
  public struct Costs: Sendable, Hashable {
    /// After a failure that may pass, or a result that is not acceptable; the default is 1.
    public var transient: Double
    /// After an attempt that took too long; the default is 1.
    public var timedOut: Double
    /// After the service asked to slow down; the default is 1.
    public var throttled: Double
    /// After a call that may have had its effect; the default is 1.
    public var unknownOutcome: Double
    /// For one more copy of a call that gives no answer; the default is 1.
    public var hedge: Double

    /// Makes costs.
    public init(
      transient: Double = 1, timedOut: Double = 1, throttled: Double = 1,
      unknownOutcome: Double = 1, hedge: Double = 1
    ) {
      self.transient = transient
      self.timedOut = timedOut
      self.throttled = throttled
      self.unknownOutcome = unknownOutcome
      self.hedge = hedge
    }
  }

  /// Settings that come from outside, such as a file; checked by
  /// ``RetryBudget/init(validating:clock:)``.
  ///
  /// All keys may be missing:
  ///
  /// ```json
  /// {"ratio": 0.2, "minimumPerSecond": 1, "capacity": 50, "initial": 10,
  ///  "costs": {"transient": 1, "timedOut": 2}}
  /// ```
  public struct Configuration: Sendable, Hashable {
    /// How many repetitions each call pays for; 0 to 1, the default is 0.2.
    public var ratio: Double
    /// How many repetitions each second pays for; 0 to 1,000,000, the default is 1.
    ///
    /// It is not zero where the ratio is: such a budget would never fill again.
    public var minimumPerSecond: Double
    /// How many tokens it holds at most; 1 to 1,000,000, the default is 50.
    public var capacity: Int
    /// How many tokens it holds at first; 0 to the capacity.
    ///
    /// The default, nil, is 10, or the capacity where that is less.
    public var initial: Int?
    /// What repetitions cost; the default is one token each.
    public var costs: Costs

    /// Makes settings.
    public init(
      ratio: Double = 0.2, minimumPerSecond: Double = 1, capacity: Int = 50, initial: Int? = nil,
      costs: Costs = Costs()
    ) {
      self.ratio = ratio
      self.minimumPerSecond = minimumPerSecond
      self.capacity = capacity
      self.initial = initial
      self.costs = costs
    }
  }
}

extension RetryBudget.Configuration {
  var effectiveInitial: Int { initial ?? min(capacity, 10) }

  /// Throws everything that is not legal at once.
  func check() throws(ConfigurationError) {
    let million = 1_000_000
    var found = Violations()
    found.check((0...1).contains(ratio), "ratio", ratio, "it must be 0 to 1")
    found.check(
      (0...Double(million)).contains(minimumPerSecond), "minimumPerSecond", minimumPerSecond,
      "it must be 0 to 1,000,000")
    if (0..<0.001).contains(ratio) {
      // Less than a thousandth of a token is nothing.
      found.check(
        !(0..<0.001).contains(minimumPerSecond), "minimumPerSecond", minimumPerSecond,
        "it must be 0.001 or more where the ratio is 0, or the budget never fills again")
    }
    let isLegalCapacity = (1...million).contains(capacity)
    found.check(isLegalCapacity, "capacity", capacity, "it must be 1 to 1,000,000")
    let most = isLegalCapacity ? capacity : million
    if let initial {
      found.check(
        (0...most).contains(initial), "initial", initial, "it must be 0 to capacity, \(most)")
    }
    let named = [
      ("transient", costs.transient), ("timedOut", costs.timedOut), ("throttled", costs.throttled),
      ("unknownOutcome", costs.unknownOutcome), ("hedge", costs.hedge),
    ]
    for (name, cost) in named {
      found.check(
        (0...Double(most)).contains(cost), "costs." + name, cost,
        "it must be 0 to capacity, \(most)")
    }
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "RetryBudget", violations: found.all)
    }
  }
}

extension RetryBudget.Costs: Codable {
  private enum CodingKeys: CodingKey {
    case transient, timedOut, throttled, unknownOutcome, hedge
  }

  /// Decodes the costs; a key that is missing gets its default.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    transient = try values.decode(.transient, default: transient)
    timedOut = try values.decode(.timedOut, default: timedOut)
    throttled = try values.decode(.throttled, default: throttled)
    unknownOutcome = try values.decode(.unknownOutcome, default: unknownOutcome)
    hedge = try values.decode(.hedge, default: hedge)
  }
}

extension RetryBudget.Configuration: Codable {
  private enum CodingKeys: CodingKey {
    case ratio, minimumPerSecond, capacity, initial, costs
  }

  /// Decodes the settings; a key that is missing gets its default.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    ratio = try values.decode(.ratio, default: ratio)
    minimumPerSecond = try values.decode(.minimumPerSecond, default: minimumPerSecond)
    capacity = try values.decode(.capacity, default: capacity)
    initial = try values.decodeIfPresent(Int.self, forKey: .initial)
    costs = try values.decode(.costs, default: costs)
  }
}
