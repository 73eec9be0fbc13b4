// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayHTTPTesting
import MainstayOgmios
import MainstayTesting
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 3)) struct OgmiosMempoolTests {
  @Test func `waiting transactions are gone through by a view`() async throws {
    var ledger = OgmiosLedger()
    let ids = ["00", "01"].compactMap { ledger.submit($0) }
    let server = try await OgmiosServer(ledger: ledger)
    let monitor = try Watched([server.socketAddress]).client.mempoolMonitor
    #expect(try await monitor.acquire() == 200)
    #expect(try await monitor.nextTransaction()?.id == ids[0])
    let whole = try await monitor.nextTransaction(isWhole: true)
    #expect(whole?.id == ids[1])
    #expect(whole?.json["cbor"]?.string == "01")
    #expect(try await monitor.nextTransaction() == nil)
    #expect(try await monitor.hasTransaction(ids[0]))
    let size = try await monitor.size()
    #expect([size.transactions, size.bytes, size.capacity] == [2, 2, 178_176])
    try await monitor.release()
    #expect(await failure { try await monitor.release() }?.code == 4000)
  }

  @Test func `a second view waits until something has changed`() async throws {
    let server = try await OgmiosServer()
    let monitor = try Watched([server.socketAddress]).client.mempoolMonitor
    try await monitor.acquire()
    async let next = monitor.acquire()
    await server.calls(atLeast: 2)
    server.change { $0.submit("00") }
    _ = try await next
    #expect(try await monitor.size().transactions == 1)
  }

  @Test func `without a view one is acquired first, where that is harmless`() async throws {
    var ledger = OgmiosLedger()
    let id = ledger.submit("00") ?? ""
    let server = try await OgmiosServer(ledger: ledger)
    let monitor = try Watched([server.socketAddress]).client.mempoolMonitor
    #expect(try await monitor.hasTransaction(id))
    #expect(server.calls == ["hasTransaction", "acquireMempool", "hasTransaction"])
  }

  @Test func `a view that is gone can't be gone through any more`() async throws {
    var ledger = OgmiosLedger()
    for cbor in ["00", "01"] { ledger.submit(cbor) }
    let server = try await OgmiosServer(ledger: ledger)
    let client = try Watched([server.socketAddress], retry: OgmiosPresets.fixedRetry()).client
    let monitor = client.mempoolMonitor
    try await monitor.acquire()
    _ = try await monitor.nextTransaction()
    server.inject(.reset, into: "queryNetwork/tip")
    _ = try await client.networkQuery.tip.execute()
    let error = await failure { try await monitor.nextTransaction() }
    #expect(error?.code == 4000)
    #expect(error?.advice == .acquire)
    #expect(try await monitor.size().transactions == 2)
  }

  @Test(arguments: ["late", "cancelled", "unreadable"])
  func `a transaction that was not told in time is not passed over`(ending: String) async throws {
    var ledger = OgmiosLedger()
    let ids = ["00", "01"].compactMap { ledger.submit($0) }
    let server = try await OgmiosServer(ledger: ledger)
    let clock = ManualClock()
    let retry = ending == "late" ? OgmiosPresets.fixedRetry(clock: clock) : nil
    let client = try Watched([server.socketAddress], retry: retry, clock: clock) {
      $0.timeout = .seconds(30)
    }.client
    let monitor = client.mempoolMonitor
    try await monitor.acquire()
    server.inject(
      ending == "unreadable" ? .text("{") : .silence, into: "nextTransaction", takesEffect: true)
    let asking = Task { await failure { try await monitor.nextTransaction() } }
    await server.calls(atLeast: 2)
    switch ending {
    case "cancelled": asking.cancel()
    case "late":
      await clock.waiters(atLeast: 1, within: .seconds(30))
      clock.advance(by: .seconds(30))
      // The two attempts that come after find no view to go on in.
      for _ in 0..<2 {
        await clock.waiters(atLeast: 1, within: .seconds(1))
        clock.advance(by: .seconds(1))
      }
    default: break
    }
    let error = await asking.value
    switch ending {
    case "cancelled": #expect(error == nil)
    // Told is the first attempt, which may have moved the server on.
    case "late": #expect(error?.kind == .timeout)
    default: #expect(error?.kind == .invalidResponse)
    }
    if retry == nil {
      #expect(await failure { try await monitor.nextTransaction() }?.code == 4000)
    }
    // The next view comes at once, though nothing has changed.
    try await monitor.acquire()
    #expect(try await monitor.nextTransaction()?.id == ids[0])
    #expect(server.calls.count { $0 == "nextTransaction" } == 2)
  }

  @Test func `an empty mempool is waited for, and no view is kept`() async throws {
    var ledger = OgmiosLedger()
    ledger.submit("00")
    let server = try await OgmiosServer(ledger: ledger)
    let monitor = try Watched([server.socketAddress]).client.mempoolMonitor
    let clock = ManualClock()
    async let empty: Void = monitor.waitForEmptyMempool(timeout: .seconds(10), clock: clock)
    // Its own limit sleeps there, too.
    await clock.sleepers(atLeast: 2)
    #expect(server.calls == ["acquireMempool", "sizeOfMempool"])
    server.change { $0.forge() }
    clock.advance(by: .seconds(1))
    try await empty
    // With the connection the view is gone.
    await server.log.first { $0 == .ended(connection: 0) }
    #expect(
      server.calls == [
        "acquireMempool", "sizeOfMempool", "releaseMempool", "acquireMempool", "sizeOfMempool",
      ])
  }

  @Test func `however often somebody looks, there is one connection`() async throws {
    var ledger = OgmiosLedger()
    ledger.submit("00")
    let server = try await OgmiosServer(ledger: ledger)
    let monitor = try Watched([server.socketAddress]).client.mempoolMonitor
    let clock = ManualClock()
    async let empty: Void = monitor.waitForEmptyMempool(timeout: .seconds(100), clock: clock)
    for look in 1...10 {
      await server.calls(atLeast: look * 3 - 1)
      await clock.waiters(atLeast: 1, within: .seconds(1))
      #expect(server.calls.count { $0 == "sizeOfMempool" } == look)
      // The view may be gone, as with a connection that was opened again.
      if look == 5 {
        server.inject(.failure(.init(4000)), into: "releaseMempool", takesEffect: true)
      }
      if look == 10 { server.change { $0.forge() } }
      clock.advance(by: .seconds(1))
    }
    try await empty
    await server.log.first { $0 == .ended(connection: 0) }
    #expect(!server.log.events.contains(.ended(connection: 1)))
  }

  @Test func `who waits for an empty mempool keeps the view`() async throws {
    var ledger = OgmiosLedger()
    ledger.submit("00")
    let server = try await OgmiosServer(ledger: ledger)
    let monitor = try Watched([server.socketAddress]).client.mempoolMonitor
    try await monitor.acquire()
    server.change { $0.forge() }
    try await monitor.waitForEmptyMempool(timeout: .patience)
    #expect(try await monitor.nextTransaction() != nil)
  }

  @Test func `while somebody waits for the next view the mempool can be asked about`()
    async throws
  {
    var ledger = OgmiosLedger()
    let id = ledger.submit("00") ?? ""
    let server = try await OgmiosServer(ledger: ledger)
    let monitor = try Watched([server.socketAddress]).client.mempoolMonitor
    try await monitor.acquire()
    let next = Task { try await monitor.acquire() }
    await server.calls(atLeast: 2)
    #expect(try await monitor.size().transactions == 1)
    #expect(try await monitor.hasTransaction(id))
    server.change { $0.submit("01") }
    _ = try await next.value
    #expect(try await monitor.nextTransaction()?.id == id)
    #expect(try await monitor.size().transactions == 2)
  }

  @Test func `a view that was given up is gone, and nothing waits for the next one`()
    async throws
  {
    let (server, clock) = (try await OgmiosServer(), ManualClock())
    let monitor = try Watched([server.socketAddress], clock: clock).client.mempoolMonitor
    try await monitor.acquire()
    let waiting = Task { await failure { try await monitor.acquire(timeout: .seconds(5)) } }
    await server.calls(atLeast: 2)
    await clock.waiters(atLeast: 1, within: .seconds(5))
    clock.advance(by: .seconds(5))
    #expect(await waiting.value?.kind == .timeout)
    // The server answers nothing else on that connection until something has changed.
    #expect(await failure { try await monitor.nextTransaction() }?.code == 4000)
    #expect(try await monitor.size().transactions == 0)
    #expect(await failure { try await monitor.release() }?.code == 4000)
    server.change { $0.submit("00") }
    try await monitor.acquire()
    #expect(try await monitor.nextTransaction() != nil)
    #expect(try await monitor.size().transactions == 1)
    #expect(server.calls.count { $0 == "acquireMempool" } == 3)
  }

  @Test func `a view that came after nobody waited is not gone through from its beginning`()
    async throws
  {
    let server = try await OgmiosServer()
    let client = try Watched([server.socketAddress]).client
    let monitor = client.mempoolMonitor
    try await monitor.acquire()
    let waiting = Task { try await monitor.acquire() }
    await server.calls(atLeast: 2)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    server.change { $0.submit("00") }
    // What comes after the view says that it is there.
    _ = try await client.networkQuery.tip.execute()
    #expect(await failure { try await monitor.nextTransaction() }?.code == 4000)
    try await monitor.acquire()
    #expect(try await monitor.nextTransaction() != nil)
    #expect(server.calls.count { $0 == "acquireMempool" } == 2)
  }

  @Test func `the wait for an empty mempool is over in time, whatever the server does`()
    async throws
  {
    var ledger = OgmiosLedger()
    ledger.submit("00")
    let server = try await OgmiosServer(ledger: ledger)
    let retry = OgmiosPresets.fixedRetry()
    let monitor = try Watched([server.socketAddress], retry: retry).client.mempoolMonitor
    try await monitor.acquire()
    // Somebody else waits for a change, and has the turn.
    let other = Task { try await monitor.acquire() }
    await server.calls(atLeast: 2)
    server.inject(.silence, into: "acquireMempool", times: 9)
    let error = await failure {
      try await monitor.waitForEmptyMempool(timeout: .milliseconds(100))
    }
    #expect(error?.kind == .timeout)
    other.cancel()
    await #expect(throws: CancellationError.self) { try await other.value }
  }

  @Test func `a server that does not answer a look is passed over, and its breaker opens`()
    async throws
  {
    let clock = ManualClock()
    let (silent, well) = (try await OgmiosServer(), try await OgmiosServer())
    let client = try Watched([silent.socketAddress, well.socketAddress], clock: clock) {
      $0.timeout = .seconds(30)
    }.client
    let monitor = client.monitored()
    silent.inject(.silence, into: "acquireMempool", times: 99)
    for round in 1...5 {
      let waiting = Task {
        try await client.mempoolMonitor.waitForEmptyMempool(timeout: .patience)
      }
      await silent.calls(atLeast: round)
      await clock.waiters(atLeast: 1, within: .seconds(30))
      clock.advance(by: .seconds(30))
      try await waiting.value
      #expect(well.calls.count { $0 == "sizeOfMempool" } == round)
    }
    #expect(client.status.endpoints[0].breaker != .closed)
    #expect(client.status.endpoints[0].lastError?.method == "sizeOfMempool")
    #expect(client.status.endpointInUse == well.socketAddress)
    #expect(monitor.status == .connected)
  }

  @Test(.requirement("D6"), arguments: [Duration.zero, .seconds(-1)])
  func `without time nothing is asked`(timeout: Duration) async throws {
    let server = try await OgmiosServer()
    let client = try Watched([server.socketAddress], retry: OgmiosPresets.fixedRetry()).client
    let errors = [
      await failure { try await client.chainSync.nextBlock(timeout: timeout) },
      await failure { try await client.chainSync.findIntersection([], timeout: timeout) },
      await failure { try await client.mempoolMonitor.acquire(timeout: timeout) },
      await failure { try await client.mempoolMonitor.waitForEmptyMempool(timeout: timeout) },
      await failure { try await client.transactions.submit(cbor: "84a0", timeout: timeout) },
      await failure { try await client.networkQuery.tip.execute(timeout: timeout) },
    ]
    #expect(errors.map { $0?.kind } == Array(repeating: .timeout, count: 6))
    #expect(errors.allSatisfy { $0?.appError.disposition == .transient() })
    #expect(errors.count { $0?.appError.mayHaveBeenSent == false } == 5)
    #expect(server.calls.isEmpty)
    #expect(client.status.connection == .disconnected)
  }

  @Test func `a mempool that does not empty is not waited for without end`() async throws {
    var ledger = OgmiosLedger()
    ledger.submit("00")
    let server = try await OgmiosServer(ledger: ledger)
    let monitor = try Watched([server.socketAddress]).client.mempoolMonitor
    let clock = ManualClock()
    async let ending = failure {
      try await monitor.waitForEmptyMempool(timeout: .milliseconds(1_500), clock: clock)
    }
    // Its own limit sleeps there, too.
    await clock.sleepers(atLeast: 2)
    clock.advance(by: .seconds(1))
    await server.calls(atLeast: 4)
    clock.advance(by: .milliseconds(500))
    #expect(await ending?.kind == .timeout)
    #expect(server.calls.count { $0 == "acquireMempool" } == 2)
  }

  @Test func `no connection is kept where looking fails, and where the wait is stopped`()
    async throws
  {
    var ledger = OgmiosLedger()
    ledger.submit("00")
    let server = try await OgmiosServer(ledger: ledger)
    let monitor = try Watched([server.socketAddress]).client.mempoolMonitor
    server.inject(.failure(.init(-32600)), into: "sizeOfMempool")
    let error = await failure {
      try await monitor.waitForEmptyMempool(timeout: .seconds(1), clock: ManualClock())
    }
    #expect(error?.code == -32600)
    #expect(server.calls == ["acquireMempool", "sizeOfMempool"])
    await server.log.first { $0 == .ended(connection: 0) }
    server.inject(.silence, into: "sizeOfMempool")
    let waiting = Task { try await monitor.waitForEmptyMempool(timeout: .patience) }
    await server.calls(atLeast: 4)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    await server.log.first { $0 == .ended(connection: 1) }
  }
}
