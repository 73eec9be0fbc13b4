// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

/// A clock whose stamps are ordered as causes and effects are, and stay close to the time of day.
///
/// A stamp is later than every stamp that this clock gave or received before, whatever the clock
/// of the device does meanwhile. It is a pure value: ``StampClock`` is the same with a lock, and
/// with the promise that a restart never goes backwards.
///
/// Source: Kulkarni et al., "Logical Physical Clocks and Consistent Snapshots in Globally
/// Distributed Databases" (2014).
public struct HybridLogicalClock: Sendable, Hashable {
  /// What becomes of a stamp from another device that is further ahead than is believable.
  public enum SkewRule: String, Sendable, Hashable, Codable, CaseIterable {
    /// The clock takes nothing from it, and says so.
    case refuse
    /// The clock goes as far as is believable and no further, and says so; its next stamp may be
    /// earlier than the one that it received.
    case clamp
  }

  /// What a clock made of a stamp from another device.
  public enum Reception: Sendable, Hashable {
    /// The clock is past it; the stamp is that of the moment of receiving.
    case accepted(Stamp)
    /// The clock went as far as is believable; `ahead` is how far ahead of the device's own clock
    /// the stamp was.
    case clamped(Stamp, ahead: Duration)
    /// The clock took nothing from it; `ahead` is how far ahead it was.
    case refused(ahead: Duration)
    /// It bears the name of this clock, which never gave it: two devices share one identity, as
    /// after a backup was copied to a second one. Take a new one with ``adopt(_:)``.
    case sameNode(Stamp)

    /// The stamp of the moment of receiving; nil where the clock took nothing.
    public var stamp: Stamp? {
      switch self {
      case .accepted(let stamp), .clamped(let stamp, _), .sameNode(let stamp): stamp
      case .refused: nil
      }
    }
  }

  /// The identity in each stamp.
  public private(set) var node: Node
  private(set) var last: UInt64 = 0
  private let maximumSkew: UInt64
  private let skewRule: SkewRule

  /// Makes a clock from settings that stand in the code; one that is not legal stops the program.
  ///
  /// - Parameters:
  ///   - node: The identity of this installation; see ``Node``.
  ///   - configuration: The settings.
  public init(node: Node, _ configuration: Configuration = Configuration()) {
    do throws(ConfigurationError) {
      try self.init(node: node, validating: configuration)
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// Makes a clock from settings that come from outside.
  ///
  /// - Parameters:
  ///   - node: The identity of this installation; see ``Node``.
  ///   - configuration: The settings.
  /// - Throws: `ConfigurationError` with everything that is not legal.
  public init(
    node: Node, validating configuration: Configuration
  ) throws(ConfigurationError) {
    let settings = try configuration.checked()
    self.node = node
    maximumSkew = settings.maximumSkew
    skewRule = configuration.skewRule
  }

  /// Makes a clock that goes on after the latest stamp of one before it; nil for a stamp from
  /// beyond the year 10001, where no clock has ever been.
  ///
  /// It is for those who keep the stamp in the same transaction as what it was given for. Settings
  /// that are not legal stop the program.
  ///
  /// - Parameters:
  ///   - latest: The ``latest`` stamp; it also says which identity the clock has.
  ///   - configuration: The settings.
  public init?(resuming latest: Stamp, _ configuration: Configuration = Configuration()) {
    guard latest.isPossible else { return nil }
    self.init(node: latest.node, configuration)
    last = latest.time
  }

  /// The latest stamp that the clock gave, or went past; nil for a clock that is new.
  public var latest: Stamp? { last == 0 ? nil : Stamp(time: last, node: node) }

  /// Gives the stamp of something that happens here and now.
  ///
  /// - Parameter date: The time of day; it may jump either way, and dates outside of 1970 to 9999
  ///   count as the nearest inside.
  /// - Returns: A stamp that is later than all before it.
  public mutating func tick(at date: Date) -> Stamp {
    advance(to: Stamp.time(of: date))
    return Stamp(time: last, node: node)
  }

  /// Takes note of a stamp that came from another device.
  ///
  /// - Parameters:
  ///   - remote: The stamp.
  ///   - date: The time of day on this device.
  /// - Returns: What the clock made of it; report whatever is not `accepted`.
  public mutating func receive(_ remote: Stamp, at date: Date) -> Reception {
    let physical = Stamp.time(of: date)
    // What the clock is past already cannot lead it astray, however far ahead it is.
    guard remote.time > last else {
      advance(to: physical)
      return .accepted(Stamp(time: last, node: node))
    }
    let bound = physical + maximumSkew << Stamp.counterBits | Stamp.counterMask
    if remote.time > bound {
      let ahead = Duration.milliseconds(remote.milliseconds - physical >> Stamp.counterBits)
      guard skewRule == .clamp else { return .refused(ahead: ahead) }
      last = max(last, bound)
      advance(to: physical)
      return .clamped(Stamp(time: last, node: node), ahead: ahead)
    }
    last = remote.time
    advance(to: physical)
    let stamp = Stamp(time: last, node: node)
    return remote.node == node ? .sameNode(stamp) : .accepted(stamp)
  }

  /// Goes on under another identity, as after a backup was restored on a second device.
  public mutating func adopt(_ node: Node) { self.node = node }

  /// How far the clock is ahead of the time of day; zero where it is not.
  public func lead(at date: Date) -> Duration {
    let (wall, physical) = (last >> Stamp.counterBits, Stamp.time(of: date) >> Stamp.counterBits)
    return wall > physical ? .milliseconds(wall - physical) : .zero
  }

  /// Goes on after everything before a time; for a clock that starts again.
  mutating func resume(from time: UInt64) { last = max(last, time == 0 ? 0 : time - 1) }

  /// One later than the last, or the time of day where that is later: a counter that is full
  /// carries into the milliseconds.
  ///
  /// It cannot wrap round. Neither a time of day nor what is believed of others leads beyond the
  /// year 10000, and from there to the end of the count is more than any clock will tick.
  @inline(__always)
  private mutating func advance(to physical: UInt64) { last = max(last &+ 1, physical) }
}

extension HybridLogicalClock {
  /// The identity of one installation of an app on one device; 64 random bits.
  ///
  /// It is chosen once and kept with the data, but must not travel with a copy of them: stamps of
  /// two devices with one identity could be equal. ``StampClock`` takes a new one when the data
  /// were restored from a backup.
  public struct Node: Sendable, Hashable {
    /// The number.
    public let rawValue: UInt64

    /// Makes the identity that a number stands for.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Chooses an identity.
    public static func random(using generator: inout some RandomNumberGenerator) -> Node {
      Node(rawValue: generator.next())
    }

    /// Chooses an identity.
    public static func random() -> Node {
      var generator = SystemRandomNumberGenerator()
      return random(using: &generator)
    }
  }
}

extension HybridLogicalClock.Node: Comparable {
  /// Whether the number is less; it decides between equal times.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension HybridLogicalClock.Node: CustomStringConvertible {
  /// Sixteen hexadecimal digits.
  public var description: String { HexDigits.text(rawValue, digits: 16) }
}
