// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension CircuitBreaker {
  /// What a breaker knows, to be kept until the next launch.
  ///
  /// An app that crashes and starts again in a loop, with a new breaker each time, would go on to
  /// call a service that is down. It holds how much of a break was left and how long the next one
  /// would be, how many breaks in a row there were, or how many failures in a row were seen.
  /// Half-open is kept as a break that is over. Windows and isolations are not kept: the former
  /// grow old, the latter belong to somebody in the process.
  ///
  /// It is encoded as version 1, with spans of time as numbers of seconds. Decoding refuses every
  /// other version.
  public struct Snapshot: Sendable, Hashable {
    /// The name of the breaker.
    public let name: String
    /// The time of day when it was taken.
    public let takenAt: Date
    /// How much of the break was left, zero or more; nil where the breaker was closed.
    public let remainingBreak: Duration?

    let failures: Int
    let nextBreak: Duration
    let breaks: Int
  }

  /// What the breaker knows now.
  ///
  /// - Parameter wallTime: The time of day.
  /// - Returns: The snapshot.
  public func snapshot(at wallTime: Date) -> Snapshot {
    let now = timeline.now
    let memory = change { $0.machine.memory(now: now) }
    return Snapshot(
      name: name, takenAt: wallTime, remainingBreak: memory.remainingBreak,
      failures: memory.failures, nextBreak: memory.nextBreak, breaks: memory.breaks)
  }

  /// Goes on from what a breaker of the same name knew, such as before the last launch.
  ///
  /// The rest of a break is what the clocks of day leave of it: never more than was left, even when
  /// they were set back, nor more than the longest break of this breaker.
  ///
  /// - Parameters:
  ///   - snapshot: The snapshot.
  ///   - wallTime: The time of day.
  /// - Throws: ``ConfigurationError`` where the snapshot is one of another breaker or makes no
  ///   sense, or where somebody holds the breaker isolated; nothing is changed then.
  public func restore(_ snapshot: Snapshot, at wallTime: Date) throws(ConfigurationError) {
    try snapshot.check(against: name)
    let elapsed = Duration.clamped(seconds: wallTime.timeIntervalSince(snapshot.takenAt))
    let memory = CircuitBreakerStateMachine.Memory(
      failures: snapshot.failures, nextBreak: snapshot.nextBreak, breaks: snapshot.breaks,
      remainingBreak: snapshot.remainingBreak.map { $0 - elapsed })
    var isIsolated = false
    step { guarded, now in
      isIsolated = guarded.machine.state == .isolated
      guard !isIsolated else { return nil }
      // Nobody knows how long the breaks of a function of the user's can be.
      let longest: Duration? = breakDuration == nil ? nil : .aYear
      tripCause.keep(nil)
      return guarded.machine.restore(memory, longestBreak: longest, now: now)
    }
    guard !isIsolated else {
      throw Snapshot.error([
        .init(option: "state", value: "isolated", rule: "nobody may hold the breaker isolated")
      ])
    }
  }
}

extension CircuitBreaker.Snapshot {
  fileprivate func check(against breaker: String) throws(ConfigurationError) {
    var found = Violations()
    found.check(name == breaker, "name", "\"\(name)\"", "it must be \"\(breaker)\"")
    found.check(failures >= 0, "failures", failures, "it must be 0 or more")
    found.check(breaks >= 0, "breaks", breaks, "it must be 0 or more")
    found.check(nextBreak >= .zero, "nextBreak", nextBreak, "it must be zero or more")
    if let remainingBreak {
      found.check(
        remainingBreak >= .zero, "remainingBreak", remainingBreak, "it must be zero or more")
    }
    if !found.all.isEmpty { throw Self.error(found.all) }
  }

  fileprivate static func error(_ violations: [ConfigurationError.Violation]) -> ConfigurationError
  {
    ConfigurationError(subject: "CircuitBreaker.Snapshot", violations: violations)
  }
}

extension CircuitBreaker.Snapshot: Codable {
  private enum CodingKeys: CodingKey {
    case version, name, takenAt, remainingBreak, failures, nextBreak, breaks
  }

  private static let version = 1

  /// Decodes a snapshot; throws `DecodingError` for every version but 1.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let version = try values.decode(Int.self, forKey: .version)
    guard version == Self.version else {
      throw DecodingError.dataCorruptedError(
        forKey: .version, in: values,
        debugDescription: "Version \(version) is not known; version \(Self.version) is")
    }
    name = try values.decode(String.self, forKey: .name)
    takenAt = Date(timeIntervalSince1970: try values.decode(Double.self, forKey: .takenAt))
    remainingBreak = try values.decodeSeconds(.remainingBreak)
    failures = try values.decode(.failures, default: 0)
    breaks = try values.decode(.breaks, default: 0)
    guard let nextBreak = try values.decodeSeconds(.nextBreak) else {
      throw DecodingError.keyNotFound(
        CodingKeys.nextBreak,
        DecodingError.Context(
          codingPath: values.codingPath, debugDescription: "A snapshot needs nextBreak"))
    }
    self.nextBreak = nextBreak
  }

  /// Encodes the snapshot, with numbers of seconds; times of day are counted from 1970.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(Self.version, forKey: .version)
    try values.encode(name, forKey: .name)
    try values.encode(takenAt.timeIntervalSince1970, forKey: .takenAt)
    try values.encodeSeconds(remainingBreak, .remainingBreak)
    try values.encode(failures, forKey: .failures)
    try values.encodeSeconds(nextBreak, .nextBreak)
    try values.encode(breaks, forKey: .breaks)
  }
}
