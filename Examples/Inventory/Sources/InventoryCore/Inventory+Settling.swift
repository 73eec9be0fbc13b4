// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

// Two files that have to say the same.
extension Inventory {
  /// Makes both files say the same about what is to be done, what a person has to decide, and what
  /// was given up.
  ///
  /// A process may have died between the one and the other, and one may have been damaged.
  ///
  /// The outbox runs nothing meanwhile.
  func settleWithOutbox() async throws(AppError) {
    do {
      let (ledger, queued) = (try await outbox.ledger(), try await store.queuedCount())
      // Nobody can have discarded dead letters of an outbox that has never had any.
      let isForgetful = ledger.enqueued == 0 || outbox.opening.salvage != nil
      if isForgetful || store.salvage != nil || queued != ledger.pending {
        let operations = try await knownOperations()
        let count = try await store.settle(with: operations, isForgetful: isForgetful)
        handedOverAgain.withLock { $0 = count }
      }
      let dead = try await noteDeadLetters()
      for operation in try await store.deadOperations() where !dead.contains(operation) {
        let id = UUID(uuidString: operation).map(OperationID.init)
        let isBack = try await id.asyncMap { try await outbox.operation($0) } ?? nil
        if isBack == nil {
          _ = try await store.discarded(operation: operation)
        } else {
          _ = try await store.redriven(operation: operation)
        }
      }
    } catch {
      throw AppError.from(error, mapping: .inventory)
    }
    await releaseConflicts()
  }

  /// Notes what was given up while nobody listened: a process that gives up what another one has
  /// left may die before it says so.
  func takeUpDeadLetters() async throws(AppError) {
    do {
      _ = try await noteDeadLetters()
    } catch {
      throw AppError.from(error, mapping: .inventory)
    }
  }

  private func noteDeadLetters() async throws -> Set<String> {
    var dead: Set<String> = []
    for letter in try await deadLettersOfOutbox() {
      dead.insert(letter.id.description)
      // Another process may have redriven it meanwhile.
      guard try await outbox.operation(letter.id) == nil else { continue }
      _ = try await store.gaveUp(operation: letter.id.description)
    }
    return dead
  }

  private func knownOperations() async throws -> [KnownOperation] {
    var known: [KnownOperation] = []
    for letter in try await deadLettersOfOutbox() {
      if let operation = KnownOperation(letter.operation, isDead: true) { known.append(operation) }
    }
    for stored in try await Self.all({ try await self.outbox.operations(after: $0, limit: 1000) }) {
      if let operation = KnownOperation(stored, isDead: false) { known.append(operation) }
    }
    return known
  }

  private func deadLettersOfOutbox() async throws -> [DeadLetter] {
    try await Self.all { try await self.outbox.deadLetters(after: $0, limit: 1000) }
  }

  private static func all<Element: Identifiable>(
    _ page: (Element.ID?) async throws -> [Element]
  ) async throws -> [Element] {
    var all: [Element] = []
    while true {
      let next = try await page(all.last?.id)
      guard !next.isEmpty else { return all }
      all += next
    }
  }

  /// Lets operations go on whose conflict was settled here.
  func releaseConflicts() async {
    do {
      for conflict in try await outbox.conflicts() {
        let data = conflict.operation.payload
        guard conflict.operation.type.kind == SyncTwin.kind,
          let operation = try? JSONDecoder().decode(SyncTwin.self, from: data),
          try await !store.isConflicted(operation.work)
        else { continue }
        try await outbox.resolve(conflict.id, with: .send(operation))
      }
    } catch {
      report(error, during: "Release conflicts")
    }
  }
}

extension Optional {
  fileprivate func asyncMap<T>(_ transform: (Wrapped) async throws -> T) async rethrows -> T? {
    guard let self else { return nil }
    return try await transform(self)
  }
}

extension KnownOperation {
  /// All operations name their work and their item.
  private struct Subject: Decodable {
    let work: UUID
    let item: UUID
  }

  /// Nil for what no worker of this build can read.
  fileprivate init?(_ stored: StoredOperation, isDead: Bool) {
    let kinds: [OperationKind: Work.Kind] = [
      SyncTwin.kind: .put, DeleteTwin.kind: .delete, UploadPhoto.kind: .photo,
    ]
    guard let kind = kinds[stored.type.kind],
      let subject = try? JSONDecoder().decode(Subject.self, from: stored.payload)
    else { return nil }
    self.init(
      id: stored.id.description, work: subject.work, item: subject.item, kind: kind,
      key: stored.idempotencyKey, isDead: isDead)
  }
}
