// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// What a run is told about its surroundings.
@Suite(.requirement("C14", "O35"), .ends(withinMinutes: 5)) struct WorkerContextTests {
  private let shop: Workshop
  private let left = Box<[Duration?]>([])
  private let begun = Gate()
  private let gate = Gate()

  init() throws { shop = try Workshop() }

  @Test func `a run knows how long the drain goes on that it is in`() async throws {
    var shop = shop
    shop.configuration.startsPaused = true
    let outbox = try await shop.open(
      shop.worker { [left, begun, gate] _, context in
        left.change { $0.append(context.remainingTime) }
        begun.open()
        await gate.pass()
        left.change { $0.append(context.remainingTime) }
      })
    try await outbox.enqueue(Note(text: "a"))
    let drain = Task { try await outbox.drain(for: .seconds(25)) }
    await begun.pass()
    shop.clock.advance(by: .seconds(5))
    gate.open()
    #expect(try await drain.value.pending == 0)
    try await outbox.enqueue(Note(text: "b"))
    await outbox.wait { $0.pending == 0 }
    #expect(left.value == [.seconds(25), .seconds(20), nil, nil], "nothing ends what came later")
    await outbox.shutDown()
  }

  @Test func `a run knows how much patience a suspension has left for it`() async throws {
    let outbox = try await shop.open(
      shop.worker { [left, begun, gate] _, context in
        begun.open()
        await gate.pass()
        left.change { $0.append(context.remainingTime) }
      })
    try await outbox.enqueue(Note(text: "a"))
    await begun.pass()
    async let end: Void = outbox.suspend(within: .seconds(4))
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .seconds(1))
    gate.open()
    await end
    await outbox.resume()
    try await outbox.enqueue(Note(text: "b"))
    await outbox.wait { $0.pending == 0 }
    #expect(left.value == [.seconds(3), nil])
    await outbox.shutDown()
  }

  @Test func `a run beyond its limit is cancelled, counted, and reconciled before the next one`()
    async throws
  {
    let worker = shop.worker(
      reconcile: { [left] _, context in
        left.change { $0.append(context.remainingTime) }
        return .applied
      },
      { [left, begun] _, context in
        left.change { $0.append(context.remainingTime) }
        begun.open()
        try await untilCancelled()
      })
    let outbox = try await shop.open(
      worker.limited(to: Timeout(.seconds(30), clock: shop.clock)))
    let id = try await outbox.enqueue(Note(text: "a"))
    await begun.pass()
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .seconds(30))
    await outbox.wait { $0.scheduled == 1 }
    let operation = try #require(try await outbox.operation(id))
    #expect(operation.attempts == 1 && operation.effect == .sentUnknown)
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .seconds(1))
    await outbox.wait { $0.pending == 0 }
    #expect(left.value == [.seconds(30), .seconds(30)])
    #expect(try await outbox.ledger().count(.done) == 1)
    await outbox.shutDown()
  }

  @Test func `of the limits of an operation and its worker the shorter one holds`() async throws {
    let outbox = try await shop.open(
      shop.worker { [left] _, context in left.change { $0.append(context.remainingTime) } }
        .limited(to: Timeout(.seconds(30), clock: shop.clock)))
    for (text, limit) in [("short", 10), ("none", nil), ("long", 60)] {
      let options = EnqueueOptions(timeout: limit.map { .seconds($0) })
      try await outbox.enqueue(Note(text: text), options: options)
      await outbox.wait { $0.pending == 0 }
    }
    #expect(left.value == [.seconds(10), .seconds(30), .seconds(30)])
    await outbox.shutDown()
  }

  @Test func `a run beyond the limit of its operation is cancelled, also after a restart`()
    async throws
  {
    var paused = shop
    paused.configuration.startsPaused = true
    let first = try await paused.open(shop.worker { _, _ in })
    let id = try await first.enqueue(
      Note(text: "a"), options: EnqueueOptions(timeout: .seconds(20)))
    #expect(try await first.explain(id)?.timeout == .seconds(20))
    #expect(try await first.explain(id)?.obstacles == [.paused])
    await first.shutDown()
    let outbox = try await shop.open(
      shop.worker { [begun] _, _ in
        begun.open()
        try await untilCancelled()
      })
    await begun.pass()
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .seconds(20))
    await outbox.wait { $0.scheduled == 1 }
    let operation = try #require(try await outbox.operation(id))
    #expect(operation.attempts == 1 && operation.effect == .sentUnknown)
    #expect(operation.timeout == .seconds(20))
    await outbox.shutDown()
  }

  @Test func `a limit that is not legal stops the program, or is refused from outside`()
    async throws
  {
    await #expect(processExitsWith: .failure) { _ = EnqueueOptions(timeout: .zero) }
    await #expect(processExitsWith: .failure) {
      var options = EnqueueOptions()
      options.timeout = .seconds(-1)
    }
    var options = EnqueueOptions(timeout: .seconds(5))
    let error = #expect(throws: ConfigurationError.self) {
      try options.setTimeout(validating: .zero)
    }
    #expect(
      error?.violations.map(\.description) == [
        "timeout: 0.0 seconds is not legal: it must be more than zero, or nil for no limit"
      ])
    #expect(options.timeout == .seconds(5))
    try options.setTimeout(validating: .seconds(7))
    #expect(options.timeout == .seconds(7))
    try options.setTimeout(validating: nil)
    #expect(options.timeout == nil)
  }

  @Test func `what a run logs names its operation, its kind and its attempt, and no more`()
    async throws
  {
    let lines = Box<[Line]>([])
    var shop = shop
    shop.configuration.logger = Logger(label: "test") { _ in LineHandler(lines: lines) }
    let outbox = try await shop.open(
      shop.worker { note, context in
        context.logger.info("sending", metadata: ["size": "7"])
        if note.text == "a", context.attempt == 1 { throw AppError.test(.transient()) }
      })
    let id = try await outbox.enqueue(Note(text: "a"), orderedBy: "secret")
    await outbox.wait { $0.scheduled == 1 }
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .seconds(1))
    await outbox.wait { $0.pending == 0 }
    let expected = (1...2).map { attempt in
      Line(
        message: "sending",
        metadata: [
          "mainstay.operation": "\(id)", "mainstay.kind": "note",
          "mainstay.attempt": "\(attempt)", "size": "7",
        ])
    }
    // The outbox has the same log.
    #expect(lines.value.filter { $0.message == "sending" } == expected)
    await outbox.shutDown()
  }

  private struct Line: Equatable {
    let message: String
    let metadata: [String: String]
  }

  private struct LineHandler: LogHandler {
    let lines: Box<[Line]>
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let all = metadata.merging(event.metadata ?? [:]) { $1 }
      lines.change { lines in
        lines.append(Line(message: "\(event.message)", metadata: all.mapValues { "\($0)" }))
      }
    }
  }

  @Test func `a run sees how the device is connected, where its outbox has a monitor`()
    async throws
  {
    let seen = Box<[Connectivity?]>([])
    let source = ScriptedConnectivitySource(.online(by: .wifi, identity: "home"))
    let monitor = ConnectivityMonitor(source: source, clock: shop.clock, seed: 1)
    for monitor in [monitor, nil] {
      var shop = try Workshop()
      shop.configuration.connectivity = monitor
      let outbox = try await shop.open(
        shop.worker { _, context in seen.change { $0.append(context.connectivity) } })
      try await outbox.enqueue(Note(text: "a"))
      await outbox.wait { $0.pending == 0 }
      await outbox.shutDown()
    }
    monitor.shutDown()
    #expect(seen.value.count == 2 && seen.value.first??.interfaces == [.wifi])
    #expect(seen.value.last == .some(nil))
  }
}
