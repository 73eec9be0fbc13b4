// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import Mainstay

/// Tells the time of day to the owners of a file.
///
/// Within one run of the operating system it goes on by the time that has really passed, however
/// somebody sets the clock. An owner that is alone moves everything in the file along when the
/// clock was set (``SQLiteStore/followClock()``), so dates stay those that people read elsewhere.
/// Owners that share a file go on by the clock as it was, since they must agree.
package final class FileClock: Sendable {
  /// A look at both clocks at once.
  package struct Moment: Sendable, Equatable {
    /// The run of the operating system.
    package let boot: String
    /// Milliseconds since that began, also those in which the device slept.
    package let uptime: Int64
    /// Milliseconds since 1970, by the clock that people set.
    package let wall: Int64

    package init(boot: String, uptime: Int64, wall: Int64) {
      self.boot = boot
      self.uptime = uptime
      self.wall = wall
    }

    /// What time it was to be by now, had nobody set the clock; nil in another run of the system.
    func expected(at other: Moment) -> Int64? {
      boot == other.boot ? wall + other.uptime - uptime : nil
    }

    /// How far the clock was set since; nil in another run of the system, and for less than both
    /// clocks may differ by themselves.
    func jump(to other: Moment) -> Int64? {
      guard let expected = expected(at: other) else { return nil }
      let jump = other.wall - expected
      return abs(jump) < Self.tolerance ? nil : jump
    }

    private static let tolerance: Int64 = 10_000
  }

  private let look: @Sendable () -> Moment?
  private let given: (@Sendable () -> Date)?
  private let anchor = Locked<Moment?>(nil)

  /// - Parameters:
  ///   - given: A time of day that goes as its owner wants it to; nil for the system's.
  ///   - look: Both clocks of the system; nil where it does not tell them.
  package init(
    _ given: (@Sendable () -> Date)? = nil,
    look: @escaping @Sendable () -> Moment? = { Moment.current }
  ) {
    self.given = given
    self.look = look
  }

  /// The time of day in this file.
  package var now: Date {
    if let given { return given() }
    guard let moment = look() else { return Date() }
    let anchored = anchor.withLock { $0 }?.expected(at: moment)
    return Date(milliseconds: anchored ?? moment.wall)
  }

  /// Both clocks now; nil where nobody follows them.
  var moment: Moment? { given == nil ? look() : nil }

  /// Whether the clock was set since all owners agreed on one.
  var wasSet: Bool {
    guard let anchor = anchor.withLock({ $0 }), let moment else { return false }
    return anchor.jump(to: moment) != nil
  }

  /// Goes on from here.
  func go(by moment: Moment?) { anchor.withLock { $0 = moment } }
}

extension FileClock.Moment {
  /// What the system says now.
  package static var current: FileClock.Moment? {
    guard let boot = BootSession.current, let uptime = BootSession.uptime else { return nil }
    return FileClock.Moment(boot: boot, uptime: uptime, wall: Date().milliseconds)
  }
}
