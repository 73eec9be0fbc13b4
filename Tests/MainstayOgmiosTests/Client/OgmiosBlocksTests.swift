// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTPTesting
import MainstayOgmios
import TestSupport
import Testing

/// The chain as a sequence, with questions ahead.
@Suite(.ends(withinMinutes: 3)) struct OgmiosBlocksTests {
  /// Takes so many steps, in two words each.
  private func steps(
    _ count: Int, of client: OgmiosClient, ahead: Int = 50
  ) async throws -> [String] {
    var steps: [String] = []
    for try await step in client.chainSync.blocks(ahead: ahead) {
      steps.append(step.told)
      if steps.count == count { break }
    }
    return steps
  }

  private func blocks(_ numbers: ClosedRange<Int>) -> [String] {
    numbers.map { "block \($0 * 20)" }
  }

  private func count(_ server: OgmiosServer) -> Int {
    server.calls.count { $0 == "nextBlock" }
  }

  /// A call is counted before it is seen to be on its way.
  private func whole(_ count: Int, at server: OgmiosServer) async {
    while server.mostInFlight < count, !Task.isCancelled { await Task.yield() }
    #expect(server.mostInFlight == count)
  }

  @Test func `steps are asked for ahead, and told in their order`() async throws {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 300))
    let client = try Watched([server.socketAddress]).client
    #expect(try await steps(301, of: client) == ["back to the beginning"] + blocks(1...300))
    let next = Task { try await steps(3, of: client) }
    // At the end of the chain as many wait as may be asked for.
    await server.calls(atLeast: 351)
    await whole(50, at: server)
    server.change { ledger in for _ in 0..<3 { ledger.forge() } }
    #expect(try await next.value == blocks(301...303))
    #expect(count(server) <= 303 + 1 + 50)
  }

  @Test(arguments: [-7, 0, 1, 501, Int.max])
  func `what is asked ahead stays within what servers take`(ahead: Int) async throws {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 600))
    let client = try Watched([server.socketAddress]).client
    #expect(try await steps(601, of: client, ahead: ahead).last == "block 12000")
    let most = ahead > 1 ? 500 : 1
    let next = Task { try await steps(1, of: client, ahead: ahead) }
    await server.calls(atLeast: 601 + most)
    await whole(most, at: server)
    // Other questions have room on that connection.
    #expect(try await client.ledgerStateQuery.epoch.execute() == 512)
    server.change { $0.forge() }
    #expect(try await next.value == ["block 12020"])
  }

  @Test func `a rollback goes back to where the chains part, whatever was asked ahead`()
    async throws
  {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 40))
    let client = try Watched([server.socketAddress]).client
    var chain: [String] = []
    var steps = client.chainSync.blocks(ahead: 8).makeAsyncIterator()
    func take(_ step: OgmiosChainStep?) throws {
      switch try #require(step) {
      case .forward(let block, _): chain.append(block.id)
      case .backward(let point, _):
        guard case .block(_, let id) = point else { return chain.removeAll() }
        let index = try #require(chain.lastIndex(of: id))
        chain.removeSubrange((index + 1)...)
      }
    }
    for round in 1...5 {
      for _ in 0..<5 { try take(try await steps.next()) }
      server.change { ledger in
        ledger.rollBack(by: round * 3)
        for _ in 0..<round * 4 { ledger.forge() }
      }
    }
    while chain != server.ledger.blocks.map(\.id) { try take(try await steps.next()) }
  }

  @Test(arguments: [OgmiosServer.Fault.hangUp, .reset, .nodeLost], [1, 2])
  func `each block is told once, wherever a connection breaks`(
    fault: OgmiosServer.Fault, endpoints: Int
  ) async throws {
    var servers: [OgmiosServer] = []
    for _ in 0..<endpoints {
      servers.append(try await OgmiosServer(ledger: OgmiosLedger(blocks: 200)))
    }
    let retry = Retry(maximumAttempts: 5, backoff: .none)
    let client = try Watched(servers.map(\.socketAddress), retry: retry) {
      $0.rest = .milliseconds(1)
      $0.breaker = { CircuitBreaker($0, .consecutiveFailures(1_000)) }
    }.client
    var told: [String] = []
    for try await step in client.chainSync.blocks(ahead: 20) {
      told.append(step.told)
      if told.count.isMultiple(of: 17) { servers[0].inject(fault, into: "nextBlock") }
      if told.count == 201 { break }
    }
    #expect(told == ["back to the beginning"] + blocks(1...200))
  }

  @Test(arguments: [1, 20, 100], [false, true])
  func `each block is told once, whatever question the server refuses`(
    ahead: Int, takesEffect: Bool
  ) async throws {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 200))
    let client = try Watched([server.socketAddress]) {
      $0.breaker = { CircuitBreaker($0, .consecutiveFailures(1_000)) }
    }.client
    let refusal = OgmiosServer.Fault.failure(OgmiosServer.Failure(-32603, "too many questions"))
    var (told, refusals): ([String], Int) = ([], 0)
    while told.count < 201 {
      do {
        for try await step in client.chainSync.blocks(ahead: ahead) {
          told.append(step.told)
          if told.count.isMultiple(of: 17) {
            server.inject(refusal, into: "nextBlock", takesEffect: takesEffect)
          }
          if told.count >= 201 { break }
        }
      } catch let error as OgmiosError where error.code == -32603 {
        refusals += 1
      }
    }
    #expect(told == ["back to the beginning"] + blocks(1...200))
    // What was asked ahead, and nobody waits for yet, is asked again without a word.
    if ahead == 1 { #expect(refusals == 201 / 17) }
  }

  @Test func `a loop that ends loses nothing, and the next one goes on`() async throws {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 30))
    let client = try Watched([server.socketAddress]).client
    #expect(try await steps(11, of: client).last == "block 200")
    // What was asked ahead is there for a single step, too.
    #expect(try await client.chainSync.nextBlock().told == "block 220")
    #expect(try await steps(19, of: client) == blocks(12...30))
    let waiting = Task { try await steps(1, of: client) }
    await server.calls(atLeast: 32)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    server.change { $0.forge() }
    #expect(try await steps(1, of: client) == ["block 620"])
    // A new start forgets it.
    try await client.chainSync.findIntersection()
    #expect(try await steps(3, of: client) == ["back to the beginning"] + blocks(1...2))
  }

  @Test func `who waits at the end of the chain waits for as long as it takes`() async throws {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 1))
    let client = try Watched([server.socketAddress]) { $0.longTimeout = .milliseconds(1) }.client
    // A connection that is not there in time is another matter.
    _ = try await client.networkQuery.tip.execute()
    let next = Task { try await steps(3, of: client) }
    await server.calls(atLeast: 4)
    server.change { $0.forge() }
    #expect(try await next.value == ["back to the beginning", "block 20", "block 40"])
  }
}
