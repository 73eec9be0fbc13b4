// SPDX-License-Identifier: Apache-2.0

import MainstayOutbox
import MainstayOutboxTesting

let conformance = StoreConformance { now, limits in
  let store = InMemoryStore(limits: limits, now: now)
  return StoreConformance.Place {
    store
  } kill: { _ in
  }
}
for violation in await conformance.violations() { print(violation) }
