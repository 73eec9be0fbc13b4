// SPDX-License-Identifier: Apache-2.0

import Mainstay
import TestSupport
import Testing

@testable import MainstayOutboxPostgres

@Suite(.ends(withinMinutes: 1)) struct GatheringTests {
  @Test func `a statement takes no more bytes than it may, and one item in any case`()
    async throws
  {
    let gathering = Gathering<Int, Int>(maximumCount: 3, maximumBytes: 10, maximumFlights: 1) { $0 }
    let (gate, log) = (Countdown(1), Log())
    let submit: @Sendable (Int) async throws -> Int = { size in
      try await gathering.submit(size) { items in
        log.add("\(items)")
        await gate.reached()
        return items.map { .success($0) }
      }
    }
    let first = await started { try await submit(1) }
    await eventually { log.lines.count == 1 }
    let sizes = [4, 4, 4, 20, 1, 1, 1, 1]
    let others = await started(sizes.count) { try await submit(sizes[$0]) }
    gate.count()
    #expect(try await first.value == 1)
    for (size, caller) in zip(sizes, others) { #expect(try await caller.value == size) }
    #expect(log.lines == ["[1]", "[4, 4]", "[4]", "[20]", "[1, 1, 1]", "[1]"])
  }
}
