// SPDX-License-Identifier: Apache-2.0

/// What goes wrong in an ``OfflineSimulation``.
public struct SimulatedFaults: OptionSet, Sendable, Hashable {
  /// The faults as bits.
  public let rawValue: Int

  /// Makes a set from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// A device has no network, or one that answers instead of the server.
  public static let offline = SimulatedFaults(rawValue: 1 << 0)
  /// A call never arrives, or its answer does not.
  public static let losses = SimulatedFaults(rawValue: 1 << 1)
  /// A call arrives twice, the second time long after the first.
  public static let repetitions = SimulatedFaults(rawValue: 1 << 2)
  /// A call arrives after its sender has given up, or the whole server is slow.
  public static let lateness = SimulatedFaults(rawValue: 1 << 3)
  /// The server is down: status 503.
  public static let failures = SimulatedFaults(rawValue: 1 << 4)
  /// The server asks to slow down: status 429.
  public static let throttling = SimulatedFaults(rawValue: 1 << 5)
  /// Somebody else has changed the same thing: status 409, and nothing was done.
  public static let conflicts = SimulatedFaults(rawValue: 1 << 6)
  /// The server refuses for good what it would have taken: status 422.
  public static let refusals = SimulatedFaults(rawValue: 1 << 7)
  /// Somebody has to sign in: status 401.
  public static let signIns = SimulatedFaults(rawValue: 1 << 8)
  /// A process dies, at any time and at each durable step, and another one is started.
  public static let crashes = SimulatedFaults(rawValue: 1 << 9)
  /// The time of day of a device is set, by a second up to a year in either direction.
  public static let clocks = SimulatedFaults(rawValue: 1 << 10)

  /// Everything.
  public static let all = SimulatedFaults(rawValue: (1 << 11) - 1)
}
