// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayHTTPTesting
import MainstayJSONRPC
import MainstayOgmios
import MainstayTesting
import TestSupport
import Testing

/// A gateway that has passed each request on, and answers it with a page.
private struct Gateway: HTTPTransport {
  let status: Int
  let log: Log

  func send(_ transmission: HTTPTransmission) async throws -> HTTPReply {
    log.add(transmission.url.host() ?? "")
    return HTTPReply(
      status: status, headers: ["Content-Type": "text/html"],
      body: HTTPByteStream(Data("<html>".utf8)))
  }
}

@Suite(.ends(withinMinutes: 3)) struct OgmiosTransactionTests {
  private let cbor = "84a0"
  private var id: String { OgmiosLedger.transactionID(of: cbor) }

  @Test func `a transaction is sent and tried out`() async throws {
    let server = try await OgmiosServer()
    let transactions = try Watched([server.socketAddress]).client.transactions
    #expect(try await transactions.submit(cbor: cbor) == id)
    #expect(server.ledger.mempool.map(\.cbor) == [cbor])
    #expect(try await transactions.evaluate(cbor: cbor).map(\.purpose) == ["spend"])
  }

  @Test(.requirement("D1"), arguments: ["", "8", "84A0", "zz", "84 a0"])
  func `what is no transaction is not sent`(cbor: String) async throws {
    let server = try await OgmiosServer()
    let transactions = try Watched([server.socketAddress]).client.transactions
    #expect(await failure { try await transactions.submit(cbor: cbor) }?.kind == .invalidFormat)
    #expect(await failure { try await transactions.evaluate(cbor: cbor) }?.kind == .invalidFormat)
    #expect(server.calls.isEmpty)
  }

  @Test func `a second submission is looked up before anybody calls it a failure`() async throws {
    let server = try await OgmiosServer()
    let transactions = try Watched([server.socketAddress], retry: OgmiosPresets.fixedRetry())
      .client.transactions
    try await transactions.submit(cbor: cbor)
    let blind = await failure { try await transactions.submit(cbor: cbor) }
    #expect(blind?.code == 3117)
    #expect(blind?.appError.disposition == .unknownOutcome)
    #expect(try await transactions.submit(cbor: cbor, id: id) == id)
    #expect(try await transactions.find(id) == .mempool)
    server.change { $0.forge() }
    #expect(try await transactions.submit(cbor: cbor, id: id) == id)
    #expect(try await transactions.find(id) == .chain)
    #expect(try await transactions.find("ff") == .unknown)
    // Nobody keeps a connection for that, nor what it holds.
    for look in 1...5 { await server.log.first { $0 == .ended(connection: look) } }
    #expect(!server.log.events.contains(.ended(connection: 0)))
  }

  @Test(
    arguments: [OgmiosServer.Fault.hangUp, .reset, .nodeLost, .failure(.init(-32603))],
    [IdempotencyKey?.none, IdempotencyKey("a")])
  func `an answer that was lost is looked up, and nothing is sent twice`(
    fault: OgmiosServer.Fault, within effect: IdempotencyKey?
  ) async throws {
    let server = try await OgmiosServer()
    let other = try await OgmiosServer()
    let client = try Watched(
      [server.socketAddress, other.socketAddress], retry: OgmiosPresets.fixedRetry()
    ).client
    server.inject(fault, into: "submitTransaction", takesEffect: true)
    // What repeats an effect by its key, such as an outbox, is around it or not.
    let name = try await IdempotencyKey.$current.withValue(effect) {
      try await client.transactions.submit(cbor: cbor, id: id)
    }
    #expect(name == id)
    #expect(server.calls.count { $0 == "submitTransaction" } == 1)
    #expect(other.calls.count { $0 == "submitTransaction" } == 0)
  }

  @Test(arguments: [OgmiosServer.Fault.hangUp, .reset, .failure(.init(-32603))])
  func `what repeats everything does not repeat a transaction that may have arrived`(
    fault: OgmiosServer.Fault
  ) async throws {
    let (server, other) = (try await OgmiosServer(), try await OgmiosServer())
    let retry = Retry(maximumAttempts: 3, backoff: .none, retryIf: .anythingButCancellation)
    let client = try Watched([server.socketAddress, other.socketAddress], retry: retry).client
    server.inject(fault, into: "submitTransaction", takesEffect: true)
    let error = await failure { try await client.transactions.submit(cbor: cbor) }
    #expect(error?.appError.disposition == .unknownOutcome)
    #expect((server.calls + other.calls).count { $0 == "submitTransaction" } == 1)
    // A refusal is repeated, as the retry says.
    server.inject(.failure(.init(9999)), into: "submitTransaction")
    let next = try await client.transactions.submit(cbor: "84a1")
    #expect(next == OgmiosLedger.transactionID(of: "84a1"))
  }

  @Test(arguments: [-32001, 4290])
  func `what a server says as it closes is no refusal of a transaction`(code: Int) async throws {
    let (server, other) = (try await OgmiosServer(), try await OgmiosServer())
    let retry = Retry(maximumAttempts: 3, backoff: .none, retryIf: .anythingButCancellation)
    let client = try Watched([server.socketAddress, other.socketAddress], retry: retry).client
    let fault = OgmiosServer.Fault.close(code: 1000, reason: #"{"code":\#(code),"message":"x"}"#)
    server.inject(fault, into: "submitTransaction", takesEffect: true)
    let error = await failure { try await client.transactions.submit(cbor: cbor) }
    #expect(error?.code == Int64(code))
    #expect(error?.appError.disposition == .unknownOutcome)
    #expect((server.calls + other.calls).count { $0 == "submitTransaction" } == 1)
    server.inject(fault, into: "submitTransaction", takesEffect: true)
    let id = OgmiosLedger.transactionID(of: "84a1")
    #expect(try await client.transactions.submit(cbor: "84a1", id: id) == id)
    #expect((server.calls + other.calls).count { $0 == "submitTransaction" } == 2)
  }

  @Test func `a look asks all endpoints side by side, and ends in time`() async throws {
    let clock = ManualClock()
    let (first, second) = (try await OgmiosServer(), try await OgmiosServer())
    let client = try Watched(
      [first.socketAddress, second.socketAddress], retry: OgmiosPresets.fixedRetry(clock: clock),
      clock: clock
    ) { $0.timeout = .seconds(30) }.client
    first.inject(.silence, into: "submitTransaction", takesEffect: true)
    for server in [first, second] { server.inject(.silence, into: "acquireMempool", times: 9) }
    let sending = Task {
      await failure {
        try await client.transactions.submit(cbor: cbor, id: id, timeout: .seconds(5))
      }
    }
    await first.calls(atLeast: 1)
    await clock.waiters(atLeast: 1, within: .seconds(5))
    clock.advance(by: .seconds(5))
    await first.calls(atLeast: 2)
    await second.calls(atLeast: 1)
    await clock.waiters(atLeast: 1, within: .seconds(30))
    clock.advance(by: .seconds(30))
    let error = await sending.value
    #expect(error?.kind == .timeout)
    #expect(error?.method == "submitTransaction")
    #expect(error?.appError.disposition == .unknownOutcome)
    #expect(error?.appError.metadata["ogmios.look"]?.isEmpty == false)
  }

  @Test func `one endpoint that has the transaction is enough, whatever the others do`()
    async throws
  {
    let (first, second) = (try await OgmiosServer(), try await OgmiosServer())
    let client = try Watched([first.socketAddress, second.socketAddress], clock: ManualClock())
      .client
    first.inject(.hangUp, into: "submitTransaction")
    first.inject(.silence, into: "acquireMempool")
    second.change { $0.submit("84a0") }
    #expect(try await client.transactions.submit(cbor: cbor, id: id) == id)
  }

  @Test func `a look sees what views from before do not, and leaves them as they are`()
    async throws
  {
    let server = try await OgmiosServer()
    let client = try Watched([server.socketAddress]).client
    let point = try await client.ledgerState.acquire()
    try await client.mempoolMonitor.acquire()
    // The connection with the views stays.
    server.inject(.failure(.init(-32603)), into: "submitTransaction", takesEffect: true)
    #expect(try await client.transactions.submit(cbor: cbor, id: id) == id)
    #expect(try await client.transactions.find(id) == .mempool)
    server.change { $0.forge() }
    #expect(try await client.transactions.find(id) == .chain)
    let outputs = client.ledgerStateQuery.utxo([OgmiosOutputReference(transaction: id, index: 0)])
    #expect(try await outputs.execute().isEmpty)
    #expect(try await client.ledgerStateQuery.tip.execute() == point)
    #expect(try await client.mempoolMonitor.nextTransaction() == nil)
    #expect(server.calls.count { $0 == "acquireLedgerState" } == 1)
  }

  @Test func `each endpoint is asked by itself, whichever has the view of the mempool`()
    async throws
  {
    let (first, second) = (try await OgmiosServer(), try await OgmiosServer())
    let client = try Watched([first.socketAddress, second.socketAddress]).client
    try await client.mempoolMonitor.acquire()
    second.change { $0.submit("84a0") }
    #expect(try await client.transactions.find(id) == .mempool)
    #expect(first.calls.count { $0 == "hasTransaction" } == 1)
    #expect(second.calls == ["acquireMempool", "hasTransaction"])
    #expect(try await client.mempoolMonitor.size().transactions == 0)
  }

  @Test func `a look restores nothing, whatever the options say`() async throws {
    let server = try await OgmiosServer()
    let client = try Watched([server.socketAddress]) {
      $0.webSocket.restore = { _ in throw AppError.server(code: 503) }
    }.client
    server.change { $0.submit("84a0") }
    #expect(try await client.transactions.find(id) == .mempool)
  }

  @Test func `a client that is closed looks no more`() async throws {
    let server = try await OgmiosServer()
    let client = try Watched([server.socketAddress]).client
    server.inject(.silence, into: "hasTransaction")
    let looking = Task { try await client.transactions.find(id) }
    await server.calls(atLeast: 2)
    client.close()
    await #expect(throws: (any Error).self) { try await looking.value }
    await #expect(throws: (any Error).self) { try await client.transactions.find(id) }
    #expect(server.calls == ["acquireMempool", "hasTransaction"])
  }

  @Test(arguments: [200, 303])
  func `after a page over TLS a transaction goes to nobody else`(status: Int) async throws {
    let log = Log()
    let endpoints = ["https://first.example", "https://second.example"]
    let client = try Watched(endpoints, retry: OgmiosPresets.fixedRetry()) {
      $0.transport = Gateway(status: status, log: log)
    }.client
    let error = await failure { try await client.transactions.submit(cbor: cbor) }
    #expect(error?.kind == .http)
    #expect(error?.appError.kind == .portal)
    #expect(error?.appError.disposition == .unknownOutcome)
    #expect(log.lines == ["first.example"])
  }

  @Test func `what is nowhere stays open`() async throws {
    let server = try await OgmiosServer()
    let client = try Watched([server.socketAddress], retry: OgmiosPresets.fixedRetry()).client
    server.inject(.hangUp, into: "submitTransaction")
    let error = await failure { try await client.transactions.submit(cbor: cbor, id: id) }
    #expect(error?.kind == .websocket)
    #expect(error?.appError.disposition == .unknownOutcome)
    server.inject(.failure(.init(3997, data: #"{"error":"no"}"#)), into: "submitTransaction")
    let refused = await failure { try await client.transactions.submit(cbor: cbor, id: id) }
    #expect(refused?.code == 3997)
    #expect(refused?.appError.disposition == .unknownOutcome)
  }

  @Test(.requirement("D2")) func `over HTTP a refusal is an answer, whatever its status`()
    async throws
  {
    let server = try await OgmiosServer()
    let client = try Watched([server.httpAddress]).client
    #expect(try await client.transactions.submit(cbor: cbor) == id)
    let error = await failure { try await client.transactions.submit(cbor: cbor) }
    #expect(error?.kind == .response)
    #expect(error?.code == 3117)
    #expect(error?.data?["unknownOutputReferences"]?.array?.count == 1)
    #expect(client.status.connection == .connected)
    server.change { $0.forge() }
    #expect(try await client.transactions.submit(cbor: cbor, id: id) == id)
  }

  @Test(.requirement("D1")) func `what needs a lasting connection says so over HTTP`() async throws
  {
    let server = try await OgmiosServer()
    let client = try Watched([server.httpAddress]).client
    let errors = [
      await failure { try await client.chainSync.nextBlock() },
      await failure { try await client.mempoolMonitor.acquire() },
      await failure { try await client.ledgerState.acquire() },
    ]
    #expect(errors.map { $0?.kind } == [.invalidMethod, .invalidMethod, .invalidMethod])
    #expect(errors.allSatisfy { $0?.appError.disposition == .permanent })
    #expect(server.calls.isEmpty)
    #expect(try await client.ledgerStateQuery.epoch.execute() == 512)
  }
}
