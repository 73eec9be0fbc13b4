// SPDX-License-Identifier: Apache-2.0

import CRawQueue
import Figures
import Foundation
import Mainstay
import MainstayOutbox

/// What is done: 256 bytes on the disk, as those of the others are.
struct Job: QueuedOperation {
  static let kind: OperationKind = "job"
  static let sample = Job(text: String(repeating: "x", count: 256 - #"{"text":""}"#.utf8.count))
  static let types: Set = [PayloadType(kind: kind, version: 1)]
  var text: String
}

/// How many operations come in and go out in a second.
enum Rates {
  static func measure(_ desk: Desk, into table: inout Table) async throws {
    let sync = raw_sync(desk.newFile().path)
    table.add(sync: sync)
    // As many as wait for the disk in about the time that a measurement is to take.
    let few = min(max(Int(desk.seconds / max(sync, 1e-5)), 30), 4_000)
    try await enqueue(desk, few, into: &table)
    try await drain(desk, few, into: &table)
    try peers(desk, few, into: &table)
  }

  private static func enqueue(_ desk: Desk, _ few: Int, into table: inout Table) async throws {
    table.add("raw enqueue 1", few, in: raw_enqueue(desk.newFile().path, Int32(few), 1, 256, 2))
    table.add(
      "enqueue 1", few,
      in: try await with(desk) { outbox in
        try await timed { for _ in 0..<few { try await outbox.enqueue(Job.sample) } }
      })
    let many = few * 32
    table.add(
      "enqueue, 32 callers", many,
      in: try await with(desk) { outbox in
        try await timed {
          try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<32 {
              group.addTask { for _ in 0..<few { try await outbox.enqueue(Job.sample) } }
            }
            try await group.waitForAll()
          }
        }
      })
    for (batch, name) in [(100, "100"), (1_000, "1,000")] {
      let count = max(few / 4, 8) * batch
      table.add(
        "raw enqueue \(name)", count,
        in: raw_enqueue(desk.newFile().path, Int32(count), Int32(batch), 256, 2))
      let jobs = Array(repeating: Job.sample, count: batch)
      table.add(
        "enqueue \(name) at once", count,
        in: try await with(desk) { outbox in
          try await timed {
            for _ in 0..<count / batch { try await outbox.enqueue(contentsOf: jobs) }
          }
        })
    }
  }

  private static func drain(_ desk: Desk, _ few: Int, into table: inout Table) async throws {
    for (batch, count) in [(1, few), (100, max(few / 4, 8) * 100)] {
      let raw = desk.newFile().path
      _ = raw_enqueue(raw, Int32(count), Int32(min(count, 1_000)), 256, 0)
      table.add(
        "raw drain \(batch)", count, in: raw_drain(raw, Int32(count), Int32(batch), 2))
      let store = SQLiteStore(at: desk.newFile())
      _ = try await store.open()
      try await fill(store, count)
      table.add(
        "claim and end \(batch)", count,
        in: try await timed { try await drain(store, count, batch) })
      await store.close()
    }
    let url = desk.newFile()
    let filling = try await outbox(at: url, isPaused: true)
    for _ in 0..<10 {
      try await filling.enqueue(contentsOf: Array(repeating: Job.sample, count: few / 2))
    }
    await filling.shutDown()
    let working = try await outbox(at: url, isPaused: false)
    table.add(
      "whole outbox, a worker that does nothing", few / 2 * 10,
      in: try await timed {
        for await snapshot in working.changes where snapshot.pending == 0 { break }
      })
    await working.shutDown()
  }

  /// Leases and ends so many at once until so many are done.
  static func drain(_ store: SQLiteStore, _ count: Int, _ batch: Int) async throws {
    let request = ClaimRequest(limit: batch, types: Job.types, isAlone: true)
    var done = 0
    while done < count {
      let leased = try await store.claim(request).operations
      guard !leased.isEmpty else { throw Missing(count: count - done) }
      if batch == 1 {
        for leased in leased {
          _ = try await store.settle(leased.lease, OperationVerdict(.done, effect: .applied))
        }
      } else {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for leased in leased {
            group.addTask {
              _ = try await store.settle(leased.lease, OperationVerdict(.done, effect: .applied))
            }
          }
          try await group.waitForAll()
        }
      }
      done += leased.count
    }
  }

  struct Missing: Error { let count: Int }

  static func fill(
    _ store: SQLiteStore, _ count: Int, orderedBy key: String? = nil, delay: Duration? = nil
  ) async throws {
    var left = count
    var random = SystemRandomNumberGenerator()
    while left > 0 {
      let batch = (0..<min(left, 1_000)).map { _ in
        var wishes = NewOperation.Wishes()
        wishes.delay = delay
        // As an outbox makes them.
        let id = OperationID.new(at: Date(), using: &random)
        return NewOperation(
          id: id, type: PayloadType(kind: Job.kind, version: 1),
          lane: .main, orderingKey: key,
          idempotencyKey: IdempotencyKey(id.description) ?? IdempotencyKey(),
          payload: Data(repeating: 120, count: 256), wishes: wishes)
      }
      _ = try await store.insert(contentsOf: batch)
      left -= batch.count
    }
  }

  private static func peers(_ desk: Desk, _ few: Int, into table: inout Table) throws {
    guard let peers = desk.peers else { return }
    for peer in ["huey", "persist-queue", "litequeue"] {
      for measure in ["enqueue", "take"] {
        let name =
          peer == "huey" && measure == "take" ? "huey take, at most once" : "\(peer) \(measure)"
        table.add(
          name, few,
          in: try peers.seconds(peer, measure, in: desk.newFile(), count: few))
      }
    }
    let few = min(few, 400)
    for peer in ["litequeue", "persist-queue"] {
      table.add(
        "\(peer) take, 20,000 retained", few,
        in: try peers.seconds(peer, "take", in: desk.newFile(), count: few, retained: 20_000))
    }
  }

  static func outbox(
    at url: URL, isPaused: Bool,
    run: @escaping @Sendable (Job) async throws -> Void = { _ in }
  ) async throws -> Outbox {
    var configuration = Outbox.Configuration()
    configuration.startsPaused = isPaused
    configuration.maximumPending = nil
    configuration.maximumBytes = nil
    return try await Outbox(at: url, configuration: configuration) {
      Worker(for: Job.self) { job, _ in try await run(job) }
    }
  }

  private static func with(
    _ desk: Desk, _ body: (Outbox) async throws -> Double
  ) async throws -> Double {
    let outbox = try await outbox(at: desk.newFile(), isPaused: true)
    let seconds = try await body(outbox)
    await outbox.shutDown()
    return seconds
  }
}
