// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

private final class StampDisk: StampStorage {
  let kept = Box<StampClock.Reservation?>(nil)
  let saves = Box(0)
  let isFull = Box(false)
  /// What happens right before the next save is written.
  let meanwhile = Box<(@Sendable () -> Void)?>(nil)

  func load() throws -> StampClock.Reservation? { kept.value }

  func save(_ reservation: StampClock.Reservation) throws {
    if isFull.value { throw OutboxError(.diskFull, details: "the test says so") }
    let act = meanwhile.change { act in
      defer { act = nil }
      return act
    }
    act?()
    kept.change { if reservation.replaces($0) { $0 = reservation } }
    saves.change { $0 += 1 }
  }
}

@Suite(.requirement("C21")) struct StampClockTests {
  private let disk = StampDisk()
  private let time = TimeOfDay()

  private func clock(_ installation: String = "here") throws -> StampClock {
    try StampClock(storage: disk, installation: installation, now: { [time] in time.now })
  }

  @Test func `it begins, goes on where it was, and takes a new name after a backup`() throws {
    let first = try clock()
    #expect(first.beginning == .first)
    let stamp = try first.stamp()
    let second = try clock()
    #expect(second.beginning == .resumed)
    #expect(second.node == first.node)
    #expect(try second.stamp() > stamp)
    let third = try clock("elsewhere")
    #expect(third.beginning == .restored(from: first.node))
    #expect(third.node != first.node)
    #expect(try third.stamp() > stamp)
    #expect(try clock("elsewhere").node == third.node)
  }

  @Test(.requirement("P12")) func `a clock that is set back across a restart changes nothing`()
    throws
  {
    let before = try clock().stamp()
    time.advance(by: .seconds(-31_536_000))
    #expect(try clock().stamp() > before)
  }

  @Test func `it saves once for a second of stamps`() throws {
    let clock = try clock()
    for _ in 0..<1000 { _ = try clock.stamp() }
    #expect(disk.saves.value == 1)
    time.advance(by: .seconds(2))
    _ = try clock.stamp()
    #expect(disk.saves.value == 2)
  }

  @Test(.requirement("O32")) func `without room on the disk there is no stamp, and later there is`()
    throws
  {
    let clock = try clock()
    disk.isFull.value = true
    #expect(throws: OutboxError(.diskFull, details: "")) { try clock.stamp() }
    disk.isFull.value = false
    #expect(throws: Never.self) { try clock.stamp() }
  }

  @Test func `stamps that many tasks take at once are all different, and all reserved`()
    async throws
  {
    let clock = try clock()
    let stamps = try await withThrowingTaskGroup(of: [HybridLogicalClock.Stamp].self) { group in
      for _ in 0..<8 {
        group.addTask { [time] in
          try (0..<200).map { index in
            if index % 50 == 0 { time.advance(by: .milliseconds(700)) }
            return try clock.stamp()
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    for own in stamps { #expect(zip(own, own.dropFirst()).allSatisfy { $0 < $1 }) }
    let all = stamps.flatMap { $0 }
    #expect(Set(all).count == 1600)
    let end = try #require(disk.kept.value?.end)
    #expect(all.allSatisfy { $0 < end })
  }

  @Test func `it hears others, and changes its name where another has it`() throws {
    let clock = try clock()
    let own = try clock.stamp()
    let twin = try #require(
      HybridLogicalClock.Stamp(
        milliseconds: own.milliseconds + 10, counter: 0, node: clock.node))
    guard case .sameNode = try clock.receive(twin) else {
      Issue.record("the twin was not noticed")
      return
    }
    clock.changeNode()
    #expect(clock.node != own.node)
    #expect(try clock.stamp() > twin)
    #expect(disk.kept.value?.end.node == clock.node)
  }

  @Test func `a new name is on the disk at once, or before its first stamp`() throws {
    let clock = try clock()
    let old = try clock.stamp()
    clock.changeNode()
    #expect(clock.node != old.node)
    let again = try self.clock()
    #expect(again.beginning == .resumed && again.node == clock.node)
    #expect(try again.stamp() > old)
    disk.isFull.value = true
    clock.changeNode()
    #expect(throws: OutboxError(.diskFull, details: "")) { try clock.stamp() }
    disk.isFull.value = false
    #expect(try clock.stamp().node == clock.node)
    #expect(disk.kept.value?.end.node == clock.node)
  }

  @Test func `a save under the old name that comes late leaves the new one on the disk`() throws {
    let clock = try clock()
    let old = clock.node
    disk.meanwhile.value = { clock.changeNode() }
    let stamp = try clock.stamp()
    #expect(stamp.node == clock.node && stamp.node != old)
    #expect(disk.kept.value?.end.node == clock.node)
  }

  @Test func `a reservation replaces another one only where it is later`() throws {
    let clock = try clock()
    _ = try clock.stamp()
    let early = try #require(disk.kept.value)
    time.advance(by: .seconds(5))
    _ = try clock.stamp()
    let late = try #require(disk.kept.value)
    #expect(late.replaces(early) && !early.replaces(late) && !late.replaces(late))
    #expect(early.replaces(nil))
    clock.changeNode()
    _ = try clock.stamp()
    #expect(try #require(disk.kept.value).replaces(late))
  }

  @Test func `a reservation comes from JSON, but not one that no clock can have made`() throws {
    _ = try clock().stamp()
    let kept = try #require(disk.kept.value)
    let back = try JSONDecoder().decode(
      StampClock.Reservation.self, from: JSONEncoder().encode(kept))
    #expect(back == kept)
    for end in ["ffffffffffff-ffff-0000000000000001", "e6899adf7800-0000-0000000000000001"] {
      let json = Data(#"{"end": "\#(end)", "installation": "here"}"#.utf8)
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(StampClock.Reservation.self, from: json)
      }
    }
  }

  @Test func `settings that are not legal are an error, and stop the program in the code`()
    async throws
  {
    #expect(throws: ConfigurationError.self) {
      try StampClock(
        storage: disk, installation: "here", validating: .init(reservation: .zero))
    }
    await #expect(processExitsWith: .failure) {
      _ = try StampClock(
        storage: StampDisk(), installation: "here", configuration: .init(reservation: .zero))
    }
  }
}
