// SPDX-License-Identifier: Apache-2.0
// The example on the page about testing a store of one's own.

import Foundation
import MainstayOutbox
import MainstayOutboxTesting

/// What stores of the example have in common; a real one has a file.
final class JournalShelf: Sendable {}

/// Stands for a store that somebody has written.
typealias JournalStore = InMemoryStore

extension JournalStore {
  convenience init(
    on shelf: JournalShelf, limits: StoreLimits, now: @escaping @Sendable () -> Date
  ) {
    self.init(limits: limits, now: now)
  }

  func abandon() {}
}

// snippet.show
let conformance = StoreConformance { now, limits in
  let shelf = JournalShelf()
  return StoreConformance.Place {
    JournalStore(on: shelf, limits: limits, now: now)
  } kill: { store in
    (store as? JournalStore)?.abandon()
  }
}
for violation in await conformance.violations() { print(violation) }
