// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox

/// This program as a process of its own, with the same file.
enum Child {
  /// How many operations another process enqueues.
  static let count = 40

  static func run(_ role: OutboxBench.Role, _ url: URL) async throws {
    switch role {
    case .leaser:
      let store = SQLiteStore(at: url)
      _ = try await store.open()
      _ = try await store.claim(ClaimRequest(limit: 100, types: Job.types, isAlone: true))
      try Data().write(to: url.appendingPathExtension("ready"))
      try await Task.sleep(for: .seconds(60))
    case .enqueuer:
      let outbox = try await Rates.outbox(at: url, isPaused: true)
      // Until the other one knows that it is not alone.
      try await Task.sleep(for: .seconds(2))
      var moments: [ContinuousClock.Instant] = []
      for _ in 0..<count {
        try await outbox.enqueue(Job.sample)
        moments.append(.now)
        try await Task.sleep(for: .milliseconds(.random(in: 80...130)))
      }
      try JSONEncoder().encode(moments).write(to: url.appendingPathExtension("moments"))
      await outbox.shutDown()
    case .enqueueMany, .drainMany:
      let store = SQLiteStore(at: url)
      _ = try await store.open()
      try await Rates.fill(store, 100_000)
      if role == .drainMany { try await Rates.drain(store, 100_000, 100) }
      await store.close()
    case .workMany, .watchMany:
      let filling = try await Rates.outbox(at: url, isPaused: true)
      try await filling.enqueue(contentsOf: Array(repeating: Job.sample, count: 20_000))
      await filling.shutDown()
      let outbox = try await Rates.outbox(at: url, isPaused: false)
      let watching = Task { if role == .watchMany { for await _ in outbox.changes {} } }
      while try await outbox.snapshot().pending > 0 {
        try await Task.sleep(for: .milliseconds(250))
      }
      await outbox.shutDown()
      await watching.value
    }
  }

  static func start(_ role: OutboxBench.Role, _ url: URL) throws -> Process {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["--role", role.rawValue, "--file", url.path]
    try process.run()
    return process
  }

  /// When the other process had each accepted: processes of one machine share that clock.
  static func moments(beside url: URL) throws -> [ContinuousClock.Instant] {
    try JSONDecoder().decode(
      [ContinuousClock.Instant].self,
      from: Data(contentsOf: url.appendingPathExtension("moments")))
  }

  static func wait(for url: URL) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while !FileManager.default.fileExists(atPath: url.path) {
      guard ContinuousClock.now < end else { throw CocoaError(.fileNoSuchFile) }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
