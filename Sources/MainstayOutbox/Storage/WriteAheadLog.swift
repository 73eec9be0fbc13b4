// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import Metrics

/// What is known of the write-ahead log of a file, and measured.
final class WriteAheadLog: Sendable {
  /// What a page takes up in a log, with its head.
  private static let pageBytes = 4096 + 24

  private let state = Locked((machine: LogStateMachine(), meter: Meter?.none))

  /// Whether somebody keeps it from being moved, and it is longer than its limit.
  var isHeld: Bool { state.withLock { $0.machine.isHeld } }

  /// Measures the log.
  ///
  /// - Parameters:
  ///   - activity: What was written.
  ///   - bytes: How long it is.
  ///   - now: A reading of the clock.
  /// - Returns: Whether it is to be moved now.
  func moves(_ activity: LogStateMachine.Activity, bytes: Int, at now: Duration) -> Bool {
    measure(bytes)
    let pages = bytes / Self.pageBytes
    return state.withLock { $0.machine.moves(activity, pages: pages, at: now) }
  }

  /// So much of it was moved; see ``LogStateMachine/moved(_:of:at:)``.
  func moved(_ moved: Int, of pages: Int, at now: Duration) -> Duration? {
    state.withLock { $0.machine.moved(moved, of: pages, at: now) }
  }

  private func measure(_ bytes: Int) {
    // Made outside of the lock; one task measures a log, so that no other one makes it, too.
    let meter = state.withLock { $0.meter } ?? Meter(label: "mainstay.outbox.log")
    state.withLock { $0.meter = meter }
    meter.set(Int64(bytes))
  }
}
