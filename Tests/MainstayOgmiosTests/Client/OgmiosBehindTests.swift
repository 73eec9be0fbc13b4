// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTPTesting
import MainstayOgmios
import TestSupport
import Testing

/// Nodes whose chain has none of the blocks of who goes along it.
@Suite(.ends(withinMinutes: 3)) struct OgmiosBehindTests {
  @Test func `a node that is far behind takes nobody back to where they began`() async throws {
    let ledger = OgmiosLedger(blocks: 2_200)
    let first = try await OgmiosServer(ledger: ledger)
    let second = try await OgmiosServer()
    let watched = try Watched([first.socketAddress, second.socketAddress])
    let client = watched.client
    for _ in 0..<2_180 { _ = try await client.chainSync.nextBlock() }
    first.inject(.hangUp, into: "nextBlock")
    let lost = await failure { try await client.chainSync.nextBlock() }
    #expect(lost?.appError.disposition == .transient())
    #expect(Set(second.calls) == ["findIntersection"])
    #expect(try await client.chainSync.nextBlock().told == "block \(2_180 * 20)")
    #expect(client.status.endpointInUse == first.socketAddress)
    #expect(!second.calls.contains("nextBlock"))
  }

  @Test func `a start without the beginning takes nothing back on a node that is behind`()
    async throws
  {
    let first = try await OgmiosServer(ledger: OgmiosLedger(blocks: 3_000))
    let second = try await OgmiosServer(ledger: OgmiosLedger(blocks: 10))
    let known = first.ledger.blocks.suffix(20).reversed().map {
      OgmiosPoint.block(slot: UInt64($0.slot), id: $0.id)
    }
    first.shutDown()
    let client = try Watched([first.socketAddress, second.socketAddress]).client
    let error = await failure { try await client.chainSync.findIntersection(known) }
    #expect(error?.code == 1000)
    #expect(!second.calls.contains("nextBlock"))
  }

  @Test(arguments: [true, false])
  func `who shares no block with any node is told whether that is behind`(isBehind: Bool)
    async throws
  {
    let first = try await OgmiosServer(ledger: OgmiosLedger(blocks: 10_000))
    var other = OgmiosLedger(blocks: 1)
    if !isBehind {
      other.rollBack(by: 0)
      for _ in 0..<10_050 { other.forge() }
    }
    let second = try await OgmiosServer(ledger: other)
    let client = try Watched([first.socketAddress, second.socketAddress]).client
    let block = first.ledger.tip
    // An app that begins names the beginning too, for a chain that it has not seen yet.
    try await client.chainSync.findIntersection([
      .block(slot: UInt64(block.slot), id: block.id), .origin,
    ])
    #expect(try await client.chainSync.nextBlock().told == "back \(block.slot)")
    first.inject(.hangUp, into: "nextBlock")
    let tip = #"{"tip":{"slot":\#(isBehind ? 1 : 900_000),"id":"aa","height":1}}"#
    first.inject(.failure(.init(1000, data: tip)), into: "findIntersection", times: 9)
    let error = await failure { try await client.chainSync.nextBlock() }
    #expect(error?.kind == .websocket)
    let alone = await failure { try await client.chainSync.nextBlock() }
    #expect(alone?.code == 1000)
    #expect(alone?.method == "nextBlock")
    #expect(!second.calls.contains("nextBlock"))
    if isBehind {
      #expect(alone?.advice == .wait)
      #expect(alone?.appError.disposition == .transient())
      #expect(alone?.appError.title.description == "The service is still catching up")
    } else {
      #expect(alone?.appError.disposition == .permanent)
    }
  }
}
