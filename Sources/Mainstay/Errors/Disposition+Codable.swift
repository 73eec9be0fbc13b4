// SPDX-License-Identifier: Apache-2.0

extension Disposition: CustomStringConvertible {
  /// The name of the case, without its hint.
  public var description: String {
    switch self {
    case .transient: "transient"
    case .throttled: "throttled"
    case .permanent: "permanent"
    case .needsUser: "needsUser"
    case .unknownOutcome: "unknownOutcome"
    case .cancelled: "cancelled"
    case .rejected: "rejected"
    case .unclassified: "unclassified"
    }
  }
}

extension Disposition: Codable {
  private enum CodingKeys: String, CodingKey {
    case name
    case retryAfter
  }

  /// Decodes `{"name": …, "retryAfter"?: seconds}`.
  ///
  /// A name that this build does not know becomes `unclassified`, which promises nothing. A hint
  /// that is negative or not a number is dropped, a longer one than a year is cut to a year.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let seconds = try container.decodeIfPresent(Double.self, forKey: .retryAfter)
    let hint = seconds.flatMap { $0 >= 0 ? Duration.clamped(seconds: $0) : nil }
    self =
      switch try container.decode(String.self, forKey: .name) {
      case "transient": .transient(retryAfter: hint)
      case "throttled": .throttled(retryAfter: hint)
      case "permanent": .permanent
      case "needsUser": .needsUser
      case "unknownOutcome": .unknownOutcome
      case "cancelled": .cancelled
      case "rejected": .rejected(retryAfter: hint)
      default: .unclassified
      }
  }

  /// Encodes the name and, where there is one, the hint in seconds.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(description, forKey: .name)
    try container.encodeIfPresent(retryAfter?.inSeconds, forKey: .retryAfter)
  }
}
