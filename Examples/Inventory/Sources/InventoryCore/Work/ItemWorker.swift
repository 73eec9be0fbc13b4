// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

/// Runs the operations of items.
///
/// What is sent is fixed on the disk before it is sent, so every attempt under a key carries the
/// same bytes; what became of it is written down before the outbox hears of it.
struct ItemWorker: Sendable {
  /// How often a run merges with a twin that changes all the time, before it waits.
  private static let maximumMerges = 5

  let store: ItemStore
  let client: UpstreamClient
  let backoff: Backoff
  let maximumAttempts: Int
  /// How long the service may still be at work on a request whose connection is gone.
  let settleTime: Duration
  let departures: Departures
  let probe: (@Sendable (InterruptionPoint) throws -> Void)?
  let itemChanged: @Sendable (UUID) async -> Void
  let conflictFound: @Sendable (UUID) async -> Void

  var workers: [Worker] {
    [
      worker(SyncTwin.self), worker(DeleteTwin.self), worker(UploadPhoto.self),
    ]
  }

  private func worker<Operation: ItemOperation>(_ type: Operation.Type) -> Worker {
    Worker(
      for: type, maximumAttempts: maximumAttempts, backoff: backoff,
      reconcile: { try await reconcile($0, $1) },
      run: { operation, context in
        do {
          try await run(operation, context)
        } catch {
          departures.ended(operation.work, at: store.time)
          throw error
        }
      })
  }

  private func run(_ operation: some ItemOperation, _ context: WorkerContext) async throws {
    var merges = 0
    while true {
      switch try await store.seal(operation.work, operation: context.id.description) {
      case .done: return
      case .conflicted(let remote): throw RemoteConflict(remote: remote)
      case .put(let item, let key, let body, let version):
        switch try await client.put(item, body, ifVersion: version, key: key) {
        case .applied(let twin): return try await finish(operation, twin)
        case .stale(let current):
          merges += 1
          guard merges <= Self.maximumMerges else {
            throw AppError.http(status: 503, isRepeatable: true)
          }
          try await merge(operation, current)
        }
      case .delete(let item, let key):
        switch try await client.delete(item, key: key) {
        case .applied(let twin): return try await finish(operation, twin)
        case .stale: throw AppError.http(status: 409)
        }
      case .photo(let item, let key, let type, let bytes):
        try await client.upload(item, type: type, bytes: bytes, key: key)
        return try await finish(operation, nil)
      case .lookUp(let isbn): try await lookUp(isbn, operation)
      }
    }
  }

  private func lookUp(_ isbn: String, _ operation: some ItemOperation) async throws {
    do {
      let book = try await client.queuedBook(isbn)
      try await store.enriched(operation.work, book == nil ? .unknown : .done, book)
    } catch let error where error.disposition == .permanent {
      // A catalog that will never answer must not keep the item from being sent.
      try await store.enriched(operation.work, .failed)
    }
    await itemChanged(operation.item)
  }

  private func merge(_ operation: some ItemOperation, _ current: Twin?) async throws {
    guard let remote = try await store.merge(operation.work, current) else {
      return await itemChanged(operation.item)
    }
    await conflictFound(operation.item)
    throw RemoteConflict(remote: remote)
  }

  private func finish(_ operation: some ItemOperation, _ twin: Twin?) async throws {
    try probe?(.afterEffect)
    try await store.acknowledge(operation.work, twin)
    departures.forget(operation.work)
    try probe?(.afterAcknowledgement)
    await itemChanged(operation.item)
  }

  /// Finds out whether an earlier run had its effect, first here and then from the service.
  private func reconcile(
    _ operation: some ItemOperation, _ context: WorkerContext
  ) async throws -> Reconciliation {
    guard let work = try await store.work(operation.work) else {
      // It was lost here; what the service has comes back by a pull.
      let effect = try await client.effect(of: context.idempotencyKey)
      return effect?.twin == operation.item ? .applied : .notApplied
    }
    if work.state == .done { return .applied }
    guard let sent = work.sent else { return .notApplied }
    // Under this key the service may have changed the twin of somebody else: that is no effect.
    if let effect = try await client.effect(of: work.key), effect.twin == work.item {
      try await finish(operation, effect.document)
      return .applied
    }
    let age = departures.age(of: operation.work, sent: sent, at: store.time)
    // The request may still be on its way through the service, with nobody to take its answer.
    guard age >= settleTime else {
      throw AppError.stillSettling(settleTime - age)
    }
    return .notApplied
  }
}

extension AppError {
  fileprivate static func stillSettling(_ wait: Duration) -> AppError {
    AppError(
      code: "inventory.settling", kind: .rejected, disposition: .rejected(retryAfter: wait),
      title: "Waiting for the last attempt",
      message: "The service may still be at work on an earlier attempt, so it is asked again.")
  }
}
