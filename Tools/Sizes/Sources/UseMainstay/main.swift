// SPDX-License-Identifier: Apache-2.0

import Mainstay

let catalog = Pipeline("catalog") {
  Deadline(.seconds(30))
  Retry(maximumAttempts: 3)
  CircuitBreaker("catalog", .consecutiveFailures(5), breakFor: .seconds(5))
  Timeout(.seconds(10))
}
print(try await catalog.run { 1 })
