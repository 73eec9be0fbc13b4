// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Mainstay

/// A ``HybridLogicalClock`` for all parts of an app, whose stamps never go backwards, not even when
/// the app is killed and started again or the device's clock is set back.
///
/// It reserves stamps on the disk before it hands them out, a second's worth at a time. Whoever
/// writes a stamp in a transaction of their own may keep the pure clock beside the data instead.
public final class StampClock: Sendable {
  /// What is on the disk: no stamp from `end` on was ever handed out.
  public struct Reservation: Sendable, Hashable {
    /// The first stamp that is not reserved; it also says which identity it is about.
    public let end: HybridLogicalClock.Stamp
    /// Where the clock is at home.
    public let installation: String

    init(end: HybridLogicalClock.Stamp, installation: String) {
      self.end = end
      self.installation = installation
    }

    /// Whether it is to be kept rather than another one that is on the disk already.
    public func replaces(_ other: Reservation?) -> Bool {
      guard let other, other.installation == installation, other.end.node == end.node
      else { return true }
      return end > other.end
    }
  }

  /// How a clock began.
  public enum Beginning: Sendable, Hashable {
    /// Nothing was on the disk.
    case first
    /// It goes on where it was.
    case resumed
    /// What was on the disk came from another installation, such as from a backup: the clock goes
    /// on after it, under a new identity.
    case restored(from: HybridLogicalClock.Node)
  }

  /// How it began.
  public let beginning: Beginning

  private let storage: any StampStorage
  private let now: @Sendable () -> Date
  private let machine: Locked<StampClockStateMachine>

  /// Starts a clock where it was, or a new one; settings that are not legal stop the program.
  ///
  /// - Parameters:
  ///   - storage: Where its reservations are kept.
  ///   - installation: A text that stays the same for one installation on one device and does not
  ///     travel with a backup, such as that of an ``InstallationMark``.
  ///   - configuration: The settings.
  ///   - now: The time of day.
  /// - Throws: What the storage throws.
  public convenience init(
    storage: some StampStorage, installation: String,
    configuration: HybridLogicalClock.Configuration = HybridLogicalClock.Configuration(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    do throws(ConfigurationError) {
      _ = try configuration.checked()
    } catch {
      preconditionFailure(error.description)
    }
    try self.init(
      storage: storage, installation: installation, validating: configuration, now: now)
  }

  /// Starts a clock with settings that come from outside.
  ///
  /// - Parameters:
  ///   - storage: Where its reservations are kept.
  ///   - installation: A text that stays the same for one installation on one device and does not
  ///     travel with a backup, such as that of an ``InstallationMark``.
  ///   - configuration: The settings.
  ///   - now: The time of day.
  /// - Throws: `ConfigurationError` with everything that is not legal; what the storage throws.
  public init(
    storage: some StampStorage, installation: String,
    validating configuration: HybridLogicalClock.Configuration,
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    let block = try configuration.checked().reservation
    let reservation = try storage.load()
    let node: HybridLogicalClock.Node
    switch reservation {
    case nil: (beginning, node) = (.first, .random())
    case let kept? where kept.installation == installation:
      (beginning, node) = (.resumed, kept.end.node)
    case let kept?: (beginning, node) = (.restored(from: kept.end.node), .random())
    }
    self.storage = storage
    self.now = now
    let clock = try HybridLogicalClock(node: node, validating: configuration)
    machine = Locked(
      StampClockStateMachine(
        clock: clock, block: block, installation: installation, after: reservation))
  }

  /// The identity in its stamps.
  public var node: HybridLogicalClock.Node { machine.withLock { $0.clock.node } }

  /// Gives the stamp of something that happens here and now.
  ///
  /// - Returns: A stamp that is later than all before it.
  /// - Throws: What the storage throws; then no stamp was used.
  public func stamp() throws -> HybridLogicalClock.Stamp {
    let date = now()
    return try reserving { $0.stamp(at: date) }
  }

  /// Takes note of a stamp that came from another device.
  ///
  /// - Parameter remote: The stamp.
  /// - Returns: What the clock made of it; report whatever is not `accepted`.
  /// - Throws: What the storage throws; then the clock took nothing from it.
  public func receive(_ remote: HybridLogicalClock.Stamp) throws -> HybridLogicalClock.Reception {
    let date = now()
    return try reserving { $0.receive(remote, at: date) }
  }

  /// Goes on under a new identity; for when ``HybridLogicalClock/Reception/sameNode(_:)`` told that
  /// another device has this one.
  ///
  /// The new one is on the disk when this returns; where that cannot be written, ``stamp()`` writes
  /// it before the first stamp under it, or throws.
  public func changeNode() {
    let node = HybridLogicalClock.Node.random()
    let date = now()
    let reservation = machine.withLock { machine in
      machine.adopt(node)
      return machine.reservation(at: date)
    }
    guard (try? storage.save(reservation)) != nil else { return }
    machine.withLock { $0.saved(reservation) }
  }

  /// Saves outside of the lock, as often as others were faster.
  private func reserving<Answer: Sendable>(
    _ step: (inout StampClockStateMachine) -> StampClockStateMachine.Action<Answer>
  ) throws -> Answer {
    while true {
      switch machine.withLock({ step(&$0) }) {
      case .use(let answer): return answer
      case .save(let reservation):
        try storage.save(reservation)
        machine.withLock { $0.saved(reservation) }
      }
    }
  }
}

/// Where the reservation of a ``StampClock`` is kept, such as a row of the app's database.
public protocol StampStorage: Sendable {
  /// What is kept; nil where nothing is.
  func load() throws -> StampClock.Reservation?

  /// Keeps a reservation, if it ``StampClock/Reservation/replaces(_:)`` what is kept; it returns
  /// when that is on the disk.
  ///
  /// It may be called on several threads at once, and in any order.
  func save(_ reservation: StampClock.Reservation) throws
}

extension StampClock.Reservation: Codable {
  private enum CodingKeys: CodingKey {
    case end, installation
  }

  /// Decodes a reservation.
  ///
  /// - Throws: `DecodingError` also where it ends beyond the year 10001, where no clock has ever
  ///   been.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    end = try values.decode(HybridLogicalClock.Stamp.self, forKey: .end)
    installation = try values.decode(String.self, forKey: .installation)
    guard end.isPossible else {
      throw DecodingError.dataCorruptedError(
        forKey: .end, in: values, debugDescription: "\(end) is later than any clock can be")
    }
  }
}
