// SPDX-License-Identifier: Apache-2.0

/// The cooldowns of a client that calls many origins, one ``Cooldown`` for each.
///
/// ```swift
/// let cooldowns = Cooldowns()
/// let answer = try await cooldowns.cooldown(for: host).run { try await client.get(url) }
/// ```
///
/// It is bounded: the cooldown that was not used for the longest time is forgotten first, and never
/// one that holds calls back or that somebody still has in hand.
public final class Cooldowns: Sendable {
  private struct Entry {
    var cooldown: Cooldown
    var lastUse: UInt64

    /// Whether nothing is lost with it: it is over, and nobody else has it.
    mutating func isForgettable(now: Duration) -> Bool {
      isKnownUniquelyReferenced(&cooldown) && cooldown.isOver(now: now)
    }
  }

  private struct Guarded {
    var settings: CooldownStateMachine.Settings
    var entries: [String: Entry] = [:]
    var uses: UInt64 = 0
    var random: SplitMix64
    /// From how many on it is worth looking for some to forget.
    var sweepAt: Int
  }

  private let capacity: Int
  private let timeline: Timeline
  private let audience: PolicyAudience
  private let guarded: Locked<Guarded>

  /// Makes cooldowns from settings that stand in the code; one that is not legal stops the program.
  ///
  /// - Parameters:
  ///   - capacity: How many are kept; 1 or more, the default is 1000. Those that hold calls back
  ///     are kept beyond that.
  ///   - configuration: The settings of each of them.
  ///   - clock: The clock; the default is the continuous one.
  ///   - seed: Makes the spread repeatable, for tests; the default is a new seed.
  ///   - observer: Who is told about their events, besides the observer of the process.
  public convenience init(
    capacity: Int = 1000, _ configuration: Cooldown.Configuration = Cooldown.Configuration(),
    clock: some Clock<Duration> = ContinuousClock(), seed: UInt64? = nil,
    observer: (any PolicyObserver)? = nil
  ) {
    do throws(ConfigurationError) {
      try self.init(
        capacity: capacity, validating: configuration, clock: clock, seed: seed,
        observer: observer)
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// Makes cooldowns from settings that come from outside.
  ///
  /// - Parameters:
  ///   - capacity: How many are kept; 1 or more, the default is 1000.
  ///   - configuration: The settings of each of them.
  ///   - clock: The clock; the default is the continuous one.
  ///   - seed: Makes the spread repeatable, for tests; the default is a new seed.
  ///   - observer: Who is told about their events, besides the observer of the process.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  public init(
    capacity: Int = 1000, validating configuration: Cooldown.Configuration,
    clock: some Clock<Duration> = ContinuousClock(), seed: UInt64? = nil,
    observer: (any PolicyObserver)? = nil
  ) throws(ConfigurationError) {
    let settings = try configuration.checked(name: nil, capacity: capacity)
    self.capacity = capacity
    timeline = Timeline(clock)
    audience = PolicyAudience(own: observer)
    guarded = Locked(
      Guarded(
        settings: settings, random: SplitMix64(seed: seed ?? .random(in: .min ... .max)),
        sweepAt: capacity))
  }

  /// How many are kept right now.
  public var count: Int { guarded.withLock { $0.entries.count } }

  /// The cooldown of an origin; the same one for everybody who asks while it is kept.
  ///
  /// - Parameter origin: The origin, such as a host name, for events and messages.
  /// - Returns: Its cooldown.
  public func cooldown(for origin: String) -> Cooldown {
    let now = timeline.now
    let (cooldown, forgotten) = guarded.withLock { guarded in
      guarded.uses += 1
      if let known = guarded.entries[origin]?.cooldown {
        guarded.entries[origin]?.lastUse = guarded.uses
        return (known, [Entry]())
      }
      let forgotten = makeRoom(&guarded, now: now)
      let seed = guarded.random.next()
      let new = Cooldown(
        origin, guarded.settings, timeline: timeline, seed: seed, audience: audience)
      guarded.entries[origin] = Entry(cooldown: new, lastUse: guarded.uses)
      return (new, forgotten)
    }
    _ = forgotten  // let go of here, outside of the lock
    return cooldown
  }

  /// Goes on with other settings, in all cooldowns that are kept and in those to come; see
  /// ``Cooldown/update(_:)``.
  ///
  /// - Parameter configuration: The settings.
  /// - Throws: ``ConfigurationError`` with everything that is not legal; nothing is changed then.
  public func update(_ configuration: Cooldown.Configuration) throws(ConfigurationError) {
    let settings = try configuration.checked(name: nil)
    let cooldowns = guarded.withLock { guarded in
      guarded.settings = settings
      return guarded.entries.values.map(\.cooldown)
    }
    for cooldown in cooldowns { cooldown.update(settings) }
  }

  /// Forgets a quarter at once, so that not every new origin has to look through all.
  private func makeRoom(_ guarded: inout Guarded, now: Duration) -> [Entry] {
    guard guarded.entries.count >= guarded.sweepAt else { return [] }
    let oldest = guarded.entries.sorted { $0.value.lastUse < $1.value.lastUse }.map(\.key)
    let target = capacity - 1 - capacity / 4
    var forgotten: [Entry] = []
    for origin in oldest where guarded.entries.count > target {
      guard guarded.entries[origin]?.isForgettable(now: now) == true else { continue }
      if let entry = guarded.entries.removeValue(forKey: origin) { forgotten.append(entry) }
    }
    guarded.sweepAt = max(capacity, guarded.entries.count + guarded.entries.count / 4)
    return forgotten
  }
}
