// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayHTTPTesting
import MainstayOgmios
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 3)) struct OgmiosLedgerTests {
  @Test(.requirement("D7")) func `a view that has run out is acquired again, once`() async throws {
    let server = try await OgmiosServer()
    let watched = try Watched([server.socketAddress])
    let client = watched.client
    let first = try await client.ledgerState.acquire()
    #expect(first == .block(slot: 200, id: server.ledger.tip.id))
    server.change { ledger in
      ledger.forge()
      ledger.expireSnapshots()
    }
    let now = try await client.ledgerStateQuery.tip.execute()
    #expect(now == .block(slot: 220, id: server.ledger.tip.id))
    #expect(watched.log.lines == ["acquired again"])
    server.inject(.failure(.init(2003)), into: "queryLedgerState/epoch", times: 2)
    let error = await failure { try await client.ledgerStateQuery.epoch.execute() }
    #expect(error?.code == 2003)
    #expect(error?.appError.disposition == .transient())
  }

  @Test func `a view of any point takes another one where its block was rolled back`()
    async throws
  {
    let server = try await OgmiosServer()
    let watched = try Watched([server.socketAddress])
    let client = watched.client
    let first = try await client.ledgerState.acquire()
    server.change { ledger in
      ledger.rollBack(by: 1)
      ledger.forge()
    }
    let now = OgmiosPoint.block(slot: 200, id: server.ledger.tip.id)
    #expect(now != first)
    server.inject(.hangUp, into: "queryLedgerState/tip")
    #expect(await failure { try await client.ledgerStateQuery.tip.execute() }?.kind == .websocket)
    for _ in 0..<2 { #expect(try await client.ledgerStateQuery.tip.execute() == now) }
    #expect(watched.log.lines.filter { $0 == "acquired again" }.count == 1)
  }

  @Test func `a view of any point takes another one at a node that does not have it`()
    async throws
  {
    let first = try await OgmiosServer()
    let second = try await OgmiosServer(ledger: OgmiosLedger(blocks: 5))
    let client = try Watched([first.socketAddress, second.socketAddress]).client
    #expect(try await client.ledgerState.acquire() == .block(slot: 200, id: first.ledger.tip.id))
    first.shutDown()
    let behind = OgmiosPoint.block(slot: 100, id: second.ledger.tip.id)
    #expect(try await client.ledgerStateQuery.tip.execute() == behind)
    #expect(try await client.ledgerStateQuery.epoch.execute() == 512)
  }

  @Test func `a view of one point is never another one`() async throws {
    let server = try await OgmiosServer()
    let client = try Watched([server.socketAddress]).client
    let block = server.ledger.blocks[5]
    let point = OgmiosPoint.block(slot: UInt64(block.slot), id: block.id)
    #expect(try await client.ledgerState.acquire(at: point) == point)
    server.change { ledger in
      ledger.forge()
      ledger.expireSnapshots()
    }
    #expect(try await client.ledgerStateQuery.tip.execute() == point)
    server.change { $0.rollBack(by: 6) }
    let error = await failure { try await client.ledgerStateQuery.tip.execute() }
    #expect(error?.code == 2000)
  }

  @Test func `a view survives its connection`() async throws {
    let server = try await OgmiosServer()
    let watched = try Watched([server.socketAddress], retry: OgmiosPresets.fixedRetry())
    let client = watched.client
    let block = server.ledger.blocks[5]
    let point = OgmiosPoint.block(slot: UInt64(block.slot), id: block.id)
    try await client.ledgerState.acquire(at: point)
    server.inject(.reset, into: "queryLedgerState/tip")
    #expect(try await client.ledgerStateQuery.tip.execute() == point)
    #expect(watched.log.lines.contains("restored"))
    try await client.ledgerState.release()
    #expect(try await client.ledgerStateQuery.tip.execute() != point)
  }

  @Test func `a point that is gone is not acquired, and the view before counts`() async throws {
    let server = try await OgmiosServer()
    let client = try Watched([server.socketAddress]).client
    let first = try await client.ledgerState.acquire()
    let nowhere = OgmiosPoint.block(slot: 1, id: "aa")
    let error = await failure { try await client.ledgerState.acquire(at: nowhere) }
    #expect(error?.code == 2000)
    #expect(try await client.ledgerStateQuery.tip.execute() == first)
    try await client.ledgerState.release()
    try await client.ledgerState.release()
  }

  @Test(.requirement("D7")) func `an era that is not there yet is waited for`() async throws {
    let server = try await OgmiosServer()
    server.change { $0.queryEra = "dijkstra" }
    let client = try Watched([server.socketAddress]).client
    let error = await failure { try await client.ledgerStateQuery.epoch.execute() }
    #expect(error?.code == 2001)
    #expect(error?.advice == .wait)
    #expect(error?.data?["ledgerEra"]?.string == "conway")
    server.change { $0.era = "dijkstra" }
    #expect(try await client.ledgerStateQuery.epoch.execute() == 512)
  }
}
