// SPDX-License-Identifier: Apache-2.0
// The examples in the documentation of what tests are written with.

import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting

func failOnce(with error: AppError) async throws -> Int {
  let failing = FailingOnce(with: error)
  let pipeline = Pipeline("under test") {
    Retry(backoff: .none)
    failing
  }
  return try await pipeline.run { 42 }
}

func advance(
  _ retry: Retry, _ flaky: @escaping @Sendable () async throws -> Int
) async throws -> Int {
  let clock = ManualClock()
  async let result = retry.run { try await flaky() }
  await clock.waiters(atLeast: 1)
  clock.advance(by: .seconds(1))
  return try await result
}

func script(_ pipeline: Pipeline<Retry>, clock: ManualClock) async throws -> Int {
  let service = ScriptedDependency(
    latency: .constant(0.05), failures: .steps([(.seconds(10), 1), (.seconds(40), 0)]),
    clock: clock, seed: 7)
  try await pipeline.run { try await service.call() }
  return service.calls.count
}

nonisolated enum EditList: CoalescingOperation, Equatable {
  static let kind: OperationKind = "edit-list"
  case add(Int), set(Int)

  static func random(using generator: inout SeededGenerator) -> EditList {
    let number = Int.random(in: 0...3, using: &generator)
    return Bool.random(using: &generator) ? .add(number) : .set(number)
  }

  func coalesced(with later: EditList) -> Coalesced<EditList> { .keepBoth }
}

extension [Int] {
  nonisolated mutating func apply(_ operation: EditList) {
    switch operation {
    case .add(let number): append(number)
    case .set(let number): self = [number]
    }
  }
}

func checkLaw() -> [LawViolation] {
  let law = CompactionLaw<EditList, [Int]>(
    operation: { .random(using: &$0) }, state: { [Int.random(in: 0...9, using: &$0)] },
    apply: { $0.apply($1) })
  let violations = law.violations(cases: 1_000)
  return violations
}
