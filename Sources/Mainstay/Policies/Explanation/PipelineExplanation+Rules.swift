// SPDX-License-Identifier: Apache-2.0

extension PipelineExplanation.Finding.Rule {
  /// A time limit for one attempt stands outside of a retry.
  public static let timeoutOutsideRetry = Self("timeout-outside-retry")
  /// A deadline stands inside of a retry, so each attempt gets all of it.
  public static let deadlineInsideRetry = Self("deadline-inside-retry")
  /// A breaker stands outside of a retry and does not see the attempts.
  public static let breakerOutsideRetry = Self("breaker-outside-retry")
  /// A rate limiter stands outside of a retry and does not count the attempts.
  public static let rateLimiterOutsideRetry = Self("rate-limiter-outside-retry")
  /// A retry stands inside of another one.
  public static let retryInsideRetry = Self("retry-inside-retry")
  /// Attempts and copies of a hedge multiply each other.
  public static let hedgeAndRetry = Self("hedge-and-retry")
  /// What may have had its effect is hedged without an idempotency key.
  public static let hedgesUnknownOutcome = Self("hedges-unknown-outcome")
  /// What may have had its effect is repeated after anything.
  public static let retriesUnknownOutcome = Self("retries-unknown-outcome")
  /// A time limit is not shorter than the one around it.
  public static let limitNeverEnds = Self("limit-never-ends")
  /// The waits of a retry do not fit in the time limit around it.
  public static let waitsBeyondLimit = Self("waits-beyond-limit")
  /// A policy that counts calls stands outside of `Coalesce`.
  public static let limitOutsideCoalesce = Self("limit-outside-coalesce")
  /// Attempts begin while abandoned ones may still run.
  public static let abandonsInsideRetry = Self("abandons-inside-retry")
  /// Calls are disturbed on purpose in release builds too.
  public static let chaosInReleases = Self("chaos-in-releases")
  /// A call may wait for ever for its turn.
  public static let waitsForEver = Self("waits-for-ever")
  /// A run that callers share has no time limit of its own.
  public static let sharedRunWithoutLimit = Self("shared-run-without-limit")
  /// The pipeline was given a clock of its own, and a stage in it runs by that of the system.
  public static let mixedClocks = Self("mixed-clocks")
  /// Nothing bounds how long a call takes.
  public static let noTimeLimit = Self("no-time-limit")
}
