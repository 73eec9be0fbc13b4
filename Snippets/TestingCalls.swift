// SPDX-License-Identifier: Apache-2.0
// The examples in the documentation of how calls under policies are tested.

import Foundation
import Mainstay
import MainstayHTTP
import MainstayTesting

func payAfterFailure() async throws -> (receipt: Int, calls: Int) {
  let clock = ManualClock()
  let pipeline = Pipeline("pay", clock: clock) {
    Deadline(.seconds(30), clock: clock)
    Retry(backoff: .constant(.seconds(2), jitter: .none), clock: clock)
    Timeout(.seconds(10), clock: clock)
  }
  let plan = FailurePlan(
    [1: .fails(with: AppError.http(status: 503, isRepeatable: true))], clock: clock)
  async let receipt = pipeline.run { try await plan.run { 42 } }
  await clock.waiters(atLeast: 1, within: .seconds(2))
  clock.advance(by: .seconds(2))
  return (try await receipt, plan.passes)
}

func payDuringOutage() async -> (calls: Int, events: [PolicyEvent]) {
  let clock = ManualClock()
  let events = EventRecorder()
  let breaker = CircuitBreaker(
    "pay", .consecutiveFailures(3), breakFor: .seconds(20), clock: clock, observer: events)
  let service = ScriptedDependency(
    failures: .steps([(.zero, 1), (.seconds(60), 0)]), clock: clock, seed: 7)
  for _ in 1...100 {
    // Most of them fail: it is an outage.
    _ = try? await breaker.run { try await service.call() }
    clock.advance(by: .seconds(1))
  }
  return (service.calls.count, events.events)
}

func payWhileSlow(_ pay: @escaping @Sendable () async throws -> Int) async throws -> Int {
  let clock = ManualClock()
  let limit = Timeout(.seconds(10), clock: clock)
  let plan = FailurePlan([1: .hangs])
  async let receipt = limit.run { try await plan.run { try await pay() } }
  await clock.waiters(atLeast: 1)
  clock.advance(by: .seconds(10))
  return try await receipt
}

struct PlannedTransport: HTTPTransport {
  let plan: FailurePlan
  let reply: HTTPReply

  func send(_ transmission: HTTPTransmission) async throws -> HTTPReply {
    try await plan.run { reply }
  }
}

func notesAfterFailure(at address: URL) async throws -> (titles: [String], calls: Int) {
  let clock = ManualClock()
  let plan = FailurePlan([1: .fails(with: AppError.Network.offline)], clock: clock)
  let reply = HTTPReply(
    status: 200, headers: ["Content-Type": "application/json"],
    body: HTTPByteStream(Data("[]".utf8)))
  let notes = ResilientClient(
    "notes", at: address, over: PlannedTransport(plan: plan, reply: reply), clock: clock)
  async let titles = notes.get("/notes", as: [String].self)
  await clock.waiters(atLeast: 1, within: .seconds(2))
  clock.advance(by: .seconds(2))
  return (try await titles, plan.passes)
}
