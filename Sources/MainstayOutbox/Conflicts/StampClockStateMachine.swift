// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A clock that hands out only what it has reserved on a disk before.
///
/// So one which starts again goes on after everything that was ever handed out.
struct StampClockStateMachine {
  /// What the caller has to do.
  enum Action<Answer> {
    /// Nothing more: this is the answer.
    case use(Answer)
    /// Save this, say ``StampClockStateMachine/saved(_:)``, and ask again.
    case save(StampClock.Reservation)
  }

  private(set) var clock: HybridLogicalClock
  /// Every stamp before this time may be handed out.
  private(set) var reserved: UInt64 = 0
  private let installation: String
  private let block: UInt64

  init(
    clock: HybridLogicalClock, block: UInt64, installation: String,
    after reservation: StampClock.Reservation?
  ) {
    self.clock = clock
    self.block = block
    self.installation = installation
    if let reservation { self.clock.resume(from: reservation.end.time) }
  }

  mutating func stamp(at date: Date) -> Action<HybridLogicalClock.Stamp> {
    var next = clock
    let stamp = next.tick(at: date)
    return take(next, answer: stamp, at: date)
  }

  mutating func receive(
    _ remote: HybridLogicalClock.Stamp, at date: Date
  ) -> Action<HybridLogicalClock.Reception> {
    var next = clock
    let reception = next.receive(remote, at: date)
    return take(next, answer: reception, at: date)
  }

  /// A reservation is on the disk; one of another identity is void, and may have taken the place of
  /// what is reserved.
  mutating func saved(_ reservation: StampClock.Reservation) {
    let isOwn = reservation.end.node == clock.node
    reserved = isOwn ? max(reserved, reservation.end.time) : 0
  }

  /// Nothing is reserved for a new identity yet.
  mutating func adopt(_ node: HybridLogicalClock.Node) {
    clock.adopt(node)
    reserved = 0
  }

  /// What is to be saved before a stamp of the present identity.
  func reservation(at date: Date) -> StampClock.Reservation { reservation(for: clock, at: date) }

  private mutating func take<Answer>(
    _ next: HybridLogicalClock, answer: Answer, at date: Date
  ) -> Action<Answer> {
    // A clock that did not move has nothing to hand out.
    guard next.last >= reserved, next.last > clock.last else {
      clock = next
      return .use(answer)
    }
    return .save(reservation(for: next, at: date))
  }

  /// From the time of day on; a clock that leads it reserves one millisecond at a time, or each
  /// start after a crash would drive it further ahead.
  private func reservation(
    for next: HybridLogicalClock, at date: Date
  ) -> StampClock.Reservation {
    let ahead = HybridLogicalClock.Stamp.time(of: date) + block << 16
    let needed = (next.last >> 16 + 1) << 16
    return StampClock.Reservation(
      end: HybridLogicalClock.Stamp(time: max(ahead, needed), node: next.node),
      installation: installation)
  }
}
