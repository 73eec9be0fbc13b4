// SPDX-License-Identifier: Apache-2.0

/// What came in and what was done, for whoever wants to prove that nothing was done twice.
package struct Ledger: Sendable, Equatable, Codable {
  /// A key that was applied.
  package struct Entry: Sendable, Equatable, Codable {
    package let key: String

    /// The id of the twin.
    package let twin: String

    /// The twin's version after the latest application.
    package var version: Int

    /// How many requests came with the key, whatever they were answered.
    package var received: Int

    /// How often the write was applied: once, unless deduplication was off.
    package var applied: Int

    /// How often the stored answer was given again.
    package var replayed: Int

    /// The hash of the body that was applied last.
    package var bodyHash: BodyHash
  }

  /// A request, whatever came of it.
  package struct Request: Sendable, Equatable, Codable {
    /// When its head arrived.
    package let at: Timestamp
    package let key: String?

    /// What it was answered; nil when the connection was cut instead.
    package let status: Int?

    private enum CodingKeys: String, CodingKey {
      case at
      case key
      case status
    }

    /// Both are always written, as `null` where there is nothing.
    package func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(at, forKey: .at)
      try container.encode(key, forKey: .key)
      try container.encode(status, forKey: .status)
    }
  }

  /// In the order of first application.
  package let applied: [Entry]

  /// In the order of arrival.
  package let requests: [Request]
}

/// The ledger as it grows.
struct LedgerBook {
  private var entries: [Ledger.Entry] = []
  private var places: [String: Int] = [:]
  private var requests: [Ledger.Request] = []

  /// How many requests came with a key that was not applied yet.
  private var waiting: [String: Int] = [:]

  var ledger: Ledger {
    let inOrder = requests.enumerated().sorted {
      ($0.element.at, $0.offset) < ($1.element.at, $1.offset)
    }
    return Ledger(applied: entries, requests: inOrder.map(\.element))
  }

  mutating func receive(_ key: String) {
    if let place = places[key] {
      entries[place].received += 1
    } else {
      waiting[key, default: 0] += 1
    }
  }

  mutating func replay(_ key: String) {
    if let place = places[key] { entries[place].replayed += 1 }
  }

  mutating func apply(_ effect: Effect) {
    if let place = places[effect.key] {
      entries[place].applied += 1
      entries[place].version = effect.version
      entries[place].bodyHash = effect.bodyHash
    } else {
      places[effect.key] = entries.count
      entries.append(
        Ledger.Entry(
          key: effect.key, twin: effect.twin, version: effect.version,
          received: waiting.removeValue(forKey: effect.key) ?? 0, applied: 1, replayed: 0,
          bodyHash: effect.bodyHash))
    }
  }

  mutating func finish(_ request: Ledger.Request) { requests.append(request) }
}
