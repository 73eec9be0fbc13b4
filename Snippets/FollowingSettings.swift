// SPDX-License-Identifier: Apache-2.0
// The example on the front page of MainstayConfiguration.

import Configuration
import Mainstay
import MainstayConfiguration

// snippet.show
let config = ConfigReader(provider: EnvironmentVariablesProvider())

// BREAKERS_CATALOG_BREAK_FOR=10, or what the code says where nothing is set.
let breaker = CircuitBreaker("catalog", .consecutiveFailures(5), breakFor: .seconds(5))
let bulkhead = try Bulkhead(
  validating: config.settings(at: "bulkheads.catalog", over: .init(name: "catalog", limit: 20)))

let live = LiveSettings(config)
  .applying("breakers.catalog", to: breaker)
  .applying("bulkheads.catalog", to: bulkhead)
try await live.run()
