// SPDX-License-Identifier: Apache-2.0

import Mainstay

extension HybridLogicalClock {
  /// Settings of a clock; those from outside are checked by ``init(node:validating:)``.
  ///
  /// All keys may be missing, and spans of time are numbers of seconds:
  ///
  /// ```json
  /// {"maximumSkew": 300, "skewRule": "refuse", "reservation": 1}
  /// ```
  public struct Configuration: Sendable, Hashable {
    /// How far ahead of the device's own clock a stamp of others may be; more than zero, cut to a
    /// year, the default is 5 minutes.
    public var maximumSkew: Duration
    /// What becomes of those that are further ahead; the default is that they are refused.
    public var skewRule: SkewRule
    /// For how long a ``StampClock`` reserves stamps at a time; 1 millisecond to 1 minute, the
    /// default is 1 second.
    ///
    /// It saves at most once in this time, and its first stamps after a crash are up to this far
    /// ahead of the time of day.
    public var reservation: Duration

    /// Makes settings.
    public init(
      maximumSkew: Duration = .seconds(300), skewRule: SkewRule = .refuse,
      reservation: Duration = .seconds(1)
    ) {
      self.maximumSkew = maximumSkew
      self.skewRule = skewRule
      self.reservation = reservation
    }
  }
}

extension HybridLogicalClock.Configuration {
  /// The settings in milliseconds, at least one.
  struct Checked {
    let maximumSkew: UInt64
    let reservation: UInt64
  }

  /// - Throws: `ConfigurationError` with everything that is not legal.
  func checked() throws(ConfigurationError) -> Checked {
    var found = Violations()
    found.check(maximumSkew > .zero, "maximumSkew", maximumSkew, "it must be more than zero")
    found.check(
      reservation >= .milliseconds(1) && reservation <= .seconds(60), "reservation", reservation,
      "it must be 1 millisecond to 1 minute")
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "HybridLogicalClock", violations: found.all)
    }
    return Checked(
      maximumSkew: Self.milliseconds(maximumSkew), reservation: Self.milliseconds(reservation))
  }

  private static func milliseconds(_ duration: Duration) -> UInt64 {
    UInt64(max(duration.clamped / .milliseconds(1), 1))
  }
}

extension HybridLogicalClock.Configuration: Codable {
  private enum CodingKeys: CodingKey {
    case maximumSkew, skewRule, reservation
  }

  /// Decodes the settings; a key that is missing gets its default.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    maximumSkew = try values.decodeSeconds(.maximumSkew) ?? maximumSkew
    skewRule = try values.decode(.skewRule, default: skewRule)
    reservation = try values.decodeSeconds(.reservation) ?? reservation
  }

  /// Encodes the settings, spans of time as numbers of seconds.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeSeconds(maximumSkew, .maximumSkew)
    try values.encode(skewRule, forKey: .skewRule)
    try values.encodeSeconds(reservation, .reservation)
  }
}
