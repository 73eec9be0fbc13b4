// SPDX-License-Identifier: Apache-2.0

extension CircuitBreaker {
  /// Over which calls a rate is taken.
  public enum Window: Sendable, Hashable {
    /// The latest calls, this many; 1 to 100,000.
    case count(Int)
    /// The calls of the latest time, in steps of a tenth of it; more than zero, cut to a year.
    case time(Duration)
  }

  /// When a closed breaker opens; the set is open.
  ///
  /// Only a call that failed or was slow makes a breaker look at its rules: a success never opens
  /// it.
  public struct TripRule: Sendable, Hashable {
    enum Part: Sendable, Hashable {
      case consecutiveFailures(Int)
      case failureRate(Double, over: Window, minimumThroughput: Int)
      case slowCalls(Double, longerThan: Duration, over: Window, minimumThroughput: Int)
    }

    /// Any of them opens the breaker.
    let parts: [Part]

    init(parts: [Part]) { self.parts = parts }

    /// Opens after this many failures in a row; one success in between starts the count again.
    ///
    /// - Parameter count: How many; 1 or more.
    /// - Returns: The rule.
    public static func consecutiveFailures(_ count: Int) -> TripRule {
      TripRule(parts: [.consecutiveFailures(count)])
    }

    /// Opens when this part of the calls of late failed.
    ///
    /// - Parameters:
    ///   - rate: Which part; more than 0, at most 1.
    ///   - window: Which calls are counted; the default is those of the latest 30 seconds.
    ///   - minimumThroughput: How many calls the window must hold before it can open the breaker; 1
    ///     or more, at most the size of a window over a count; the default is 20.
    /// - Returns: The rule.
    public static func failureRate(
      _ rate: Double, over window: Window = .time(.seconds(30)), minimumThroughput: Int = 20
    ) -> TripRule {
      TripRule(parts: [.failureRate(rate, over: window, minimumThroughput: minimumThroughput)])
    }

    /// Opens when this part of the calls of late was slow, whether they failed or not.
    ///
    /// While half-open, a slow probe counts as failed. Where several such rules are combined, all
    /// have to agree on what is slow.
    ///
    /// - Parameters:
    ///   - rate: Which part; more than 0, at most 1.
    ///   - threshold: A call that takes longer than this is slow; more than zero, cut to a year.
    ///   - window: Which calls are counted; the default is those of the latest 30 seconds.
    ///   - minimumThroughput: How many calls the window must hold before it can open the breaker; 1
    ///     or more, at most the size of a window over a count; the default is 20.
    /// - Returns: The rule.
    public static func slowCalls(
      rate: Double, longerThan threshold: Duration, over window: Window = .time(.seconds(30)),
      minimumThroughput: Int = 20
    ) -> TripRule {
      TripRule(parts: [
        .slowCalls(rate, longerThan: threshold, over: window, minimumThroughput: minimumThroughput)
      ])
    }

    /// Opens as soon as one of several rules says so.
    ///
    /// - Parameter rules: The rules; 1 to 8.
    /// - Returns: The rule.
    public static func any(of rules: TripRule...) -> TripRule {
      TripRule(parts: rules.flatMap(\.parts))
    }

    /// Half of at least 20 calls in 30 seconds failed, or five in a row.
    public static let recommended = TripRule.any(of: .consecutiveFailures(5), .failureRate(0.5))
  }
}

extension CircuitBreaker.TripRule {
  /// Notes everything that is not legal.
  func check(_ found: inout Violations) {
    found.check((1...8).contains(parts.count), "tripRule", parts.count, "it must have 1 to 8 rules")
    for part in parts {
      switch part {
      case .consecutiveFailures(let count):
        found.check(count >= 1, "consecutiveFailures", count, "it must be 1 or more")
      case .failureRate(let rate, let window, let minimum):
        check(rate, window, minimum, of: "failureRate", &found)
      case .slowCalls(let rate, let threshold, let window, let minimum):
        check(rate, window, minimum, of: "slowCalls", &found)
        found.check(
          threshold > .zero, "slowCalls.longerThan", threshold, "it must be more than zero")
        found.check(
          threshold == slowerThan, "slowCalls.longerThan", threshold,
          "it must be the same in all slowCalls rules")
      }
    }
  }

  private func check(
    _ rate: Double, _ window: CircuitBreaker.Window, _ minimum: Int, of rule: String,
    _ found: inout Violations
  ) {
    found.check(rate > 0 && rate <= 1, "\(rule).rate", rate, "it must be more than 0, at most 1")
    var most = Int.max
    switch window {
    case .count(let size):
      found.check((1...100_000).contains(size), "\(rule).over", size, "it must be 1 to 100000")
      most = max(1, size)
    case .time(let length):
      found.check(length > .zero, "\(rule).over", length, "it must be more than zero")
    }
    found.check(
      minimum >= 1 && minimum <= most, "\(rule).minimumThroughput", minimum,
      most == .max ? "it must be 1 or more" : "it must be 1 to \(most), the size of the window")
  }

