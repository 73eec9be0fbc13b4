// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayHTTPTesting
import MainstayOgmios
import MainstayTesting
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 3)) struct OgmiosChainTests {
  private func steps(_ count: Int, of client: OgmiosClient) async throws -> [String] {
    var steps: [String] = []
    for _ in 0..<count { steps.append(try await client.chainSync.nextBlock().told) }
    return steps
  }

  @Test func `the chain is gone along block after block`() async throws {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 3))
    let client = try Watched([server.socketAddress]).client
    #expect(
      try await steps(4, of: client) == [
        "back to the beginning", "block 20", "block 40", "block 60",
      ])
    async let next = client.chainSync.nextBlock()
    await server.calls(atLeast: 5)
    server.change { $0.forge() }
    #expect(try await next.told == "block 80")
    server.change { ledger in
      ledger.rollBack(by: 2)
      ledger.forge()
    }
    #expect(try await steps(2, of: client) == ["back 40", "block 60"])
  }

  @Test func `without points the chain begins anew`() async throws {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 3))
    let client = try Watched([server.socketAddress]).client
    #expect(try await steps(3, of: client).last == "block 40")
    let found = try await client.chainSync.findIntersection()
    #expect(found.point == .origin)
    #expect(found.tip.height == 2)
    #expect(try await steps(2, of: client) == ["back to the beginning", "block 20"])
  }

  @Test func `an intersection that nobody has keeps the place`() async throws {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 3))
    let client = try Watched([server.socketAddress]).client
    _ = try await steps(2, of: client)
    let nowhere = OgmiosPoint.block(slot: 1, id: "aa")
    let error = await failure { try await client.chainSync.findIntersection([nowhere]) }
    #expect(error?.code == 1000)
    #expect(error?.data?["tip"] != nil)
    #expect(try await steps(1, of: client) == ["block 40"])
    let tip = server.ledger.blocks[0]
    let point = OgmiosPoint.block(slot: 20, id: tip.id)
    let found = try await client.chainSync.findIntersection([nowhere, point])
    #expect(found.point == point)
    #expect(found.tip.height == 2)
    #expect(try await steps(2, of: client) == ["back 20", "block 40"])
  }

  @Test(.requirement("D3"), arguments: [OgmiosServer.Fault.hangUp, .reset, .nodeLost])
  func `a new connection goes on where the old one was`(fault: OgmiosServer.Fault) async throws {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 4))
    let watched = try Watched(
      [server.socketAddress], retry: OgmiosPresets.fixedRetry(clock: ContinuousClock()))
    let client = watched.client
    #expect(try await steps(3, of: client).last == "block 40")
    server.inject(fault, into: "nextBlock")
    #expect(try await steps(2, of: client) == ["block 60", "block 80"])
    #expect(watched.log.lines.contains("restored"))
  }

  @Test(arguments: [OgmiosServer.Fault.hangUp, .reset, .nodeLost], [1, 2])
  func `the step back to a new start is told, however often the connection breaks before it`(
    fault: OgmiosServer.Fault, endpoints: Int
  ) async throws {
    var servers: [OgmiosServer] = []
    for _ in 0..<endpoints {
      servers.append(try await OgmiosServer(ledger: OgmiosLedger(blocks: 4)))
    }
    let watched = try Watched(
      servers.map(\.socketAddress), retry: OgmiosPresets.fixedRetry(clock: ContinuousClock()))
    let client = watched.client
    #expect(try await steps(5, of: client).last == "block 80")
    let start = OgmiosPoint.block(slot: 40, id: servers[0].ledger.blocks[1].id)
    try await client.chainSync.findIntersection([start])
    servers[0].inject(fault, into: "nextBlock")
    #expect(try await steps(2, of: client) == ["back 40", "block 60"])
  }

  @Test func `a fork while nobody was connected goes back as far as it has to`() async throws {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 6))
    let watched = try Watched([server.socketAddress], retry: OgmiosPresets.fixedRetry())
    let client = watched.client
    #expect(try await steps(7, of: client).last == "block 120")
    server.inject(.hangUp, into: "queryNetwork/tip")
    _ = await failure { try await client.networkQuery.tip.execute() }
    server.change { ledger in
      ledger.rollBack(by: 3)
      for _ in 0..<4 { ledger.forge() }
    }
    #expect(try await steps(2, of: client).first?.hasPrefix("back ") == true)
  }

  @Test func `a call that was stopped loses no block`() async throws {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 2))
    let client = try Watched([server.socketAddress]).client
    _ = try await steps(3, of: client)
    let waiting = Task { try await client.chainSync.nextBlock() }
    await server.calls(atLeast: 4)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    server.change { $0.forge() }
    #expect(try await steps(1, of: client) == ["block 60"])
    #expect(client.status.connection == .connected)
  }

  @Test func `a new start waits for no block that somebody gave up, and costs no view`()
    async throws
  {
    var ledger = OgmiosLedger(blocks: 1)
    ledger.submit("00")
    let server = try await OgmiosServer(ledger: ledger)
    let client = try Watched([server.socketAddress]).client
    try await client.mempoolMonitor.acquire()
    _ = try await steps(2, of: client)
    for round in 0..<2 {
      let asked = server.calls.count
      let waiting = Task { try await client.chainSync.nextBlock() }
      await server.calls(atLeast: asked + 1)
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
      if round == 0 {
        try await client.chainSync.findIntersection()
      } else {
        let nowhere = OgmiosPoint.block(slot: 1, id: "aa")
        let error = await failure { try await client.chainSync.findIntersection([nowhere]) }
        #expect(error?.code == 1000)
      }
      #expect(client.status.connection == .connected)
      if round == 0 {
        #expect(try await steps(2, of: client) == ["back to the beginning", "block 20"])
      }
    }
    server.change { $0.forge() }
    #expect(try await steps(1, of: client) == ["block 40"])
    #expect(try await client.mempoolMonitor.nextTransaction() != nil)
  }

  @Test func `an answer that nobody took outlives a start that nobody has`() async throws {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 1))
    let client = try Watched([server.socketAddress]).client
    _ = try await steps(2, of: client)
    let waiting = Task { try await client.chainSync.nextBlock() }
    await server.calls(atLeast: 3)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    server.change { $0.forge() }
    // What comes after the block says that it is there.
    _ = try await client.networkQuery.tip.execute()
    let nowhere = OgmiosPoint.block(slot: 1, id: "aa")
    let error = await failure { try await client.chainSync.findIntersection([nowhere]) }
    #expect(error?.code == 1000)
    #expect(try await steps(1, of: client) == ["block 40"])
  }

  @Test func `an answer that comes later may be lost as well`() async throws {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 1))
    let client = try Watched([server.socketAddress]).client
    _ = try await steps(2, of: client)
    server.inject(.silence, into: "nextBlock", takesEffect: true)
    let waiting = Task { try await client.chainSync.nextBlock() }
    await server.calls(atLeast: 3)
    server.change { $0.forge() }
    // What is asked after the block is answered after it.
    _ = try await client.networkQuery.tip.execute()
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }

  @Test func `who looks often and waits a little misses nothing, and asks once`() async throws {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 1))
    let client = try Watched([server.socketAddress]).client
    _ = try await steps(2, of: client)
    for _ in 0..<5 {
      let error = await failure {
        try await client.chainSync.nextBlock(timeout: .milliseconds(5))
      }
      #expect(error?.kind == .timeout)
    }
    server.change { $0.forge() }
    #expect(try await steps(1, of: client) == ["block 40"])
    #expect(server.calls.count { $0 == "nextBlock" } == 3)
    #expect(server.mostInFlight == 1)
  }

  @Test func `a block that comes after days is told, though nobody waited all that time`()
    async throws
  {
    let clock = ManualClock()
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 1))
    let client = try Watched([server.socketAddress], clock: clock).client
    _ = try await steps(2, of: client)
    for pause in [Duration.seconds(2 * 86_400), .zero] {
      let waiting = Task {
        await failure { try await client.chainSync.nextBlock(timeout: .seconds(5)) }
      }
      await clock.waiters(atLeast: 1, within: .seconds(5))
      await server.calls(atLeast: 3)
      clock.advance(by: .seconds(5))
      #expect(await waiting.value?.kind == .timeout)
      clock.advance(by: pause)
    }
    for _ in 0..<3 { server.change { $0.forge() } }
    #expect(try await steps(2, of: client) == ["block 40", "block 60"])
    #expect(server.calls.count { $0 == "nextBlock" } == 4)
  }

  @Test func `who waits for a block waits no longer than asked, whatever repeats calls`()
    async throws
  {
    let clock = ManualClock()
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 1))
    let client = try Watched(
      [server.socketAddress], retry: OgmiosPresets.fixedRetry(clock: clock), clock: clock
    ).client
    _ = try await steps(2, of: client)
    let waiting = Task {
      await failure { try await client.chainSync.nextBlock(timeout: .seconds(5)) }
    }
    while clock.nextWakeUp != .seconds(5), !Task.isCancelled { await Task.yield() }
    clock.advance(by: .seconds(5))
    #expect(await waiting.value?.kind == .timeout)
    server.change { $0.forge() }
    #expect(try await steps(1, of: client) == ["block 40"])
  }

  @Test func `a turn is waited for no longer than the call may take`() async throws {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 1))
    let clock = ManualClock()
    let client = try Watched([server.socketAddress], clock: clock).client
    _ = try await steps(2, of: client)
    let first = Task { try await client.chainSync.nextBlock() }
    await server.calls(atLeast: 3)
    let second = Task {
      await failure { try await client.chainSync.findIntersection([], timeout: .seconds(5)) }
    }
    while clock.nextWakeUp != .seconds(5), !Task.isCancelled { await Task.yield() }
    clock.advance(by: .seconds(5))
    let error = await second.value
    #expect(error?.kind == .timeout)
    #expect(error?.appError.mayHaveBeenSent == false)
    #expect(client.status.connection == .connected)
    server.change { $0.forge() }
    #expect(try await first.value.told == "block 40")
  }

  @Test func `an answer that nobody took is asked for again on a new connection, told once`()
    async throws
  {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 2))
    let watched = try Watched([server.socketAddress])
    let client = watched.client
    #expect(try await steps(3, of: client).last == "block 40")
    let waiting = Task { try await client.chainSync.nextBlock() }
    await server.calls(atLeast: 4)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    server.change { $0.forge() }
    // What comes after the block says that it is there. Then the connection is opened again.
    _ = try await client.networkQuery.tip.execute()
    server.inject(.hangUp, into: "queryNetwork/tip")
    for _ in 0..<2 { _ = try await client.networkQuery.tip.execute() }
    #expect(watched.log.lines.contains("restored"))
    server.change { $0.forge() }
    #expect(try await steps(2, of: client) == ["block 60", "block 80"])
  }

  @Test func `calls that come together get all blocks, each once`() async throws {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 20))
    let client = try Watched([server.socketAddress]).client
    let steps = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<21 { group.addTask { try await client.chainSync.nextBlock().told } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(steps.count == 21)
  }
}
