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
    on shelf: JournalShelf, maximumPending: Int?, now: @escaping @Sendable () -> Date
  ) {
    self.init(maximumPending: maximumPending, now: now)
  }

  func abandon() {}
}

// snippet.show
let conformance = StoreConformance { now, maximumPending in
  let shelf = JournalShelf()
  return StoreConformance.Place {
    JournalStore(on: shelf, maximumPending: maximumPending, now: now)
  } kill: { store in
    (store as? JournalStore)?.abandon()
  }
}
for violation in await conformance.violations() { print(violation) }
