// SPDX-License-Identifier: Apache-2.0

import Mainstay
import TestSupport
import Testing

/// Every rule about the order of stages finds what it is about, and nothing else.
@Suite struct PipelineRulesTests {
  /// A stage that says of itself whatever a test wants.
  struct Fake: PipelineStage {
    let summaries: [StageSummary]

    init(
      _ kind: StageSummary.Kind, _ effect: StageSummary.Effect, disturbs: Bool = false,
      hedgesBlindly: Bool = false
    ) {
      var summary = StageSummary(kind, name: nil, "does something", effect)
      summary.disturbsReleases = disturbs
      summary.hedgesBlindly = hedgesBlindly
      summaries = [summary]
    }

    func runSendable<T: Sendable>(
      _ operation: @escaping @Sendable () async throws -> T
    ) async throws -> T { try await operation() }

    static let hedge = Fake(.hedge, .copies(2, every: .seconds(1)), hedgesBlindly: true)
    static let coalesce = Fake(.coalesce, .refuses)
  }

  private let breaker = CircuitBreaker("b")

  /// The rules that find something, within a deadline that is in order.
  private func rules<P: ConcurrentPolicy>(@PipelineBuilder _ stages: () -> P) -> [String] {
    let pipeline = Pipeline("rules", stages: stages)
    return pipeline.explain().findings.map(\.rule.rawValue)
  }

