// SPDX-License-Identifier: Apache-2.0

/// Settings of a ``PolicyRegistry`` that come from outside, such as a file; checked by
/// ``PolicyRegistry/init(_:validating:clock:observer:make:)``.
///
/// All keys may be missing, and the span of time is a number of seconds:
///
/// ```json
/// {"maximumCount": 1000, "idleAfter": 3600}
/// ```
public struct RegistryConfiguration: Sendable, Hashable {
  /// How many policies are kept, unless none of them may be forgotten; 1 or more, the default is
  /// 1000.
  public var maximumCount: Int
  /// After which time without a call a policy may be forgotten though there is room; more than
  /// zero, cut to a year.
  ///
  /// The default is an hour; nil, in a file `null`, keeps them until there is no room.
  public var idleAfter: Duration?

  /// Makes settings.
  public init(maximumCount: Int = 1000, idleAfter: Duration? = .seconds(3600)) {
    self.maximumCount = maximumCount
    self.idleAfter = idleAfter
  }

  /// Throws everything that is not legal at once.
  func check() throws(ConfigurationError) {
    var found = Violations()
    found.check(maximumCount >= 1, "maximumCount", maximumCount, "it must be 1 or more")
    if let idleAfter {
      found.check(idleAfter > .zero, "idleAfter", idleAfter, "it must be more than zero")
    }
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "PolicyRegistry", violations: found.all)
    }
  }
}

extension RegistryConfiguration: Codable {
  private enum CodingKeys: CodingKey {
    case maximumCount, idleAfter
  }

  /// Decodes the settings; a key that is missing gets its default.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    maximumCount = try values.decode(.maximumCount, default: maximumCount)
    if values.contains(.idleAfter) { idleAfter = try values.decodeSeconds(.idleAfter) }
  }

  /// Encodes the settings, the span of time as a number of seconds.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(maximumCount, forKey: .maximumCount)
    // Null says something else than a missing key.
    try values.encode(idleAfter?.inSeconds, forKey: .idleAfter)
  }
}
