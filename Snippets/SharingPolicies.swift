// SPDX-License-Identifier: Apache-2.0
// The example on the page about policies that processes share.

import Mainstay
import MainstayOutboxPostgres
import ServiceLifecycle

let address = try PostgresAddress("postgresql://app@db.internal/shop")
let breaker = CircuitBreaker("catalog")
let cooldown = Cooldown("catalog")
let limiter = RateLimiter("catalog", .gcra(rate: 100, per: .seconds(1), burst: 10))
let budget = RetryBudget()

// snippet.show
struct SharingService: Service {
  let policies: SharedPolicies

  func run() async throws {
    await cancelWhenGracefulShutdown { await policies.run() }
  }
}
// snippet.end

// snippet.show
let shared = SharedPolicies(at: address)
shared.share(breaker)
shared.share(cooldown)
try shared.share(limiter) { members in
  .gcra(rate: 100, per: .seconds(members), burst: 10)
}
try shared.share(budget)
await shared.run()