  /// After how many failures in a row the breaker opens; nil where there is no such rule.
  var failureThreshold: Int? {
    parts.compactMap { if case .consecutiveFailures(let count) = $0 { count } else { nil } }.min()
  }

  /// What counts as slow, as the first rule that knows slow calls has it.
  var slowerThan: Duration? {
    parts.lazy.compactMap {
      if case .slowCalls(_, let threshold, _, _) = $0 { threshold } else { nil }
    }.first
  }

  /// The rules about rates as the machine takes them.
  var rates: [CircuitBreakerStateMachine.Rate] {
    parts.compactMap { part in
      switch part {
      case .consecutiveFailures: nil
      case .failureRate(let rate, let window, let minimum):
        .init(counts: .failures, threshold: rate, span: window.clamped, minimum: minimum)
      case .slowCalls(let rate, _, let window, let minimum):
        .init(counts: .slowCalls, threshold: rate, span: window.clamped, minimum: minimum)
      }
    }
  }
}

extension CircuitBreaker.Window {
  fileprivate var clamped: Self {
    if case .time(let length) = self { .time(length.clamped) } else { self }
  }
}

extension CircuitBreaker.TripRule: Codable {
  /// Decodes one rule, or a list of them.
  public init(from decoder: any Decoder) throws {
    if var list = try? decoder.unkeyedContainer() {
      var parts: [Part] = []
      while !list.isAtEnd { parts.append(try list.decode(Part.self)) }
      self.init(parts: parts)
    } else {
      self.init(parts: [try Part(from: decoder)])
    }
  }

  /// Encodes one rule as itself, several as a list.
  public func encode(to encoder: any Encoder) throws {
    if parts.count == 1 {
      try parts[0].encode(to: encoder)
    } else {
      try parts.encode(to: encoder)
    }
  }
}

extension CircuitBreaker.TripRule.Part: Codable {
  private enum CodingKeys: CodingKey, CaseIterable {
    case consecutiveFailures, failureRate, slowCalls, longerThan, calls, seconds, minimumThroughput
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let kinds = [CodingKeys.consecutiveFailures, .failureRate, .slowCalls]
    // Asked for each key: not every decoder can list what is there, and so notice a key too many.
    let found = Set(CodingKeys.allCases.filter(values.contains))
    guard found.intersection(kinds).count == 1 else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: values.codingPath,
          debugDescription: "A rule is one of consecutiveFailures, failureRate and slowCalls"))
    }
    if let count = try values.decodeIfPresent(Int.self, forKey: .consecutiveFailures) {
      self = .consecutiveFailures(count)
      return
    }
    guard !found.isSuperset(of: [.calls, .seconds]) else {
      throw DecodingError.dataCorruptedError(
        forKey: .calls, in: values, debugDescription: "A window is of calls or seconds, not both")
    }
    let window: CircuitBreaker.Window =
      if let count = try values.decodeIfPresent(Int.self, forKey: .calls) {
        .count(count)
      } else {
        .time(try values.decodeSeconds(.seconds) ?? .seconds(30))
      }
    let minimum = try values.decode(.minimumThroughput, default: 20)
    if let rate = try values.decodeIfPresent(Double.self, forKey: .failureRate) {
      self = .failureRate(rate, over: window, minimumThroughput: minimum)
      return
    }
    guard let threshold = try values.decodeSeconds(.longerThan) else {
      throw DecodingError.keyNotFound(
        CodingKeys.longerThan,
        .init(codingPath: values.codingPath, debugDescription: "slowCalls needs longerThan"))
    }
    self = .slowCalls(
      try values.decode(Double.self, forKey: .slowCalls), longerThan: threshold, over: window,
      minimumThroughput: minimum)
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .consecutiveFailures(let count):
      try values.encode(count, forKey: .consecutiveFailures)
    case .failureRate(let rate, let window, let minimum):
      try values.encode(rate, forKey: .failureRate)
      try Self.encode(window, minimum, to: &values)
    case .slowCalls(let rate, let threshold, let window, let minimum):
      try values.encode(rate, forKey: .slowCalls)
      try values.encodeSeconds(threshold, .longerThan)
      try Self.encode(window, minimum, to: &values)
    }
  }

  private static func encode(
    _ window: CircuitBreaker.Window, _ minimum: Int,
    to values: inout KeyedEncodingContainer<CodingKeys>
  ) throws {
    switch window {
    case .count(let count): try values.encode(count, forKey: .calls)
    case .time(let length): try values.encodeSeconds(length, .seconds)
    }
    try values.encode(minimum, forKey: .minimumThroughput)
  }
}
