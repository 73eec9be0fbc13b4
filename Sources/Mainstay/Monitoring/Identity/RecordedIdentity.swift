// SPDX-License-Identifier: Apache-2.0

/// The identity of an error as it stands in a record: the tier, then names and values in turn.
///
/// With it an error that was written and read again stays in its group, although its type is gone.
struct RecordedIdentity: Sendable, Hashable {
  /// Nil for a wrapper that says nothing of its own.
  let identity: ErrorIdentity?

  /// Records the identity of an error; nil where the error is being asked about itself already.
  init?(of error: any Error) {
    guard let subject = ConversionDepth.describing({ ErrorSubject(error) }) else { return nil }
    identity = subject.identity
  }

  /// Whether what caused the error says nothing more about its group.
  var decidesAlone: Bool { identity?.tier == .environment || identity?.tier == .cancellation }
}

extension RecordedIdentity: Codable {
  private static let maximumWords = 9

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let words = try container.decode([String].self)
    guard let first = words.first else {
      identity = nil
      return
    }
    guard let tier = Fingerprint.Tier(rawValue: first), words.count % 2 == 1,
      words.count <= Self.maximumWords
    else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "not the identity of an error")
    }
    let parts = stride(from: 1, to: words.count, by: 2).map { index in
      ErrorIdentity.Part(words[index], words[index + 1])
    }
    identity = ErrorIdentity(tier, parts)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    guard let identity else { return try container.encode([String]()) }
    try container.encode([identity.tier.rawValue] + identity.parts.flatMap { [$0.name, $0.value] })
  }
}
