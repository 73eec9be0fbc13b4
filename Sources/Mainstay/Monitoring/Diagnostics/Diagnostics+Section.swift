// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Diagnostics {
  /// What a module adds to the document, such as the counts of an outbox.
  ///
  /// The set is open. A section that throws or takes longer than the limit stands in the document
  /// as its error; so does one that is longer than 64,000 bytes of JSON, or nested more than 100
  /// levels deep. The others are there all the same.
  public struct Section: Sendable {
    /// The name under which it stands; of several with the same name the last one counts.
    public let name: String

    let read: @Sendable () async throws -> Value

    static let maximumBytes = 64_000

    /// Makes a section.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - read: What the module says, asked for each document; in a task of its own, which is
    ///     cancelled when the limit is over.
    public init<T: Encodable & Sendable>(
      _ name: String, _ read: @escaping @Sendable () async throws -> T
    ) {
      self.name = name
      self.read = {
        let data = try ReportCoding.encoder.encode(try await read())
        guard data.count <= Self.maximumBytes else { throw TooLong(bytes: data.count) }
        let value = try ReportCoding.decoder.decode(Value.self, from: data)
        guard value.depth() <= Value.maximumDepth else { throw TooDeep() }
        return value.redacted
      }
    }

    struct TooDeep: Error, CustomStringConvertible {
      var description: String { "it is nested more than \(Value.maximumDepth) levels deep" }
    }

    struct TooLong: Error, CustomStringConvertible {
      let bytes: Int
      var description: String { "it has \(bytes) bytes of \(Section.maximumBytes)" }
    }

    struct TooSlow: Error, CustomStringConvertible {
      let limit: Duration
      var description: String { "it did not answer within \(limit)" }
    }
  }
}

extension Diagnostics.Section {
  /// What breakers do with calls: `closed`, `open`, `halfOpen` or `isolated`, by their names.
  ///
  /// - Parameter breakers: The breakers.
  /// - Returns: The section `circuits`.
  public static func circuits(_ breakers: [CircuitBreaker]) -> Self {
    Self("circuits") { breakers.map { Circuit($0, name: $0.name) } }
  }

  /// What the breakers of a registry do with calls.
  ///
  /// - Parameter registry: The registry; neither its keys nor the names of its breakers, which are
  ///   often made of them, come into the document.
  /// - Returns: The section `circuits.` with the name of the registry.
  public static func circuits<Key>(in registry: PolicyRegistry<Key, CircuitBreaker>) -> Self {
    Self("circuits.\(registry.name)") {
      let kept = registry.keys.compactMap { registry.kept($0) }
      // Those that are not as they should be first, since not all may have room.
      let ranked = kept.map { Circuit($0, name: nil) }.sorted { $0.rank > $1.rank }
      return Registry(count: kept.count, circuits: Array(ranked.prefix(100)))
    }
  }

  private struct Registry: Encodable {
    let count: Int
    let circuits: [Circuit]
  }

  private struct Circuit: Encodable {
    let name: String?
    let state: String
    let retryAfter: Double?
    let rank: Int

    private enum CodingKeys: CodingKey { case name, state, retryAfter }

    init(_ breaker: CircuitBreaker, name: String?) {
      self.name = name
      switch breaker.state {
      case .closed: (state, retryAfter, rank) = ("closed", nil, 0)
      case .halfOpen: (state, retryAfter, rank) = ("halfOpen", nil, 1)
      case .open(let rest): (state, retryAfter, rank) = ("open", rest.clamped.inSeconds, 2)
      case .isolated: (state, retryAfter, rank) = ("isolated", nil, 3)
      }
    }
  }
}
