// SPDX-License-Identifier: Apache-2.0

import Figures

/// What an outbox in a file has to reach.
enum Goals {
  static let all = [
    Table.Goal("enqueue 1", atLeast: 0.8, of: "raw enqueue 1"),
    Table.Goal("enqueue, 32 callers", atLeast: 10, of: "raw enqueue 1"),
    Table.Goal("enqueue, 32 callers", atLeast: 10, of: "huey enqueue"),
    Table.Goal("enqueue, 32 callers", atLeast: 10, of: "persist-queue enqueue"),
    Table.Goal("enqueue 100 at once", atLeast: 0.6, of: "raw enqueue 100"),
    Table.Goal("enqueue 1,000 at once", atLeast: 0.6, of: "raw enqueue 1,000"),
    Table.Goal("claim and end 1", atLeast: 1.8, of: "raw drain 1"),
    Table.Goal("claim and end 1", atLeast: 2, of: "persist-queue take"),
    Table.Goal("claim and end 100", atLeast: 0.5, of: "raw drain 100"),
    Table.Goal("claim and end 100", atLeast: 20, of: "persist-queue take"),
    Table.Goal("claim and end 100", atLeast: 5, of: "litequeue take"),
    Table.Goal("claim and end 100", atLeast: 50, of: "litequeue take, 20,000 retained"),
    Table.Goal(Scans.row, atLeast: 0.5, of: "enqueue, 32 callers"),
    Table.Goal(Scans.overloaded, atLeast: 0.8, of: Scans.row),
    Table.Goal("claim and end 100, full file", atLeast: 0.8, of: "claim and end 100, empty file"),
  ]
}
