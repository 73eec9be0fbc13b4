// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayAsyncHTTPClient
import MainstayHTTP
import MainstayHTTPTesting
import MainstayTesting
import TestSupport
import Testing

/// A client, a service, and a proxy between them that does harm.
@Suite struct FaultyRequestsTests {
  /// Faults that end by themselves, so that no time limit has to pass.
  private static let faults: [Fault] = [
    .none, .ended(.reset), .ended(.finish), .cut(.request, after: 0, by: .reset),
    .cut(.request, after: 40, by: .finish), .cut(.request, after: 120, by: .reset),
    .cut(.response, after: 0, by: .finish), .cut(.response, after: 9, by: .reset),
    .cut(.response, after: 100, by: .finish), .swallowedAnswer(then: .reset),
    .swallowedAnswer(then: .finish), .garbage(Array("no HTTP at all\r\n\r\n".utf8)),
    .corruption(.response, at: 0), .halfClose(.request, after: 30),
  ]

  @Test(
    .requirement("D38", "A47", "T20"), .ends(withinMinutes: 10), arguments: [false, true])
  func `each request ends in an answer or in its error, and nothing is left behind`(
    _ overNIO: Bool
  ) async throws {
    let count = RandomDose.isTorture ? 10_000 : 300
    let service = try await ScriptedHTTPServer { request, _ in
      .reply(
        200, headers: [("Content-Type", "application/json")],
        body: Data(String(repeating: " ", count: 200).utf8) + Data("[1]".utf8))
    }
    let proxy = try await FaultProxy(to: service.port, seed: 7) { number in
      Self.faults[number % Self.faults.count]
    }
    let address = try #require(URL(string: proxy.origin))
    let (memory, unsent) = (Memory(), Log())
    do {
      let transport: any HTTPTransport =
        overNIO ? AsyncHTTPClientTransport() : URLSessionTransport()
      let client = ResilientClient("faulty", at: address, over: transport) { _ in
        Pipeline("faulty") { Timeout(.patience) }
      }
      try await run(client, 0..<count / 3, unsent)
      memory.begin()
      try await run(client, count / 3..<count, unsent)
    }
    // With the client its connections go, whatever was wrong with them.
    await proxy.log.first { _ in proxy.openConnections == 0 }
    await service.log.first { _ in service.openConnections == 0 }
    // Not even later: now nothing is on its way any more.
    let arrived = Set(service.received.map(\.path))
    #expect(!arrived.isEmpty && arrived.isDisjoint(with: unsent.lines))
    if RandomDose.isTorture { #expect(memory.grown < 50_000_000, "\(memory.grown) bytes") }
  }

  private func run(
    _ client: ResilientClient, _ numbers: Range<Int>, _ unsent: Log
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in numbers {
        if number >= numbers.lowerBound + 8 { try await group.next() }
        group.addTask { try await Self.call(client, number, unsent) }
      }
      try await group.waitForAll()
    }
  }

  /// One request; what it ends in is of the right kind.
  private static func call(_ client: ResilientClient, _ number: Int, _ unsent: Log) async throws {
    let isWrite = number % 2 == 0
    var request = ResilientClient.Request(isWrite ? .post : .get, "/books/\(number)")
    if isWrite { request.body = .json(["title": "Dune"]) }
    do throws(AppError) {
      let response = try await client.send(request)
      #expect(response.body.count == 203)
    } catch {
      if !error.mayHaveBeenSent { unsent.add("/books/\(number)") }
      #expect([.network, .decoding].contains(error.kind), "\(error)")
      switch error.disposition {
      case .unknownOutcome: #expect(isWrite && error.mayHaveBeenSent, "\(error)")
      case .transient: #expect(!isWrite || !error.mayHaveBeenSent, "\(error)")
      case .permanent: #expect(error.kind == .decoding, "\(error)")
      default: Issue.record("\(error)")
      }
    }
  }

  @Test(
    .requirement("D38", "T20"), .ends(withinMinutes: 5), arguments: [false, true],
    [
      .drip(bytes: 1, every: .seconds(1)), .stall(.request, after: 20), .stall(.response, after: 9),
      .blackHole, .swallowedAnswer(then: nil),
    ] as [Fault])
  func `what drips, or goes one way alone, ends at the time limit`(
    _ overNIO: Bool, _ fault: Fault
  ) async throws {
    let service = try await ScriptedHTTPServer { _, _ in .reply(200, body: Data("[1]".utf8)) }
    let transport: any HTTPTransport =
      overNIO ? AsyncHTTPClientTransport() : URLSessionTransport()
    for isWrite in [false, true] {
      let proxy = try await FaultProxy(to: service.port, seed: 7) { _ in fault }
      let clock = ManualClock()
      let client = ResilientClient(
        "slow", at: try #require(URL(string: proxy.origin)), over: transport
      ) { _ in Pipeline("slow") { Timeout(.seconds(5), clock: clock) } }
      var request = ResilientClient.Request(isWrite ? .post : .get, "/books")
      if isWrite { request.body = .json(["title": "Dune"]) }
      async let outcome = Self.failure(of: client, request)
      // What was sent has reached the proxy, so a write may have had its effect.
      await proxy.log.first { $0 == .asked(0) }
      await clock.sleepers(atLeast: 1)
      clock.advance(by: .seconds(5))
      let error = await outcome
      #expect(error?.kind == .timeout)
      #expect(error?.disposition == (isWrite ? .unknownOutcome : .transient(retryAfter: nil)))
      // What has come so far goes on to drip to the service, though nobody waits any more.
      await proxy.log.first { $0 == .left(0) || proxy.openConnections == 0 }
    }
  }

  private static func failure(
    of client: ResilientClient, _ request: ResilientClient.Request
  ) async -> AppError? {
    do throws(AppError) {
      _ = try await client.send(request)
      return nil
    } catch {
      return error
    }
  }

  @Test(.requirement("D38"), .ends(withinMinutes: 5), arguments: [false, true])
  func `an answer of 100 MB is streamed, and refused where it is not wanted`(
    _ overNIO: Bool
  ) async throws {
    let length = RandomDose.isTorture ? 100_000_000 : 18_000_000
    let service = try await ScriptedHTTPServer { request, _ in
      .reply(
        200, streaming: .pattern(count: length),
        framing: request.path == "/chunked" ? .chunked(size: 60_000) : .length)
    }
    let transport: any HTTPTransport =
      overNIO ? AsyncHTTPClientTransport() : URLSessionTransport()
    let client = ResilientClient(
      "large", at: try #require(URL(string: service.origin)), over: transport
    ) { _ in Pipeline("large") {} }
    for path: HTTPPath in ["/whole", "/chunked"] {
      let error = await #expect(throws: AppError.self) {
        try await client.send(.init(.get, path))
      }
      #expect(error?.kind == .decoding)
      let answer = try await client.stream(.init(.get, path))
      var (count, isRight) = (0, true)
      for try await part in answer.body {
        isRight = isRight && part.first == UInt8(count % 251)
        count += part.count
      }
      #expect(count == length)
      #expect(isRight)
    }
  }
}

/// How much memory the process has come to hold since a moment.
private final class Memory: Sendable {
  private let start = Locked(0)

  func begin() { start.withLock { $0 = Self.resident } }

  var grown: Int { Self.resident - start.withLock { $0 } }

  private static var resident: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * 4_096
  }
}
