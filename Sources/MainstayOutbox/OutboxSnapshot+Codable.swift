// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// A span in seconds, as documents have it; the form of earlier builds is read, too.
private struct Seconds: Codable {
  /// What is further away is no span of an outbox, and could not be counted in microseconds.
  private static let longest = 1e12

  let duration: Duration

  init(_ duration: Duration) { self.duration = duration }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let seconds: Double
    do {
      seconds = try container.decode(Double.self)
    } catch DecodingError.typeMismatch {
      // Two numbers of attoseconds.
      duration = try container.decode(Duration.self)
      return
    }
    guard abs(seconds) <= Self.longest else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\(seconds) seconds are no span of an outbox")
    }
    // What was kept in milliseconds comes back as it was.
    duration = .microseconds(Int64((seconds * 1e6).rounded()))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(duration / .seconds(1))
  }
}

extension OutboxSnapshot {
  private enum CodingKeys: String, CodingKey {
    case pending, ready, running, scheduled, blocked, waiting, conflicted, parked, dead, bytes
    case causes, oldestAge, estimate
  }

  /// The counts, by the keys under which they are kept.
  private static var counts: [(CodingKeys, WritableKeyPath<OutboxSnapshot, Int>)] {
    [
      (.pending, \.pending), (.ready, \.ready), (.running, \.running), (.scheduled, \.scheduled),
      (.blocked, \.blocked), (.waiting, \.waiting), (.conflicted, \.conflicted),
      (.parked, \.parked), (.dead, \.dead), (.bytes, \.bytes),
    ]
  }

  /// Reads a snapshot; ``oldestAge`` and the estimate are in seconds.
  ///
  /// - Throws: `DecodingError` where it is none.
  public init(from decoder: any Decoder) throws {
    self.init()
    let container = try decoder.container(keyedBy: CodingKeys.self)
    for (key, path) in Self.counts {
      self[keyPath: path] = try container.decode(Int.self, forKey: key)
    }
    causes = try container.decode(Causes.self, forKey: .causes)
    oldestAge = try container.decodeIfPresent(Seconds.self, forKey: .oldestAge)?.duration
    estimate = try container.decodeIfPresent(DrainEstimate.self, forKey: .estimate)
  }

  /// Writes the snapshot; ``oldestAge`` and the estimate are in seconds.
  ///
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    for (key, path) in Self.counts { try container.encode(self[keyPath: path], forKey: key) }
    try container.encode(causes, forKey: .causes)
    try container.encodeIfPresent(oldestAge.map(Seconds.init), forKey: .oldestAge)
    try container.encodeIfPresent(estimate, forKey: .estimate)
  }
}

extension DrainEstimate {
  private enum CodingKeys: String, CodingKey {
    case likely, shortest, longest
  }

  /// Reads an estimate, in seconds.
  ///
  /// - Throws: `DecodingError` where it is none.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func duration(_ key: CodingKeys) throws -> Duration {
      try container.decode(Seconds.self, forKey: key).duration
    }
    self.init(
      likely: try duration(.likely), shortest: try duration(.shortest),
      longest: try duration(.longest))
  }

  /// Writes the estimate, in seconds.
  ///
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Seconds(likely), forKey: .likely)
    try container.encode(Seconds(shortest), forKey: .shortest)
    try container.encode(Seconds(longest), forKey: .longest)
  }
}

/// A name, as documents have it; earlier builds put it into a dictionary.
private struct PlainName: Codable {
  private enum CodingKeys: String, CodingKey {
    case rawValue
  }

  let text: String

  init(_ text: String) { self.text = text }

  init(from decoder: any Decoder) throws {
    do {
      text = try decoder.singleValueContainer().decode(String.self)
    } catch DecodingError.typeMismatch {
      text = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .rawValue)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

extension OutboxReceipt.Reason {
  /// Reads the name of a reason.
  ///
  /// - Throws: `DecodingError` where it is none.
  public init(from decoder: any Decoder) throws {
    self.init(rawValue: try PlainName(from: decoder).text)
  }

  /// Writes the name.
  ///
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    try PlainName(rawValue).encode(to: encoder)
  }
}

extension OpeningReport.Warning {
  /// Reads the name of a warning.
  ///
  /// - Throws: `DecodingError` where it is none.
  public init(from decoder: any Decoder) throws {
    self.init(rawValue: try PlainName(from: decoder).text)
  }

  /// Writes the name.
  ///
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    try PlainName(rawValue).encode(to: encoder)
  }
}
