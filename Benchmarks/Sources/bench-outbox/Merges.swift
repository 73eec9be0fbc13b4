// SPDX-License-Identifier: Apache-2.0

import Figures
import Foundation
import MainstayOutbox

/// What merging costs a processor.
enum Merges {
  /// A record with twenty fields.
  struct Record: Sendable, Equatable {
    var t0 = "a", t1 = "b", t2 = "c", t3 = "d", t4 = "e"
    var t5 = "f", t6 = "g", t7 = "h", t8 = "i", t9 = "j"
    var n0 = 0, n1 = 1, n2 = 2, n3 = 3, n4 = 4, n5 = 5, n6 = 6, n7 = 7, n8 = 8, n9 = 9
  }

  private static let policy = MergePolicy<Record>([
    .field("t0", \.t0), .field("t1", \.t1), .field("t2", \.t2), .field("t3", \.t3),
    .field("t4", \.t4), .field("t5", \.t5), .field("t6", \.t6), .field("t7", \.t7),
    .field("t8", \.t8), .field("t9", \.t9), .field("n0", \.n0), .field("n1", \.n1),
    .field("n2", \.n2), .field("n3", \.n3), .field("n4", \.n4), .field("n5", \.n5),
    .field("n6", \.n6), .field("n7", \.n7), .field("n8", \.n8), .field("n9", \.n9),
  ])

  static func measure(_ desk: Desk, into table: inout Table) throws {
    desk.say("merges")
    let base = Record()
    var (local, remote) = (base, base)
    (local.t1, local.n3) = ("mine", 30)
    (remote.t7, remote.n8) = ("theirs", 80)
    let count = 100_000
    var clean = 0
    let merging = best {
      for _ in 0..<count {
        let result = policy.merge(
          base: .present(base), local: .present(local), remote: .present(remote))
        if result.isClean { clean += 1 }
      }
    }
    precondition(clean % count == 0 && clean > 0)
    table.add(
      "fields merged, 20 to a record", Double(count * 20) / merging / 1e6, "million/s", atLeast: 1)
    var clock = HybridLogicalClock(node: .random())
    let date = Date()
    var last = clock.tick(at: date)
    let ticks = 1_000_000
    let ticking = best { for _ in 0..<ticks { last = clock.tick(at: date) } }
    precondition(last.date <= date.addingTimeInterval(3_600))
    table.add("ticks of the clock", Double(ticks) / ticking / 1e6, "million/s", atLeast: 20)
  }

  /// The fastest of five.
  private static func best(_ body: () -> Void) -> Double {
    (0..<5).map { _ in
      let start = ContinuousClock.now
      body()
      return (ContinuousClock.now - start) / .seconds(1)
    }.min() ?? .infinity
  }
}
