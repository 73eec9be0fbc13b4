// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ErrorMonitor {
  /// How many there are of each thing that grows with errors, and that has a bound.
  package var memoryCounts: [String: Int] {
    let entries = shards.flatMap { shard in shard.withLock { $0.groups.newestFirst } }
    return [
      "history": memory.withLock { $0.history.count },
      "breadcrumbs": trail.count,
      "groups": entries.count,
      "operations": entries.reduce(0) { $0 + $1.operations.count },
      "identities": identities.reduce(0) { $0 + $1.counts.all },
      "objects": identities.reduce(0) { $0 + $1.counts.objects },
      "lastWords": identities.reduce(0) { $0 + $1.counts.lastWords },
      "fingerprints": fingerprints.count,
      "recoveries": recoveries.withLock { $0.count },
    ]
  }
}

/// A part of the identities of failures, behind a lock of its own: the same failure may come in
/// another group.
final class IdentityShard: Sendable {
  private let filter: Locked<DuplicateFilter<UUID>>
  /// What was captured by code that ends the process: few, since most of those end it.
  private let lastWords = Locked(DuplicateFilter<UUID>(capacity: 64))
  private let objects: Locked<ObjectIdentities>

  init(capacity: Int) {
    filter = Locked(DuplicateFilter(capacity: capacity))
    objects = Locked(ObjectIdentities(capacity: capacity))
  }

  /// How many failures it remembers, how many of them by their objects, and how many last words.
  var counts: (all: Int, objects: Int, lastWords: Int) {
    (filter.withLock { $0.count }, objects.withLock { $0.count }, lastWords.withLock { $0.count })
  }

  var duplicates: Int {
    filter.withLock { $0.duplicates } + lastWords.withLock { $0.duplicates }
  }

  func isNew(_ id: UUID, isLastWord: Bool) -> Bool {
    guard isLastWord else { return filter.withLock { $0.isNew(id) } }
    // What was captured before may be in memory alone, or in no sink that is told of the worst.
    filter.withLock { _ = $0.remember(id) }
    return lastWords.withLock { $0.isNew(id) }
  }

  func identity(of object: ObjectIdentities.Object, new id: UUID) -> UUID {
    objects.withLock { $0.identity(of: object, new: id) }
  }
}

/// A part of the groups, behind a lock of its own.
final class CaptureShard: Sendable {
  typealias Machine = CaptureStateMachine<Fingerprint, ErrorReport>
  private let machine: Locked<Machine>

  init(_ settings: Machine.Settings) { machine = Locked(Machine(settings)) }

  var losses: [ErrorReport.DropReason: Int] { machine.withLock { $0.losses } }

  func withLock<T: Sendable>(_ body: (inout Machine) -> T) -> T {
    machine.withLock { body(&$0) }
  }
}
