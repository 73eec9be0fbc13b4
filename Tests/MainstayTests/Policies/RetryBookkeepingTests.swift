// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Retries by the name of an operation, three attempts each: nothing of a call outlives it.
@Suite(.requirement("A7", "T7")) struct RetryBookkeepingTests {
  enum Ending: CaseIterable {
    case success, exhaustion, permanentError, cancellation

    var calls: Int {
      switch self {
      case .success, .exhaustion: 3
      case .permanentError: 2
      case .cancellation: 1
      }
    }

    func answer(call: Int) throws {
      switch self {
      case .success where call == 3: return
      case .permanentError where call == 2: throw AppError.http(status: 404)
      default: throw AppError.http(status: 503, isRepeatable: true)
      }
    }
  }

  private let clock = ManualClock()
  private let retries: PolicyRegistry<String, Retry>

  init() {
    let clock = clock
    retries = PolicyRegistry("operations", maximumCount: 2, clock: clock) { name in
      Retry(maximumAttempts: 3, backoff: .constant(.seconds(1)), name: name, clock: clock)
    }
  }

  /// Makes one call and says how often it ran.
  private func calls(_ ending: Ending) async -> Int {
    let count = Locked(0)
    let retries = retries
    let run = Task {
      try await retries.run("save") {
        try ending.answer(
          call: count.withLock {
            $0 += 1
            return $0
          })
      }
    }
    for _ in 1..<max(ending.calls, 2) {
      await clock.sleepers(atLeast: 1)
      if ending == .cancellation { run.cancel() } else { clock.advance(by: .seconds(1)) }
    }
    let result = await run.result
    #expect((try? result.get()) == nil || ending == .success)
    return count.withLock { $0 }
  }

  @Test(arguments: Ending.allCases)
  func `nothing is left of a call, however it ended`(_ ending: Ending) async {
    #expect(await calls(ending) == ending.calls)
    #expect(clock.sleeperCount == 0, "no wait goes on")
    #expect(Retry.currentAttempt == 1, "no mark stays behind")
    #expect(await calls(ending) == ending.calls, "the next call has all its attempts again")
  }

  @Test func `many operations leave no more than the registry keeps`() async throws {
    for number in 0..<1_000 { try await retries.run("operation \(number)") {} }
    #expect(retries.keys.count == 2)
  }
}