  @Test func `a timeout outside of a retry`() {
    #expect(
      rules {
        Timeout(.seconds(30))
        Retry()
      } == ["timeout-outside-retry"])
    #expect(
      rules {
        Timeout(.seconds(30))
        Retry(maximumAttempts: 1)
      }.isEmpty)
  }

  @Test func `a deadline inside of a retry`() {
    #expect(
      rules {
        Retry()
        Deadline(.seconds(30))
      } == ["deadline-inside-retry"])
  }

  @Test func `a breaker outside of a retry`() {
    #expect(
      rules {
        Deadline(.seconds(30))
        breaker
        Retry()
      } == ["breaker-outside-retry"])
  }

  @Test func `a rate limiter outside of a retry`() {
    #expect(
      rules {
        Deadline(.seconds(30))
        Fake(.rateLimiter, .delays(.seconds(1)))
        Retry()
      } == ["rate-limiter-outside-retry"])
  }

  @Test(.requirement("P16")) func `a retry inside of a retry, however far`() {
    let findings = Pipeline("rules") {
      Deadline(.seconds(30))
      Retry(maximumAttempts: 4)
      Pipeline("inner") {
        breaker
        Pipeline("innermost") { Retry(maximumAttempts: 4, nesting: .makesAllAttempts) }
      }
    }.explain().findings
    #expect(findings.map(\.rule) == [.retryInsideRetry, .breakerOutsideRetry])
    #expect(findings.first?.severity == .warning)
    #expect(findings.first?.message.contains("up to 16") == true)
  }

  @Test func `a retry that leaves repeating to the one around it does not multiply`() {
    let inner = StageSummary.Repetition(
      attempts: 4, waits: .seconds(1), askedWaits: .seconds(1), yieldsToOuter: true)
    let explanation = Pipeline("rules") {
      Deadline(.seconds(30))
      Retry(maximumAttempts: 3)
      Fake(.retry, .repeats(inner))
    }.explain()
    #expect(explanation.maximumCalls == 3)
    #expect(explanation.findings.map(\.severity) == [.info])
    #expect(Pipeline("alone") { Fake(.retry, .repeats(inner)) }.explain().maximumCalls == 4)
  }

  @Test(.requirement("P16")) func `a retry that never repeats, since one outside makes attempts`() {
    let findings = Pipeline("rules") {
      Deadline(.seconds(30))
      Retry(maximumAttempts: 1)
      Retry(maximumAttempts: 3)
    }.explain().findings
    #expect(findings.map(\.rule) == [.retryInsideRetry])
    #expect(findings.first?.severity == .info)
    #expect(findings.first?.message.contains("makes one attempt") == true)
  }

  @Test(.requirement("P16")) func `a retry in a shared run multiplies with one outside of it`() {
    func explain(_ outer: Int) -> PipelineExplanation {
      Pipeline("rules") {
        Retry(maximumAttempts: outer)
        Fake.coalesce
        Retry(maximumAttempts: 3)
        Timeout(.seconds(1))
      }.explain()
    }
    #expect(explain(1).maximumCalls == 3)
    #expect(explain(1).findings.map(\.rule) == [.limitOutsideCoalesce])
    #expect(explain(2).maximumCalls == 6)
    #expect(explain(2).findings.map(\.rule) == [.limitOutsideCoalesce, .retryInsideRetry])
    #expect(explain(2).findings.last?.message.contains("up to 6") == true)
  }

  @Test func `a hedge and a retry that multiply each other`() {
    let pipeline = Pipeline("rules") {
      Deadline(.seconds(30))
      Retry(maximumAttempts: 3)
      Fake.hedge
      Timeout(.seconds(2))
    }
    #expect(pipeline.explain().findings.map(\.rule) == [.hedgeAndRetry])
    #expect(pipeline.explain().maximumCalls == 6)
  }

  @Test func `a hedge and a retry that share a budget are not told to`() {
    func found(_ first: RetryBudget, _ second: RetryBudget) -> [PipelineExplanation.Finding.Rule] {
      let (retry, hedge) = (Retry(budget: first), Hedge(budget: second))
      let limits = (Deadline(.seconds(60)), Timeout(.seconds(2)))
      let outside = Pipeline("rules") {
        limits.0
        retry
        hedge
        limits.1
      }
      let inside = Pipeline("rules") {
        limits.0
        hedge
        retry
        limits.1
      }
      return (outside.explain().findings + inside.explain().findings).map(\.rule)
    }
    let budget = RetryBudget()
    #expect(found(budget, budget).isEmpty)
    #expect(found(budget, RetryBudget()) == [.hedgeAndRetry, .hedgeAndRetry])
  }

  @Test func `a hedge of what may have had its effect`() {
    let (hedge, pay) = (Fake.hedge, Timeout(.seconds(2), disposition: .unknownOutcome))
    #expect(
      rules {
        hedge
        pay
      } == ["hedges-unknown-outcome"])
    #expect(
      rules {
        Deadline(.seconds(2), disposition: .unknownOutcome)
        hedge
      } == ["hedges-unknown-outcome"])
    #expect(
      rules {
        Hedge(safety: .safeToRepeat)
        pay
      } == ["hedges-unknown-outcome"])
  }

  @Test(.requirement("P25")) func `a hedge under a key may run what may have had its effect`() {
    let pay = Timeout(.seconds(2), disposition: .unknownOutcome)
    #expect(
      rules {
        Hedge()
        pay
      }.isEmpty)
    #expect(
      rules {
        Deadline(.seconds(2), disposition: .unknownOutcome)
        Hedge()
      }.isEmpty)
  }

  @Test(.requirement("P25")) func `a blind retry of what may have had its effect`() {
    let pay = Timeout(.seconds(2), disposition: .unknownOutcome)
    #expect(
      rules {
        Retry(retryIf: .anythingButCancellation)
        pay
      } == ["retries-unknown-outcome"])
    #expect(
      rules {
        Retry()
        pay
      }.isEmpty)
  }

  @Test func `a limit that is not shorter than the one around it`() {
    #expect(
      rules {
        Deadline(.seconds(10))
        Timeout(.seconds(10))
      } == ["limit-never-ends"])
    #expect(
      rules {
        Deadline(.seconds(10))
        Timeout(.seconds(9.9))
      }.isEmpty)
  }

  @Test func `waits that do not fit in the limit around them`() {
    let slow = Retry(backoff: .constant(.seconds(5)))
    #expect(
      rules {
        Deadline(.seconds(10))
        slow
      } == ["waits-beyond-limit"])
    #expect(
      rules {
        Deadline(.seconds(11))
        slow
      }.isEmpty)
  }

  @Test func `the limits of callers are not those of a run that they share`() {
    #expect(
      rules {
        Deadline(.seconds(5))
        Fake.coalesce
        Deadline(.seconds(60))
        Retry(backoff: .constant(.seconds(5)))
        Timeout(.seconds(2))
      }.isEmpty)
    #expect(
      rules {
        Timeout(.seconds(5))
        Fake.coalesce
        Retry()
        Timeout(.seconds(2))
      }.isEmpty)
  }

  @Test func `a retry that leaves repeating to another one never waits`() {
    #expect(
      rules {
        Retry()
        Timeout(.seconds(2))
        Retry(maximumAttempts: 2, backoff: .constant(.seconds(5)))
      } == ["retry-inside-retry", "timeout-outside-retry"])
    // One outside of a shared run does not make its attempts.
    #expect(
      rules {
        Retry(maximumAttempts: 1)
        Fake.coalesce
        Deadline(.seconds(2))
        Retry(maximumAttempts: 2, backoff: .constant(.seconds(5)))
      } == ["limit-outside-coalesce", "waits-beyond-limit"])
  }

  @Test func `a policy that counts calls outside of Coalesce`() {
    #expect(
      rules {
        Deadline(.seconds(10))
        breaker
        Fake.coalesce
        Timeout(.seconds(1))
      } == ["limit-outside-coalesce"])
    #expect(
      rules {
        Deadline(.seconds(10))
        Fake.coalesce
        breaker
        Timeout(.seconds(1))
      }.isEmpty)
  }

  @Test func `a shared run without a limit of its own`() {
    #expect(
      rules {
        Deadline(.seconds(10))
        Fake.coalesce
      } == ["shared-run-without-limit"])
    // The limit of a caller is not that of the run, which may be longer.
    #expect(
      rules {
        Deadline(.seconds(10))
        Fake.coalesce
        Timeout(.seconds(20))
      }.isEmpty)
  }

  @Test func `abandoned attempts beside new ones`() {
    #expect(
      rules {
        Retry()
        Fake(.abandoningTimeout, .bounds(.seconds(1)))
      } == ["abandons-inside-retry"])
  }

  @Test func `chaos in release builds`() {
    #expect(
      rules {
        Timeout(.seconds(2))
        Fake(.chaos, .delays(.seconds(1)), disturbs: true)
      } == ["chaos-in-releases"])
  }

  @Test func `a wait without an end, unless a limit bounds it`() {
    let bulkhead = Fake(.bulkhead, .delays(nil))
    let open = Pipeline("rules") {
      bulkhead
      Timeout(.seconds(1))
    }.explain()
    #expect(open.findings.map(\.rule) == [.waitsForEver])
    #expect(open.unboundedBecause == "Bulkhead may make it wait for ever")
    #expect(
      rules {
        Deadline(.seconds(2))
        bulkhead
      }.isEmpty)
  }

  @Test func `no limit at all`() {
    #expect(rules { Retry() } == ["no-time-limit"])
  }

  @Test func `a finding says its rule, what is the matter and the cure`() throws {
    let finding = try #require(Pipeline("rules") { Retry() }.explain().findings.first)
    #expect(
      finding.description
        == "warning no-time-limit: Nothing bounds how long a call takes. "
        + "Add a Deadline outermost and a Timeout innermost.")
  }
}
