// SPDX-License-Identifier: Apache-2.0

extension ErrorMonitor {
  /// Settings of a monitor; those that come from outside, such as a file, are checked by the
  /// initialiser that takes them as `validating:`.
  ///
  /// All keys may be missing, and spans of time are numbers of seconds:
  /// `{"history": 100, "limit": {"count": 10, "window": 60}}`; `"limit": null` means no limit.
  public struct Configuration: Sendable, Hashable {
    /// How many reports of one group go out in each window.
    public struct Limit: Sendable, Hashable {
      /// How many; 1 or more.
      public var count: Int
      /// How long a window is, from the first report that goes out; more than zero, cut to a year.
      public var window: Duration

      /// Makes a limit; the default is 10 each minute.
      public init(count: Int = 10, window: Duration = .seconds(60)) {
        self.count = count
        self.window = window
      }
    }

    /// How many reports the history holds; 1 to 100,000, the default is 100.
    public var history: Int
    /// How many breadcrumbs are kept; 1 to 100,000, the default is 100.
    public var breadcrumbs: Int
    /// How many groups are known, and as many identities of failures; 1 to 100,000, the default is
    /// 2,000.
    ///
    /// Above two hundred they are shared out among parts, and a full part makes room though another
    /// one is not full: give it twice as many as there are.
    public var groups: Int
    /// How many reports of one group go out; nil for all, the default is 10 each minute.
    ///
    /// As many critical ones do, which milder ones of the group use up nothing of.
    public var limit: Limit?
    /// How many reports wait for each sink; 1 to 100,000, the default is 256.
    public var queue: Int
    /// How many reports are handed to a sink at once; 1 to 100,000, the default is 50.
    public var batch: Int
    /// Whether the calls that are running are written down; the default is false (B43).
    ///
    /// That is done for critical and unclassified errors, once for each group and minute, and takes
    /// a tenth of a millisecond and more each time.
    public var takesStacks: Bool
    /// Whether an error that is told leaves a breadcrumb for the reports after it; the default is
    /// true.
    ///
    /// It has the title in English without private words, the code, the type, the operation and the
    /// identity of the report. A failure leaves one, and at most a tenth of ``breadcrumbs`` are of
    /// errors: 10 at most, and 1 at least.
    public var errorBreadcrumbs: Bool

    /// Makes settings.
    public init(
      history: Int = 100, breadcrumbs: Int = 100, groups: Int = 2_000, limit: Limit? = Limit(),
      queue: Int = 256, batch: Int = 50, takesStacks: Bool = false, errorBreadcrumbs: Bool = true
    ) {
      self.history = history
      self.breadcrumbs = breadcrumbs
      self.groups = groups
      self.limit = limit
      self.queue = queue
      self.batch = batch
      self.takesStacks = takesStacks
      self.errorBreadcrumbs = errorBreadcrumbs
    }
  }
}

extension ErrorMonitor.Configuration {
  /// The settings with all spans of time cut to what is useful.
  ///
  /// - Parameter names: The names of the sinks.
  /// - Returns: The settings.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  func checked(sinks names: [String]) throws(ConfigurationError) -> Self {
    let legal = 1...100_000
    let rule = "it must be 1 to 100000"
    var found = Violations()
    found.check(legal.contains(history), "history", history, rule)
    found.check(legal.contains(breadcrumbs), "breadcrumbs", breadcrumbs, rule)
    found.check(legal.contains(groups), "groups", groups, rule)
    if let limit {
      found.check(limit.count >= 1, "limit.count", limit.count, "it must be 1 or more")
      found.check(limit.window > .zero, "limit.window", limit.window, "it must be more than zero")
    }
    found.check(legal.contains(queue), "queue", queue, rule)
    found.check(legal.contains(batch), "batch", batch, rule)
    let isUnique = Set(names).count == names.count
    found.check(isUnique, "sinks", names.description, "each must have a name of its own")
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "ErrorMonitor", violations: found.all)
    }
    var copy = self
    copy.limit?.window = limit?.window.clamped ?? .zero
    return copy
  }

  /// The settings, where they stand in the code; stops the program where they are not legal.
  func required(sinks names: [String]) -> Self {
    do { return try checked(sinks: names) } catch { preconditionFailure("\(error)") }
  }

  /// Into how many parts captures are shared out, so that they seldom wait for each other.
  var shardCount: Int { min(max(groups / 100, 1), 8) }

  /// The settings of one part.
  var machineSettings: CaptureStateMachine<Fingerprint, ErrorReport>.Settings {
    .init(
      limit: limit.map { FloodGate.Limit(count: $0.count, window: $0.window) },
      maximumGroups: groups / shardCount + (groups % shardCount == 0 ? 0 : 1))
  }

  /// How many identities are known in each part.
  var identityCount: Int { max(groups / shardCount, 64) }
}

extension ErrorMonitor.Configuration: Codable {
  private enum CodingKeys: CodingKey {
    case history, breadcrumbs, groups, limit, queue, batch, takesStacks, errorBreadcrumbs
  }

  /// Decodes the settings; a key that is missing gets its default.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    history = try values.decode(.history, default: history)
    breadcrumbs = try values.decode(.breadcrumbs, default: breadcrumbs)
    groups = try values.decode(.groups, default: groups)
    if let said = try values.decodeIfPresent(Limit.self, forKey: .limit) {
      limit = said
    } else if values.contains(.limit) {
      limit = nil
    }
    queue = try values.decode(.queue, default: queue)
    batch = try values.decode(.batch, default: batch)
    takesStacks = try values.decode(.takesStacks, default: takesStacks)
    errorBreadcrumbs = try values.decode(.errorBreadcrumbs, default: errorBreadcrumbs)
  }

  /// Encodes the settings; no limit as null.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(history, forKey: .history)
    try values.encode(breadcrumbs, forKey: .breadcrumbs)
    try values.encode(groups, forKey: .groups)
    try values.encode(limit, forKey: .limit)
    try values.encode(queue, forKey: .queue)
    try values.encode(batch, forKey: .batch)
    try values.encode(takesStacks, forKey: .takesStacks)
    try values.encode(errorBreadcrumbs, forKey: .errorBreadcrumbs)
  }
}

extension ErrorMonitor.Configuration.Limit: Codable {
  private enum CodingKeys: CodingKey {
    case count, window
  }

  /// Decodes the limit; a key that is missing gets its default.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    count = try values.decode(.count, default: count)
    window = try values.decodeSeconds(.window) ?? window
  }

  /// Encodes the limit, its window as a number of seconds.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(count, forKey: .count)
    try values.encodeSeconds(window, .window)
  }
}
