// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import MainstayTesting
import TestSupport
import Testing

/// A child process is killed with SIGKILL at every durable step, and started again, until it was
/// killed 200 times in all.
@Suite(.requirement("A54", "C13", "T5", "O3", "O22"))
struct OutboxCrashTests {
  private static let isTorture = ProcessInfo.processInfo.environment["MAINSTAY_DOSE"] == "torture"
  private static let steps = [
    "beforeEnqueueCommit", "afterEnqueueCommit", "beforeClaimCommit", "afterClaimCommit",
    "beforeEffect", "afterEffect", "beforeSettleCommit", "afterSettleCommit",
  ]

  @Test(arguments: ["reconcile", "dedupe"])
  func `nothing is lost or applied twice, whenever the process is killed`(
    mode: String
  ) async throws {
    let kills = Self.isTorture ? 1000 : 100
    let folder = try TemporaryFolder()
    var generator = SeededGenerator(seed: mode == "reconcile" ? 11 : 12)
    var count = 0
    // Two runs of three end by themselves, before the step was reached so often.
    for run in 0..<(kills * 6) where count < kills {
      let step = Self.steps[run % Self.steps.count]
      let occurrence = Int.random(in: 1...4, using: &generator)
      let status = try await Child.run(
        folder, mode: mode, step: step, occurrence: occurrence)
      #expect(status == 0 || status == SIGKILL, "run \(run) ended with \(status)")
      if status == SIGKILL { count += 1 }
      try check(Evidence(folder), "run \(run), killed at \(step) \(occurrence)")
    }
    #expect(count == kills)
    #expect(try await Child.run(folder, mode: mode, step: "none", occurrence: 0) == 0)
    let evidence = try Evidence(folder)
    try check(evidence, "the last run")
    #expect(evidence.pending.isEmpty)
    #expect(Set(evidence.killedAt) == Set(Self.steps))
  }

  private func check(_ evidence: Evidence, _ when: String) throws {
    let applied = evidence.applied.map(\.key)
    #expect(applied.count == Set(applied).count, "something was applied twice: \(when)")
    let lost = Set(evidence.accepted.map(\.key)).subtracting(applied)
      .subtracting(evidence.pending)
    #expect(lost.isEmpty, "something accepted was lost: \(when)")
    let unexpected = Set(applied).subtracting(evidence.intended.map(\.key))
    #expect(unexpected.isEmpty, "something was applied that nobody wanted: \(when)")
    for item in ["0", "1", "2"] {
      let order = evidence.applied.filter { $0.item == item }.map(\.sequence)
      #expect(order == order.sorted(), "item \(item) is out of order: \(when)")
    }
    #expect(evidence.isBalanced, "the ledger does not balance: \(when)")
  }
}

/// What the child and the database left behind.
private struct Evidence {
  struct Line {
    let key: String
    let item: String
    let sequence: Int
  }

  let intended: [Line]
  let accepted: [Line]
  let applied: [Line]
  let killedAt: [String]
  /// The idempotency keys of what is not finished.
  let pending: Set<String>
  let isBalanced: Bool

  init(_ folder: TemporaryFolder) throws {
    func words(_ name: String) -> [[Substring]] {
      let text = try? String(contentsOf: folder.url.appending(path: name), encoding: .utf8)
      return (text ?? "").split(separator: "\n").map { $0.split(separator: " ") }
    }
    func lines(_ name: String) -> [Line] {
      words(name).map {
        Line(key: String($0[0]), item: String($0[1]), sequence: Int($0[2]) ?? -1)
      }
    }
    intended = lines("intended")
    accepted = lines("accepted")
    applied = lines("applied")
    killedAt = words("killed").map { String($0[0]) }
    let path = folder.url.appending(path: "outbox.sqlite").path(percentEncoded: false)
    let queue = try DatabaseQueue(path: path)
    (pending, isBalanced) = try queue.read { db in
      let keys = try String.fetchAll(
        db, sql: "SELECT idem_key FROM mainstay_op UNION ALL SELECT idem_key FROM mainstay_dead")
      let balance = try Int.fetchOne(
        db,
        sql: """
          SELECT (SELECT value FROM mainstay_meta WHERE key = 'enqueued')
            - (SELECT count(*) FROM mainstay_op) - (SELECT count(*) FROM mainstay_dead)
            - (SELECT coalesce(sum(count), 0) FROM mainstay_receipt)
          """)
      return (Set(keys), balance == 0)
    }
    try queue.close()
  }
}

/// The program that is killed.
private enum Child {
  /// Runs it to its end, and returns the exit code or the signal that ended it.
  static func run(
    _ folder: TemporaryFolder, mode: String, step: String, occurrence: Int
  ) async throws -> Int32 {
    let process = Process()
    process.executableURL = try program
    process.arguments = [
      folder.url.path(percentEncoded: false), mode, step, String(occurrence),
    ]
    process.standardInput = FileHandle.nullDevice
    return try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try Launch.run(process) } catch { continuation.resume(throwing: error) }
    }
  }

  /// It lies beside the program that runs the tests.
  private static var program: URL {
    get throws {
      let places = [CommandLine.arguments.first, Bundle.main.executablePath].compactMap { $0 }
      let programs = places.flatMap { place in
        let folder = URL(filePath: place).deletingLastPathComponent()
        return [folder, folder.deletingLastPathComponent()].map {
          $0.appending(path: "OutboxCrashChild")
        }
      }
      return try #require(
        programs.first {
          FileManager.default.isExecutableFile(atPath: $0.path(percentEncoded: false))
        })
    }
  }
}
