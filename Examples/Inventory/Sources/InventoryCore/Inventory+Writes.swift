// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Mainstay
internal import MainstayOutbox

// What a person does. Each returns when it is on the disk, network or not.
extension Inventory {
  /// Takes a scan.
  ///
  /// - Parameters:
  ///   - barcode: What was scanned, in any of the forms that `Barcode` reads.
  ///   - key: The key of the request; nil makes a new one. The same key with the same request gets
  ///     the same answer.
  /// - Returns: The item that was made of it.
  /// - Throws: `AppError`: of the kind `validation`, or with the status 422 where the key belongs
  ///   to another request.
  package func scan(
    _ barcode: String, key: IdempotencyKey? = nil
  ) async throws(AppError) -> WriteAnswer {
    await accepted(try await store.scan(try Barcode(barcode), key: key))
  }

  /// Takes an item that was entered by hand.
  package func add(
    _ draft: ItemDraft, key: IdempotencyKey? = nil
  ) async throws(AppError) -> WriteAnswer {
    await accepted(try await store.create(draft, key: key))
  }

  /// Changes an item; see `ItemStore.patch`.
  package func edit(
    _ id: UUID, _ patch: ItemPatch, ifVersion version: Int? = nil, key: IdempotencyKey? = nil
  ) async throws(AppError) -> WriteAnswer {
    await accepted(try await store.patch(id, patch, ifVersion: version, key: key))
  }

  /// Deletes an item and its twin.
  package func delete(
    _ id: UUID, ifVersion version: Int? = nil, key: IdempotencyKey? = nil
  ) async throws(AppError) -> WriteAnswer {
    let answer = await accepted(try await store.delete(id, ifVersion: version, key: key))
    await releaseConflicts()
    return answer
  }

  /// Keeps a photo of an item.
  package func setPhoto(
    _ bytes: Data, of id: UUID, key: IdempotencyKey? = nil
  ) async throws(AppError) -> WriteAnswer {
    await accepted(try await store.setPhoto(try ItemPhoto(bytes), of: id, key: key))
  }

  /// Ends a conflict.
  package func resolve(
    _ conflict: UUID, _ choice: ConflictChoice, key: IdempotencyKey? = nil
  ) async throws(AppError) -> WriteAnswer {
    let answer = await accepted(try await store.resolve(conflict, choice, key: key))
    await releaseConflicts()
    return answer
  }

  /// The change is on the disk: nobody waits until pages are told and the outbox has it too.
  private func accepted(_ answer: WriteAnswer) async -> WriteAnswer {
    guard !answer.isReplay else { return answer }
    await itemNews.note(answer.item.id)
    await dispatcher.start()
    return answer
  }
}

// What was given up.
extension Inventory {
  /// The dead letters, the oldest first.
  ///
  /// - Parameters:
  ///   - id: The last one of the list before; nil, the default, for the first list.
  ///   - limit: How many at most; the default is 1,000.
  /// - Returns: The dead letters.
  /// - Throws: `AppError` where the queue cannot be read.
  package func deadLetters(
    after id: UUID? = nil, limit: Int = 1000
  ) async throws(AppError) -> [DeadLetterDocument] {
    do {
      return try await outbox.deadLetters(after: id.map { OperationID($0) }, limit: limit)
        .map(DeadLetterDocument.init)
    } catch {
      throw error.appError
    }
  }

  /// The dead letters about an item, the oldest first.
  ///
  /// The items know which operations those are, so however much was given up, no other is read.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - limit: How many at most; the default is 50.
  /// - Returns: The dead letters; none where nothing about the item was given up.
  /// - Throws: `AppError` where the items or the queue cannot be read.
  package func deadLetters(
    about item: UUID, limit: Int = 50
  ) async throws(AppError) -> [DeadLetterDocument] {
    var letters: [DeadLetterDocument] = []
    for operation in try await store.deadOperations(of: item, limit: limit) {
      guard let id = OperationID(operation) else { continue }
      do {
        // Another process may have decided on it meanwhile.
        if let letter = try await outbox.deadLetter(id) { letters.append(.init(letter)) }
      } catch {
        throw error.appError
      }
    }
    return letters
  }

  /// Tries something again that was given up.
  ///
  /// - Throws: `AppError` of the kind `notFound` where there is no such dead letter.
  package func redrive(_ id: UUID) async throws(AppError) {
    let operation = OperationID(id)
    // First here: once the outbox has it back, it may be done before the item is told.
    let item = try await store.redriven(operation: operation.description)
    do {
      guard try await outbox.redrive(operation) else { throw AppError.noDeadLetter(id) }
    } catch {
      // It is given up as before, unless it waits by now: then nothing has to be put back.
      if item != nil, try await !isQueued(operation) {
        _ = try await store.gaveUp(operation: operation.description)
      }
      throw AppError.from(error)
    }
    if let item { await itemNews.tell(item) }
  }

  private func isQueued(_ operation: OperationID) async throws(AppError) -> Bool {
    do { return try await outbox.operation(operation) != nil } catch { throw AppError.from(error) }
  }

  /// Throws something away that was given up.
  ///
  /// - Throws: `AppError` of the kind `notFound` where there is no such dead letter.
  package func discard(_ id: UUID) async throws(AppError) {
    let operation = OperationID(id)
    do {
      guard try await outbox.discard(operation) else { throw AppError.noDeadLetter(id) }
    } catch {
      throw AppError.from(error)
    }
    if let work = try await store.discarded(operation: operation.description) {
      departures.forget(work.id)
      await itemNews.tell(work.item)
    }
  }
}

extension AppError {
  fileprivate static func noDeadLetter(_ id: UUID) -> AppError {
    AppError(
      code: "inventory.no-dead-letter", kind: .notFound, disposition: .permanent, severity: .info,
      title: "This isn’t waiting any more",
      message: "Nothing with the id \(id.text) was given up.",
      suggestion: "Look at the list again.", metadata: ["http.status": "404"])
  }
}
