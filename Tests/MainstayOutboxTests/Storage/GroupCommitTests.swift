// SPDX-License-Identifier: Apache-2.0

#if SQLite
  import Foundation
  import GRDB
  import Mainstay
  import MainstayOutbox
  import MainstayTesting
  import TestSupport
  import Testing

  @Suite(.ends(withinMinutes: 2), .requirement("O29")) struct GroupCommitTests {
    /// What each of ten callers got, who come while the connection is busy, and what was committed
    /// together.
    private func submitTen(
      _ commit: @escaping @Sendable ([Int]) throws -> [Result<Int, any Error>]
    ) async throws -> (answers: [Result<Int, any Error>], batches: [[Int]]) {
      let queue = try DatabaseQueue()
      let group = GroupCommit<Int, Int>(isDelayed: true)
      let batches = Locked<[[Int]]>([])
      let gate = DispatchSemaphore(value: 0)
      queue.asyncWriteWithoutTransaction { _ in gate.wait() }
      let tasks = await started(10) { number in
        try await group.submit(number, to: queue) { items, _ in
          batches.withLock { $0.append(items) }
          return try commit(items)
        }
      }
      gate.signal()
      var answers: [Result<Int, any Error>] = []
      for task in tasks { answers.append(await task.result) }
      return (answers, batches.withLock { $0 })
    }

    @Test func `those who come while others are committed share a commit`() async throws {
      let (answers, batches) = try await submitTen { $0.map { .success($0 * 2) } }
      #expect(try answers.map { try $0.get() } == (0..<10).map { $0 * 2 })
      #expect(batches == [Array(0..<10)])
    }

    /// A group whose last commit had two callers and took a second, by a clock that stands still
    /// from then on.
    private final class GroupOfTwo: Sendable {
      private let queue: DatabaseQueue
      private let group: GroupCommit<Int, Int>
      private let log = Locked<[[Int]]>([])
      let clock = ManualClock()

      init() async throws {
        queue = try DatabaseQueue()
        group = GroupCommit(isDelayed: true, timeline: Timeline(clock))
        let gate = DispatchSemaphore(value: 0)
        queue.asyncWriteWithoutTransaction { _ in gate.wait() }
        let tasks = await started(2) { [self] in try await submit($0) }
        gate.signal()
        for task in tasks { _ = try await task.value }
        waitForTurn()
      }

      func submit(_ number: Int) async throws -> Int {
        try await group.submit(number, to: queue) { [self] items, _ in
          if items == [0, 1] { clock.advance(by: .seconds(1)) }
          log.withLock { $0.append(items) }
          return items.map { .success($0) }
        }
      }

      /// Returns when all that the connection was asked for before is done.
      func waitForTurn() { queue.writeWithoutTransaction { _ in } }

      var batches: [[Int]] { log.withLock(\.self) }
    }

    @Test func `who came together is waited for, though the file is free`() async throws {
      let group = try await GroupOfTwo()
      let first = await started { try await group.submit(2) }
      group.waitForTurn()
      #expect(group.batches == [[0, 1]])
      #expect(try await group.submit(3) == 3)
      #expect(try await first.value == 2)
      #expect(group.batches == [[0, 1], [2, 3]])
    }

    @Test func `nobody is waited for longer than the delay`() async throws {
      let group = try await GroupOfTwo()
      let first = await started { try await group.submit(2) }
      group.waitForTurn()
      #expect(group.batches == [[0, 1]])
      group.clock.advance(by: .milliseconds(10))
      #expect(try await first.value == 2)
      #expect(group.batches == [[0, 1], [2]])
    }

    @Test func `what takes back all is asked of each alone`() async throws {
      let (answers, batches) = try await submitTen { items in
        if items.contains(4) { throw DatabaseError(resultCode: .SQLITE_FULL) }
        return items.map { .success($0) }
      }
      #expect(batches == [Array(0..<10)] + (0..<10).map { [$0] })
      #expect(answers.indices.filter { (try? answers[$0].get()) == nil } == [4])
    }

    @Test(arguments: [ResultCode.SQLITE_BUSY, .SQLITE_LOCKED])
    func `nobody waits again for a file that all have waited for`(code: ResultCode) async throws {
      let (answers, batches) = try await submitTen { _ in throw DatabaseError(resultCode: code) }
      #expect(batches == [Array(0..<10)])
      #expect(answers.allSatisfy { (try? $0.get()) == nil })
    }

    @Test func `a connection that was left answers all`() async throws {
      let queue = try DatabaseQueue()
      try queue.close()
      await #expect(throws: OutboxError.self) {
        try await GroupCommit<Int, Int>(isDelayed: true).submit(1, to: queue) { items, _ in
          items.map { .success($0) }
        }
      }
    }
  }
#endif
