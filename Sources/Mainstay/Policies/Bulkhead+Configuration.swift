// SPDX-License-Identifier: Apache-2.0

extension Bulkhead {
  /// Settings that come from outside, such as a file; checked by
  /// ``Bulkhead/init(validating:clock:observer:)``.
  ///
  /// All keys but `name` and `limit` may be missing, and the wait is a number of seconds:
  ///
  /// ```json
  /// {"name": "catalog", "limit": 10, "queue": 20, "maximumWait": 2, "order": "fifo"}
  /// ```
  public struct Configuration: Sendable, Hashable {
    /// The name of the dependency, for events and messages; not blank.
    public var name: String
    /// How many calls may run at the same time; 1 or more.
    public var limit: Int
    /// How many may wait; zero to 1,000,000, the default is zero: nobody waits.
    public var queue: Int
    /// How long a call waits at most; more than zero, cut to a year, the default is 10 seconds.
    public var maximumWait: Duration
    /// Who gets a permit that comes free; the default is who has waited longest.
    public var order: Order

    /// Makes settings.
    public init(
      name: String, limit: Int, queue: Int = 0, maximumWait: Duration = .seconds(10),
      order: Order = .fifo
    ) {
      self.name = name
      self.limit = limit
      self.queue = queue
      self.maximumWait = maximumWait
      self.order = order
    }
  }
}

extension Bulkhead.Configuration {
  /// The settings as the machine takes them.
  ///
  /// - Parameter fixedName: The name that they have to have; nil where any will do.
  /// - Returns: The settings, with the wait in `0...aYear`.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  func checked(
    named fixedName: String?
  ) throws(ConfigurationError) -> BulkheadStateMachine.Settings {
    var found = Violations()
    found.checkName(name, fixed: fixedName)
    found.checkLimit(limit)
    found.checkQueue(queue, maximumWait: maximumWait)
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "Bulkhead", violations: found.all)
    }
    return BulkheadStateMachine.Settings(
      limit: limit, queue: queue, maximumWait: maximumWait.clamped, order: order)
  }
}

// What the policies with permits have in common.
extension Violations {
  /// Checks a name; a policy that exists keeps its own.
  mutating func checkName(_ name: String, fixed: String? = nil) {
    check(!name.allSatisfy(\.isWhitespace), "name", "\"\(name)\"", "it must not be blank")
    guard let fixed else { return }
    check(name == fixed, "name", "\"\(name)\"", "it must stay \"\(fixed)\"")
  }

  mutating func checkLimit(_ limit: Int) {
    check(limit >= 1, "limit", limit, "it must be 1 or more")
  }

  mutating func checkQueue(_ queue: Int, maximumWait: Duration) {
    check((0...1_000_000).contains(queue), "queue", queue, "it must be 0 to 1,000,000")
    check(maximumWait > .zero, "maximumWait", maximumWait, "it must be more than zero")
  }
}

extension Bulkhead.Configuration: Codable {
  private enum CodingKeys: CodingKey {
    case name, limit, queue, maximumWait, order
  }

  /// Decodes the settings; a key that is missing gets its default, but for name and limit.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try values.decode(String.self, forKey: .name),
      limit: try values.decode(Int.self, forKey: .limit))
    queue = try values.decode(.queue, default: queue)
    maximumWait = try values.decodeSeconds(.maximumWait) ?? maximumWait
    order = try values.decode(.order, default: order)
  }

  /// Encodes the settings, the wait as a number of seconds.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encode(limit, forKey: .limit)
    try values.encode(queue, forKey: .queue)
    try values.encodeSeconds(maximumWait, .maximumWait)
    try values.encode(order, forKey: .order)
  }
}
