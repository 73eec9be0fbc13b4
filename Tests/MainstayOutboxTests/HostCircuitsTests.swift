// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

private struct Other: QueuedOperation {
  static let kind: OperationKind = "other"
  static let lane: Lane = "others"
}

private struct Elsewhere: QueuedOperation {
  static let kind: OperationKind = "elsewhere"
  static let lane: Lane = "elsewhere"
}

/// One circuit for each host, which the outbox makes.
@Suite(.requirement("C14", "O11"), .ends(withinMinutes: 5)) struct HostCircuitsTests {
  private let shop: Workshop

  init() throws { shop = try Workshop() }

  @Test func `kinds that call one host are behind one circuit, and others go on`() async throws {
    var shop = shop
    let clock = shop.clock
    shop.configuration.circuitOfHost = { host in
      CircuitBreaker(
        host, .consecutiveFailures(1), breakFor: .seconds(30), breakJitter: 0, clock: clock)
    }
    let isDown = Box(true)
    let outbox = try await shop.open(
      shop.worker { _, _ in if isDown.value { throw AppError.test(.transient()) } }
        .calling("api.example.com"),
      Worker(for: Other.self) { _, _ in }.calling("API.example.com"),
      Worker(for: Elsewhere.self) { _, _ in }.calling("cdn.example.com"))
    #expect(Set(outbox.circuits.keys) == ["api.example.com", "cdn.example.com"])
    try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "failed")
    #expect(outbox.circuits["api.example.com"]?.state == .open(retryAfter: .seconds(30)))
    let other = try await outbox.enqueue(Other())
    await shop.log.wait(for: "heldBack")
    try await outbox.enqueue(Elsewhere())
    await outbox.wait { $0.pending == 2 }
    #expect(shop.log.count("started") == 2, "nothing of the other kind has begun")
    let explanation = try #require(try await outbox.explain(other))
    let open = Obstacle.circuitIsOpen("api.example.com", .seconds(30))
    #expect(explanation.obstacles.last == open)
    #expect(
      open.description == "Calls of “api.example.com” have failed, so it is left alone; the next "
        + "try in 30.0 seconds.")
    #expect(explanation.earliest != nil, "its lane has a date")
    isDown.value = false
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(30))
    await outbox.wait { $0.pending == 0 }
    #expect(outbox.circuits["api.example.com"]?.state == .closed)
    await outbox.shutDown()
  }

  @Test func `as many begin as may try out a host, whatever their kinds`() async throws {
    var shop = shop
    shop.configuration.startsPaused = true
    let gate = Gate()
    let outbox = try await shop.open(
      shop.worker { _, _ in await gate.pass() }.calling("host"),
      Worker(for: Other.self) { _, _ in await gate.pass() }.calling("host"))
    for text in ["a", "b"] { try await outbox.enqueue(Note(text: text)) }
    for _ in 1...2 { try await outbox.enqueue(Other()) }
    outbox.circuits["host"]?.open(for: .zero)
    await outbox.resume()
    await shop.log.wait(for: "started")
    await outbox.wait { $0.running == 1 && $0.ready == 3 }
    for operation in try await outbox.operations() where operation.state != .leased {
      #expect(try await outbox.explain(operation.id)?.obstacles == [.circuitIsProbed])
    }
    gate.open()
    await outbox.wait { $0.pending == 0 }
    #expect(shop.log.count("heldBack") == 0)
    await outbox.shutDown()
  }

  @Test func `a circuit goes by the clock of its outbox`() async throws {
    let outbox = try await shop.open(shop.worker { _, _ in }.calling("host"))
    let circuit = try #require(outbox.circuits["host"])
    circuit.open(for: .seconds(30))
    shop.clock.advance(by: .seconds(20))
    #expect(circuit.state == .open(retryAfter: .seconds(10)))
    await outbox.shutDown()
  }

  @Test func `what is isolated by hand is told as that`() async throws {
    let outbox = try await shop.open(shop.worker { _, _ in }.calling("host"))
    let isolation = outbox.circuits["host"]?.isolate()
    let id = try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "heldBack")
    let obstacles = try #require(try await outbox.explain(id)?.obstacles)
    #expect(obstacles.contains(.circuitIsOpen("host", nil)))
    isolation?.end()
    await outbox.shutDown()
  }

  @Test func `a worker that is guarded by a circuit of its own stays behind that`() async throws {
    let own = CircuitBreaker("own", clock: shop.clock)
    let outbox = try await shop.open(
      shop.worker { _, _ in }.guarded(by: own).calling("host"),
      Worker(for: Other.self) { _, _ in }.calling("elsewhere").guarded(by: own))
    #expect(outbox.circuits.isEmpty)
    await outbox.shutDown()
  }

  @Test func `payloads of older forms are behind the circuit of their kind`() async throws {
    struct Newer: QueuedOperation {
      static let kind: OperationKind = "form"
      static let version = 2
    }
    struct Older: QueuedOperation {
      static let kind: OperationKind = "form"
    }
    let workers = Worker(for: Newer.self) { _, _ in }.calling("host")
      .upcasting(from: Older.self) { _ in Newer() }
    let outbox = try await shop.open(workers[0], workers[1])
    outbox.circuits["host"]?.open(for: .seconds(30))
    try await outbox.enqueue(Older())
    await shop.log.wait(for: "heldBack")
    #expect(shop.log.count("started") == 0)
    await outbox.shutDown()
  }

  @Test func `a host without a name stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = Worker(for: Other.self) { _, _ in }.calling(" ")
    }
  }

  @Test func `how circuits are made stays what an outbox was opened with`() async throws {
    let outbox = try await shop.open(shop.worker { _, _ in })
    var settings = outbox.configuration
    settings.circuitOfHost = { CircuitBreaker($0) }
    let error = #expect(throws: ConfigurationError.self) { try outbox.update(settings) }
    #expect(error?.violations.map(\.option) == ["circuitOfHost"])
    await outbox.shutDown()
  }
}
