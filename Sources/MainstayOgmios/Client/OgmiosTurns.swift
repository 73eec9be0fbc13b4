// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// Lets calls that move the same place go one after the other.
struct OgmiosTurns: Sendable {
  let chain: Bulkhead
  let ledger: Bulkhead
  let mempool: Bulkhead

  init(maximumWait: Duration, clock: some Clock<Duration>) {
    func turn(_ name: String) -> Bulkhead {
      Bulkhead(name, limit: 1, queue: 10_000, maximumWait: maximumWait, clock: clock)
    }
    chain = turn("ogmios.chain")
    ledger = turn("ogmios.ledger")
    mempool = turn("ogmios.mempool")
  }
}
