// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// A child process is killed with SIGKILL, one time at a durable step and the next time at a random
/// moment, and started again, until it was killed 200 times in all.
@Suite(.requirement("A54", "C13", "T5", "O3", "O22"), .ends(withinMinutes: 40))
struct OutboxCrashTests {
  private static let kills = RandomDose.isTorture ? 1_000 : 100
  private static let steps = [
    "beforeEnqueueCommit", "afterEnqueueCommit", "beforeClaimCommit", "afterClaimCommit",
    "beforeEffect", "afterEffect", "beforeSettleCommit", "afterSettleCommit",
  ]

  @Test(arguments: ["reconcile", "dedupe"])
  func `nothing is lost or applied twice, whenever the process is killed`(
    mode: String
  ) async throws {
    let folder = try TemporaryFolder()
    let app = CrashingApp(in: folder.url, mode: mode)
    var generator = SeededGenerator(seed: mode == "reconcile" ? 11 : 12)
    var count = 0
    // Some runs end by themselves, before the step or the moment has come.
    for run in 0..<(Self.kills * 6) where count < Self.kills {
      let death = Self.death(count, using: &generator)
      // Not always: a key that is held by what was given up is a state to die in, too.
      let status = try await app.run(until: death, redrives: run.isMultiple(of: 3))
      #expect(status == 0 || status == SIGKILL, "run \(run) ended with \(status)")
      if status == SIGKILL { count += 1 }
      try check(Evidence(folder, app.told), "run \(run), killed at \(death)")
    }
    #expect(count == Self.kills)
    #expect(try await app.run(until: .never, redrives: true) == 0)
    let evidence = try Evidence(folder, app.told)
    try check(evidence, "the last run")
    #expect(evidence.pending.isEmpty)
    let items = Set(evidence.told.applied.map(\.item))
    #expect(items == Set(0..<CrashLedger.items), "each of them was changed")
    #expect(Set(evidence.killedAt) == Set(Self.steps))
  }

  /// Each step has its turn, and comes again until it was died at; the moments lie anywhere in what
  /// a run without leftovers tells.
  private static func death(
    _ count: Int, using generator: inout SeededGenerator
  ) -> CrashingApp.Death {
    if count.isMultiple(of: 2) {
      return .step(steps[count / 2 % steps.count], Int.random(in: 1...6, using: &generator))
    }
    return .moment(Int.random(in: 1...140, using: &generator))
  }

  private func check(_ evidence: Evidence, _ when: String) throws {
    let told = evidence.told
    #expect(told.unknown.isEmpty, "\(when)")
    let applied = told.applied.map(\.key)
    #expect(applied.count == Set(applied).count, "something was applied twice: \(when)")
    let lost = Set(told.accepted.map(\.key)).subtracting(applied).subtracting(evidence.pending)
    #expect(lost.isEmpty, "something accepted was lost: \(when)")
    let unexpected = Set(applied).subtracting(told.intended.map(\.key))
    #expect(unexpected.isEmpty, "something was applied that nobody wanted: \(when)")
    for item in 0..<CrashLedger.items {
      let order = told.applied.filter { $0.item == item }.map(\.sequence)
      #expect(order == order.sorted(), "item \(item) is out of order: \(when)")
    }
    #expect(evidence.isBalanced, "the ledger does not balance: \(when)")
  }
}

/// What the other side heard, and what the child left in its folder.
private struct Evidence {
  let told: CrashLedger
  let killedAt: [String]
  /// The idempotency keys of what is not finished.
  let pending: Set<String>
  let isBalanced: Bool

  init(_ folder: TemporaryFolder, _ told: CrashLedger) throws {
    self.told = told
    let killed = folder.url.appending(path: "killed")
    let text = try? String(contentsOf: killed, encoding: .utf8)
    killedAt = (text ?? "").split(separator: "\n").map(String.init)
    let queue = try DatabaseQueue(patientAt: folder.url.appending(path: "outbox.sqlite"))
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
