// SPDX-License-Identifier: Apache-2.0

extension CachePolicy {
  /// Settings that come from outside, such as a file; checked by
  /// ``CachePolicy/init(validating:onlyFor:)``.
  ///
  /// All keys may be missing. Spans of time are numbers of seconds, and an allowance is such a
  /// number, `"never"` or `"always"`: `{"freshFor": 60, "staleWhileRevalidate": "never",
  /// "staleIfError": 86400}`.
  public struct Configuration: Sendable, Hashable {
    /// How long an answer is given without asking again; zero or more, cut to a year, the default
    /// is 1 minute.
    public var freshFor: Duration
    /// How long after that it is given at once while a newer one is loaded behind it; the default
    /// is never.
    public var staleWhileRevalidate: Allowance
    /// How long after it ceased to be fresh it is given where loading failed; the default is a day.
    public var staleIfError: Allowance

    /// Makes settings.
    public init(
      freshFor: Duration = .seconds(60), staleWhileRevalidate: Allowance = .never,
      staleIfError: Allowance = .within(.seconds(86_400))
    ) {
      self.freshFor = freshFor
      self.staleWhileRevalidate = staleWhileRevalidate
      self.staleIfError = staleIfError
    }
  }
}

extension CachePolicy.Configuration {
  func checked() throws(ConfigurationError) -> Self {
    var found = Violations()
    found.check(freshFor >= .zero, "freshFor", freshFor, "it must be zero or more")
    for (option, allowance) in [
      ("staleWhileRevalidate", staleWhileRevalidate), ("staleIfError", staleIfError),
    ] {
      guard case .within(let duration) = allowance else { continue }
      found.check(duration > .zero, option, duration, "it must be more than zero, or never")
    }
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "CachePolicy", violations: found.all)
    }
    return Self(
      freshFor: freshFor.clamped, staleWhileRevalidate: staleWhileRevalidate.clamped,
      staleIfError: staleIfError.clamped)
  }
}

extension CachePolicy.Allowance {
  fileprivate var clamped: Self {
    if case .within(let duration) = self { .within(duration.clamped) } else { self }
  }

  /// The same, where the service says how long at most; nil where it does not.
  func bounded(by limit: Duration?) -> CachePolicy.Allowance {
    guard let limit else { return self }
    guard limit > .zero else { return .never }
    return switch self {
    case .never: .never
    case .within(let duration): .within(min(duration, limit))
    case .always: .within(limit)
    }
  }

  /// Whether something that ceased to be fresh this long ago may be given; nil where nobody knows.
  func covers(_ excess: Duration?) -> Bool {
    switch self {
    case .never: false
    case .within(let duration): excess.map { $0 <= duration } ?? false
    case .always: true
    }
  }
}

extension CachePolicy.Allowance: Codable {
  /// Decodes a number of seconds, `"never"` or `"always"`.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let word = try? value.decode(String.self) {
      switch word {
      case "never": self = .never
      case "always": self = .always
      default:
        throw DecodingError.dataCorruptedError(
          in: value, debugDescription: "\(word) is neither never, always nor a number of seconds")
      }
      return
    }
    let seconds = try value.decode(Double.self)
    self = .within(seconds < 0 ? .zero - .clamped(seconds: -seconds) : .clamped(seconds: seconds))
  }

  /// Encodes a number of seconds, `"never"` or `"always"`.
  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .never: try value.encode("never")
    case .within(let duration): try value.encode(duration.inSeconds)
    case .always: try value.encode("always")
    }
  }
}

extension CachePolicy.Configuration: Codable {
  private enum CodingKeys: CodingKey {
    case freshFor, staleWhileRevalidate, staleIfError
  }

  /// Decodes the settings; a key that is missing gets its default.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    freshFor = try values.decodeSeconds(.freshFor) ?? freshFor
    staleWhileRevalidate = try values.decode(
      .staleWhileRevalidate, default: staleWhileRevalidate)
    staleIfError = try values.decode(.staleIfError, default: staleIfError)
  }

  /// Encodes the settings, spans of time as numbers of seconds.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeSeconds(freshFor, .freshFor)
    try values.encode(staleWhileRevalidate, forKey: .staleWhileRevalidate)
    try values.encode(staleIfError, forKey: .staleIfError)
  }
}
