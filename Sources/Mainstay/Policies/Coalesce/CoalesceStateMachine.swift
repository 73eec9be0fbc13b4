// SPDX-License-Identifier: Apache-2.0

/// Who waits for which run of a ``Coalesce``: the pure part.
///
/// A flight is one run that several callers share. It is cancelled when its last caller has gone
/// away, and then no further caller joins it: the next one begins a new flight.
struct CoalesceStateMachine<Key: Hashable & Sendable, Waiter: Sendable>: Sendable {
  /// What becomes of a caller that asks for a key.
  enum Joining: Sendable {
    /// It begins a flight.
    case leads(flight: UInt64)
    /// It shares the flight of somebody else.
    case follows(flight: UInt64)
    /// It had gone away before it came.
    case gone
  }

  /// What becomes of a caller that goes away.
  struct Leaving: Sendable {
    /// The caller, where it was waiting.
    let waiter: Waiter?
    /// The flight that nobody waits for any more.
    let cancelledFlight: UInt64?
  }

  private struct Flight: Sendable {
    let key: Key
    /// By their places, which are in the order in which they came: who leaves is found at once.
    var waiters: [UInt64: (caller: UInt64, waiter: Waiter)] = [:]
    private var lastPlace: UInt64 = 0

    init(_ key: Key) { self.key = key }

    /// - Returns: The place of the caller.
    mutating func add(_ caller: UInt64, _ waiter: Waiter) -> UInt64 {
      lastPlace += 1
      waiters[lastPlace] = (caller, waiter)
      return lastPlace
    }
  }

  private var flights: [UInt64: Flight] = [:]
  private var flightByKey: [Key: UInt64] = [:]
  private var placeByCaller: [UInt64: (flight: UInt64, place: UInt64)] = [:]
  private var goneEarly: Set<UInt64> = []
  private var lastID: UInt64 = 0

  /// How many runs are shared or may be.
  var flightCount: Int { flights.count }
  /// How many callers wait.
  var callerCount: Int { placeByCaller.count }
  /// How many have gone away before they came.
  var goneEarlyCount: Int { goneEarly.count }

  /// A number that names one caller or one flight.
  mutating func nextID() -> UInt64 {
    lastID += 1
    return lastID
  }

  /// Whether somebody waits for a run.
  func isFlying(_ flight: UInt64) -> Bool { flights[flight] != nil }

  /// The flight that a caller of a key would share.
  func flight(of key: Key) -> UInt64? { flightByKey[key] }

  /// A caller asks for a key.
  mutating func join(_ key: Key, caller: UInt64, waiter: Waiter) -> Joining {
    if goneEarly.remove(caller) != nil { return .gone }
    if let flight = flightByKey[key] {
      add(caller, waiter, to: flight)
      return .follows(flight: flight)
    }
    let flight = nextID()
    flights[flight] = Flight(key)
    flightByKey[key] = flight
    add(caller, waiter, to: flight)
    return .leads(flight: flight)
  }

  /// A caller goes away, maybe before it came.
  mutating func leave(_ caller: UInt64) -> Leaving {
    guard let (id, place) = placeByCaller.removeValue(forKey: caller) else {
      goneEarly.insert(caller)
      return Leaving(waiter: nil, cancelledFlight: nil)
    }
    // In place: a copy of all who wait, for each who leaves, is too much where many do.
    let waiter = flights[id]?.waiters.removeValue(forKey: place)?.waiter
    guard let flight = flights[id], flight.waiters.isEmpty else {
      return Leaving(waiter: waiter, cancelledFlight: nil)
    }
    flights[id] = nil
    flightByKey[flight.key] = nil
    return Leaving(waiter: waiter, cancelledFlight: id)
  }

  /// A caller is done with; nothing is kept about it.
  mutating func forget(_ caller: UInt64) { goneEarly.remove(caller) }

  /// A run has ended.
  ///
  /// - Returns: Who gets its answer, in the order in which they came; nobody where the run had been
  ///   cancelled.
  mutating func end(_ flight: UInt64) -> [Waiter] {
    guard let ended = flights.removeValue(forKey: flight) else { return [] }
    flightByKey[ended.key] = nil
    for (caller, _) in ended.waiters.values { placeByCaller[caller] = nil }
    return ended.waiters.sorted { $0.key < $1.key }.map(\.value.waiter)
  }

  private mutating func add(_ caller: UInt64, _ waiter: Waiter, to flight: UInt64) {
    if let place = flights[flight]?.add(caller, waiter) { placeByCaller[caller] = (flight, place) }
  }
}
