// SPDX-License-Identifier: Apache-2.0
// The examples on the page about breakers.

import Foundation
import Mainstay

func rules() -> CircuitBreaker {
  let breaker = CircuitBreaker(
    "catalog",
    .any(
      of: .consecutiveFailures(5), .failureRate(0.5, over: .time(.seconds(30))),
      .slowCalls(rate: 0.8, longerThan: .seconds(2), over: .count(100))))
  return breaker
}

func admitting(_ breaker: CircuitBreaker, _ receive: () async throws -> Void) async throws {
  let admission = try breaker.admit()
  do {
    try await receive()
    admission.succeed()
  } catch {
    admission.fail(error)
  }
}

func updating(_ breaker: CircuitBreaker) throws {
  var settings = breaker.configuration
  settings.breakFor = .seconds(20)
  try breaker.update(settings)
}

func keeping(_ breaker: CircuitBreaker, in file: URL) throws {
  try JSONEncoder().encode(breaker.snapshot(at: Date())).write(to: file)
  // After the next launch:
  let kept = try JSONDecoder().decode(CircuitBreaker.Snapshot.self, from: Data(contentsOf: file))
  try breaker.restore(kept, at: Date())
}
