// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct BoundPipelineTests {
  /// Whoever keeps a bound pipeline names none of its stages.
  struct Catalog: Sendable {
    let title: BoundPipeline<Int, String>
    let isOpen: BoundPipeline<Void, Bool>
    let guardian: any Policy
  }

  @Test func `is kept in a property and called like a function`() async throws {
    let catalog = Catalog(
      title: Pipeline("catalog") { Retry(backoff: .none) }.bind { isbn in "Book \(isbn)" },
      isOpen: Pipeline("hours") {}.bind { true },
      guardian: Pipeline("any") { Timeout(.seconds(30)) })
    #expect(try await catalog.title(3) == "Book 3")
    #expect(try await catalog.isOpen())
    #expect(try await catalog.guardian.run { 42 } == 42)
    #expect(catalog.title.name == "catalog")
  }

  @MainActor @Test func `any policy falls back where its caller is, and never for a cancellation`()
    async throws
  {
    let policies: [any Policy] = [
      Pipeline("any") { Timeout(.seconds(30)) }, Timeout(.seconds(30)), Retry(backoff: .none),
    ]
    var seen: [Int?] = []  // of the main actor
    for policy in policies {
      let fallen = try await policy.run { () -> Int in
        throw AppError.http(status: 404)
      } fallback: { error in
        seen.append((error as? AppError)?.httpStatus)
        return 2
      }
      let succeeded = try await policy.run {
        1
      } fallback: { _ in
        2
      }
      #expect(fallen == 2 && succeeded == 1)
      await #expect(throws: CancellationError.self) {
        _ = try await policy.run { () -> Int in
          throw CancellationError()
        } fallback: { _ in
          2
        }
      }
    }
    #expect(seen == [404, 404, 404])
  }

  @Test func `every call goes through all stages`() async throws {
    let calls = Log()
    let load = Pipeline("load") {
      Retry(maximumAttempts: 3, backoff: .none)
    }.bind { (isbn: Int) in
      calls.add("\(isbn)")
      if calls.lines.count < 3 { throw AppError.http(status: 503, isRepeatable: true) }
      return isbn
    }
    #expect(try await load(7) == 7)
    #expect(calls.lines == ["7", "7", "7"])
    #expect(load.explain().maximumCalls == 3)
  }

  @Test func `falls back with the input of the call`() async throws {
    let load = Pipeline("load") {}.bind { (_: Int) -> String in
      throw AppError.http(status: 404)
    } fallback: { isbn, error in
      "\(isbn): \((error as? AppError)?.httpStatus ?? 0)"
    }
    #expect(try await load(7) == "7: 404")
  }

  @Test func `a fallback takes its time outside of all limits`() {
    let plain = Pipeline("plain") { Timeout(.seconds(10)) }
    let hedged = Pipeline("hedged") {
      Timeout(.seconds(10))
      PipelineTests.Race()
    }
    @Sendable func load(_ isbn: Int) -> Int { isbn }
    @Sendable func fallback(_ isbn: Int, _ error: any Error) -> Int { isbn }
    let explanations = [
      plain.bind(load, fallback: fallback).explain(),
      hedged.bind(load, fallback: fallback).explain(),
    ]
    for explanation in explanations {
      #expect(explanation.longestTime == nil)
      #expect(explanation.unboundedBecause == "the fallback has no time limit")
      #expect(explanation.stages.map(\.title).prefix(2) == ["Fallback", "Timeout"])
      #expect(explanation.maximumCalls == 1 && explanation.findings.isEmpty)
    }
    #expect(plain.bind(load).explain().longestTime == .seconds(10))
  }

  @Test(.requirement("P26", "T4")) func `never falls back for a cancellation`() async {
    @Sendable func fallback(_ input: Int, _ error: any Error) -> Int {
      Issue.record("fell back for a cancellation")
      return input
    }
    let plain = Pipeline("plain") {}.bind { (_: Int) -> Int in
      throw CancellationError()
    } fallback: {
      fallback($0, $1)
    }
    let hedged = Pipeline("hedged") { PipelineTests.Race() }.bind { (_: Int) -> Int in
      throw CancellationError()
    } fallback: {
      fallback($0, $1)
    }
    await #expect(throws: CancellationError.self) { try await plain(1) }
    await #expect(throws: CancellationError.self) { try await hedged(1) }
  }

  @Test func `a concurrent stage may run the function beside its caller`() async throws {
    let calls = Log()
    let load = Pipeline("hedged") { PipelineTests.Race() }.bind { (isbn: Int) in
      calls.add("ran")
      return isbn
    }
    #expect(try await load(7) == 7)
    #expect(calls.lines == ["ran", "ran"])
  }

  @MainActor final class Model {
    var count = 0
    lazy var load = Pipeline("main") { Timeout(.seconds(30)) }.bind {
      @MainActor [unowned self] (step: Int) in
      MainActor.assertIsolated()
      count += step
      return count
    }
  }

  @Test @MainActor func `stays on the actor of a function that belongs to one`() async throws {
    let model = Model()
    #expect(try await model.load(2) == 2)
    #expect(try await model.load(3) == 5)
  }
}
