// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import Testing

/// What `explain()` says of a ``RateLimiter``.
@Suite struct RateLimiterWordsTests {
  @Test(arguments: [
    (
      RateLimiter.Kind.tokenBucket(rate: 100, per: .seconds(1), burst: 20),
      "lets 100 calls through in 1 s, up to 20 of them at once, and does not wait"
    ),
    (
      .gcra(rate: 1, per: .seconds(60)),
      "lets 1 call through in 60 s, up to 1 of them at once, and does not wait"
    ),
    (
      .slidingWindow(limit: 7, per: .seconds(2)),
      "lets 7 calls through in any 2 s, and does not wait"
    ),
  ])
  func `it tells its numbers`(kind: RateLimiter.Kind, words: String) {
    let pipeline = Pipeline("search") { RateLimiter("search", kind, clock: ManualClock()) }
    #expect(pipeline.explain().description.contains(words), "\(pipeline.explain())")
  }
}
