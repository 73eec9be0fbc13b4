// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// One limit for all calls to the service.
@Suite(.ends(withinMinutes: 5)) struct PaceTests {
  private func put(_ client: UpstreamClient) async throws -> TwinWrite {
    try await client.put(UUID(), Data("{}".utf8), ifVersion: nil, key: IdempotencyKey())
  }

  @Test(arguments: [429, 503])
  func `a wait that a write was told holds reads and lookups back too`(_ status: Int) async throws {
    let clock = ManualClock()
    let service = try await ScriptedService(
      status: status, headers: ["Retry-After": "9"], type: "application/problem+json",
      clock: clock)
    let first = await #expect(throws: AppError.self) { try await put(service.client) }
    #expect(first?.httpStatus == status)
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await service.client.twin(UUID()) },
      { _ = try await service.client.changes(since: nil) },
      { _ = try await service.client.effect(of: IdempotencyKey()) },
      { _ = try await put(service.client) },
    ]
    for call in calls {
      let error = await #expect(throws: AppError.self) { try await call() }
      #expect(error?.code == "inventory.paced")
      #expect(error?.disposition == .throttled(retryAfter: .seconds(9)))
    }
    clock.advance(by: .seconds(9))
    let later = await #expect(throws: AppError.self) { try await service.client.twin(UUID()) }
    #expect(later?.httpStatus == status)
    await service.end()
  }

  @Test func `a service is never left alone for longer than is set`() async throws {
    let clock = ManualClock()
    let service = try await ScriptedService(
      status: 429, headers: ["Retry-After": "31536000"], clock: clock)
    _ = await #expect(throws: AppError.self) { try await put(service.client) }
    let error = await #expect(throws: AppError.self) { try await put(service.client) }
    #expect(error?.disposition == .throttled(retryAfter: .seconds(300)))
    await service.end()
  }

  @Test func `calls wait for their turn under an announced limit`() async throws {
    let clock = ManualClock()
    let service = try await ScriptedService(
      status: 404, headers: ["RateLimit-Policy": "\"requests\";q=10;w=1"],
      type: "application/problem+json", clock: clock)
    #expect(try await service.client.twin(UUID()) == nil)
    async let second = service.client.twin(UUID())
    async let third = service.client.twin(UUID())
    await clock.sleepers(atLeast: 2)
    #expect(clock.nextWakeUp == .milliseconds(105))
    clock.advance(by: .milliseconds(105))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .milliseconds(105))
    #expect(try await second == nil)
    #expect(try await third == nil)
    await service.end()
  }

  @Test func `who stops waiting gives the turn back`() async throws {
    let clock = ManualClock()
    let service = try await ScriptedService(
      status: 404, headers: ["RateLimit-Policy": "\"requests\";q=10;w=1"],
      type: "application/problem+json", clock: clock)
    #expect(try await service.client.twin(UUID()) == nil)
    let waiting = Task { try await service.client.twin(UUID()) }
    await clock.sleepers(atLeast: 1)
    waiting.cancel()
    let error = await #expect(throws: AppError.self) { try await waiting.value }
    #expect(error?.isCancellation == true)
    async let next = service.client.twin(UUID())
    await clock.sleepers(atLeast: 1)
    #expect(clock.nextWakeUp == .milliseconds(105))
    clock.advance(by: .milliseconds(105))
    #expect(try await next == nil)
    await service.end()
  }

  @Test func `a page to sign in holds nothing back`() async throws {
    let clock = ManualClock()
    let service = try await ScriptedService(
      status: 200,
      headers: ["Retry-After": "60", "RateLimit-Policy": "\"requests\";q=1;w=60"],
      body: "<html>", type: "text/html", clock: clock)
    for _ in 0..<3 {
      let error = await #expect(throws: AppError.self) { try await put(service.client) }
      #expect(error?.kind == .portal)
    }
    await service.end()
  }
}
