// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// Somebody sets the clock, while the file is open and while it is not.
@Suite(.requirement("O4")) struct FileClockTests {
  /// Both clocks of a system that never slept.
  private final class System: Sendable {
    private let state = Locked(
      FileClock.Moment(boot: "first", uptime: 5000, wall: 1_800_000_000_000))

    var clock: FileClock { FileClock(look: { self.state.withLock { $0 } }) }

    var wall: Date { Date(milliseconds: state.withLock { $0.wall }) }

    func pass(_ time: Duration) {
      let time = time.milliseconds
      state.withLock {
        $0 = .init(boot: $0.boot, uptime: $0.uptime + time, wall: $0.wall + time)
      }
    }

    func set(by jump: Duration) {
      let jump = Int64(jump.inSeconds * 1000)
      state.withLock { $0 = .init(boot: $0.boot, uptime: $0.uptime, wall: $0.wall + jump) }
    }

    func boot() {
      state.withLock { $0 = .init(boot: $0.boot + "'", uptime: 1000, wall: $0.wall) }
    }
  }

  private static let year = Duration.seconds(365 * 86_400)
  private static let day = Duration.seconds(86_400)

  private func open(_ folder: TemporaryFolder, _ system: System) async throws -> SQLiteStore {
    let store = SQLiteStore(at: folder.database, clock: system.clock)
    _ = try await store.open()
    return store
  }

  /// What runs now, once what is due was made ready.
  private func texts(_ store: SQLiteStore) async throws -> [String] {
    _ = try await store.promote(NewOperation.types)
    return try await store.claim().map(\.text)
  }

  /// One that expires in a day, and one that is due in a day.
  private func fill(_ store: SQLiteStore) async throws -> OperationID {
    _ = try await store.insert(.note("short", timeToLive: Self.day))
    return try await store.insert(
      .note("later", timeToLive: Self.day + Self.day, wishes: .init(delay: Self.day)))
  }

  @Test(arguments: [false, true], [1, -1])
  func `a clock that is set by a year expires nothing, and every wait lasts as long as it was to`(
    _ isOpen: Bool, _ sign: Int
  ) async throws {
    let (folder, system) = (try TemporaryFolder(), System())
    var store = try await open(folder, system)
    let later = try await fill(store)
    if !isOpen { await store.close() }
    system.pass(.seconds(3600))
    system.set(by: Self.year * sign)
    if !isOpen { store = try await open(folder, system) }
    #expect(try await texts(store) == ["short"])
    #expect(
      try await store.obstacles(later)
        == [.notBefore(system.wall.addingTimeInterval(86_400 - 3600))])
    system.pass(Self.day - .seconds(3600) - .milliseconds(1))
    #expect(try await texts(store).isEmpty)
    system.pass(.milliseconds(1))
    #expect(try await texts(store) == ["later"])
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test func `what expires does so by the time that really passed`() async throws {
    let (folder, system) = (try TemporaryFolder(), System())
    let store = try await open(folder, system)
    _ = try await store.insert(.note("short", timeToLive: Self.day))
    system.set(by: Self.year)
    _ = try await store.promote(NewOperation.types)
    #expect(try await store.ledger().count(.expired) == 0)
    system.pass(Self.day)
    #expect(try await texts(store).isEmpty)
    #expect(try await store.ledger().count(.expired) == 1)
    await store.close()
  }

  @Test func `owners that share a file agree on the clock as it was, until one is alone`()
    async throws
  {
    let (folder, system) = (try TemporaryFolder(), System())
    let first = try await open(folder, system)
    let later = try await fill(first)
    system.set(by: Self.year)
    let second = try await open(folder, system)
    let due = Date(milliseconds: 1_800_000_000_000).addingTimeInterval(86_400)
    for store in [first, second] {
      _ = try await store.promote(NewOperation.types)
      #expect(try await store.obstacles(later) == [.notBefore(due)])
    }
    let note = try await second.insert(.note("soon", wishes: .init(delay: .seconds(60))))
    #expect(
      try await first.obstacles(note)
        == [.notBefore(due.addingTimeInterval(60 - 86_400))])
    await first.close()
    #expect(try await texts(second) == ["short"])
    #expect(
      try await second.obstacles(later) == [.notBefore(system.wall.addingTimeInterval(86_400))])
    system.pass(.seconds(60))
    #expect(try await texts(second) == ["soon"])
    await second.close()
  }

  @Test func `after the system was off its clock is believed`() async throws {
    let (folder, system) = (try TemporaryFolder(), System())
    let first = try await open(folder, system)
    _ = try await fill(first)
    await first.close()
    system.set(by: Self.day)
    system.boot()
    let second = try await open(folder, system)
    #expect(try await texts(second) == ["later"])
    #expect(try await second.ledger().count(.expired) == 1)
    await second.close()
  }

  @Test func `a clock that is put right by seconds moves nothing`() async throws {
    let (folder, system) = (try TemporaryFolder(), System())
    let store = try await open(folder, system)
    let later = try await fill(store)
    let due = system.wall.addingTimeInterval(86_400)
    system.set(by: .seconds(9))
    _ = try await store.promote(NewOperation.types)
    #expect(try await store.obstacles(later) == [.notBefore(due)])
    await store.close()
  }

  @Test func `a lane rests as long as it was to, whatever the clock says`() async throws {
    let (folder, system) = (try TemporaryFolder(), System())
    let store = try await open(folder, system)
    _ = try await store.insert(.note("a"))
    try await store.close(.main, LaneClosure(.throttled, for: .seconds(60)))
    system.set(by: Self.year)
    #expect(try await texts(store).isEmpty)
    system.pass(.seconds(60))
    #expect(try await texts(store) == ["a"])
    await store.close()
  }

  @Test(
    .requirement("O31"),
    arguments: [
      (5000, .max), (5000, .min), (5000, -1), (.max, 1_800_000_000_000), (.min, 1_800_000_000_000),
      (.min, .max), (.max, .min),
    ] as [(Int64, Int64)])
  func `a moment in the file that cannot be true is none`(
    uptime: Int64, wall: Int64
  ) async throws {
    let (folder, system) = (try TemporaryFolder(), System())
    let first = try await open(folder, system)
    let later = try await fill(first)
    await first.close()
    let queue = try DatabaseQueue(patientAt: folder.database)
    try await queue.write { db in
      for (key, value) in [("clock_uptime", uptime), ("clock_wall", wall)] {
        try db.execute(
          sql: "UPDATE mainstay_meta SET value = ? WHERE key = ?", arguments: [value, key])
        #expect(db.changesCount == 1)
      }
    }
    try queue.close()
    let second = try await open(folder, system)
    #expect(
      try await second.obstacles(later) == [.notBefore(system.wall.addingTimeInterval(86_400))])
    system.pass(Self.day)
    #expect(try await texts(second) == ["later"])
    await second.close()
  }

  @Test func `the system tells both clocks`() throws {
    let (first, second) = (try #require(FileClock.Moment.current), FileClock.Moment.current)
    #expect(first.boot == second?.boot && !first.boot.isEmpty)
    #expect(try #require(second).uptime >= first.uptime && first.uptime > 0)
  }
}
