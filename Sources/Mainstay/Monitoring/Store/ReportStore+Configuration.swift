// SPDX-License-Identifier: Apache-2.0

extension ReportStore {
  /// Settings that come from outside, such as a file; checked when a store is made of them.
  ///
  /// All keys may be missing, and spans of time are numbers of seconds:
  /// `{"maximumCount": 100, "maximumBytes": 5000000, "maximumAge": 2592000}`.
  public struct Configuration: Sendable, Hashable {
    /// How many records are kept at most; 1 to 1,000, the default is 100.
    public var maximumCount: Int
    /// How many bytes their files hold at most; 10,000 to 1,000,000,000, the default is 5,000,000.
    public var maximumBytes: Int
    /// How long a record is kept at most; more than zero, cut to a year, the default is 30 days.
    public var maximumAge: Duration
    /// How many bytes the volume has to have left for the store to write; zero or more, the default
    /// is 50,000,000.
    ///
    /// Critical records are written below that, too, while the disk takes them.
    public var reserve: Int
    /// How many records are sent at once at most; 1 to 100, the default is 1.
    ///
    /// Several are of one content type and category, stand one to a line, and are at most 1 MB.
    /// Only lines can be joined: ``ErrorReport/Encoding/json``, and records of the content types
    /// `application/x-ndjson`, `application/jsonl` and `text/plain`. All others are sent alone.
    public var recordsPerRequest: Int

    /// Makes settings.
    public init(
      maximumCount: Int = 100, maximumBytes: Int = 5_000_000,
      maximumAge: Duration = .seconds(30 * 86_400), reserve: Int = 50_000_000,
      recordsPerRequest: Int = 1
    ) {
      self.maximumCount = maximumCount
      self.maximumBytes = maximumBytes
      self.maximumAge = maximumAge
      self.reserve = reserve
      self.recordsPerRequest = recordsPerRequest
    }
  }
}

extension ReportStore.Configuration {
  /// What the machine takes.
  ///
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  func checked() throws(ConfigurationError) -> ReportIndexStateMachine.Settings {
    var found = Violations()
    found.check(
      (1...1_000).contains(maximumCount), "maximumCount", maximumCount, "it must be 1 to 1000")
    found.check(
      (10_000...1_000_000_000).contains(maximumBytes), "maximumBytes", maximumBytes,
      "it must be 10000 to 1000000000")
    found.check(maximumAge > .zero, "maximumAge", maximumAge, "it must be more than zero")
    found.check(reserve >= 0, "reserve", reserve, "it must be zero or more")
    found.check(
      (1...100).contains(recordsPerRequest), "recordsPerRequest", recordsPerRequest,
      "it must be 1 to 100")
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "ReportStore", violations: found.all)
    }
    return ReportIndexStateMachine.Settings(
      maximumCount: maximumCount, maximumBytes: maximumBytes, maximumAge: maximumAge.clamped)
  }
}

extension ReportStore.Configuration: Codable {
  private enum CodingKeys: CodingKey {
    case maximumCount, maximumBytes, maximumAge, reserve, recordsPerRequest
  }

  /// Decodes the settings; a key that is missing gets its default.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    maximumCount = try values.decode(.maximumCount, default: maximumCount)
    maximumBytes = try values.decode(.maximumBytes, default: maximumBytes)
    maximumAge = try values.decodeSeconds(.maximumAge) ?? maximumAge
    reserve = try values.decode(.reserve, default: reserve)
    recordsPerRequest = try values.decode(.recordsPerRequest, default: recordsPerRequest)
  }

  /// Encodes the settings, spans of time as numbers of seconds.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(maximumCount, forKey: .maximumCount)
    try values.encode(maximumBytes, forKey: .maximumBytes)
    try values.encodeSeconds(maximumAge, .maximumAge)
    try values.encode(reserve, forKey: .reserve)
    try values.encode(recordsPerRequest, forKey: .recordsPerRequest)
  }
}
