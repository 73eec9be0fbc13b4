// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The state behind its one door: it decides, writes the journal, and only then changes.
package actor UpstreamStore {
  /// What a write came to.
  enum Outcome: Sendable {
    case made(Effect)

    /// The photo is not complete yet.
    case partial(UploadProgress)
  }

  private var state = UpstreamState()
  private var photos: PhotoStorage
  private let journal: Journal?
  private let now: @Sendable () -> Timestamp

  /// Reads what an earlier process left in the folder; without one, memory is all there is.
  ///
  /// - Throws: `StartFailure` when the folder cannot be used.
  package init(
    in folder: URL?, now: @escaping @Sendable () -> Timestamp = { Timestamp.now }
  ) throws(StartFailure) {
    self.now = now
    let opened: (journal: Journal, records: [Record])?
    if let folder { opened = try Journal.open(in: folder) } else { opened = nil }
    journal = opened?.journal
    photos = try PhotoStorage(in: folder)
    var records = opened?.records ?? []
    if records.isEmpty {
      let history = Record.history(name: String(UInt32.random(in: 0 ... .max), radix: 36))
      do { try journal?.append(history) } catch {
        // mainstay:ignore MS205 -- a sentence is all that is printed
        throw StartFailure("The data folder \(folder?.path ?? "") cannot be written to.")
      }
      records = [history]
    }
    for record in records { state.play(record) }
  }

  /// What was received, applied and answered so far.
  package var ledger: Ledger { state.book.ledger }

  /// The effect of a key; nil when it was not applied.
  package func effect(of key: String) -> Effect? { state.effect(of: key) }

  /// The twin or its tombstone.
  package func twin(_ id: String) -> Twin? { state.twin(id) }

  func present(_ id: String) throws(Problem) -> Twin { try state.present(id) }

  func changes(since cursor: String?, limit: Int) throws(Problem) -> TwinChanges {
    try state.changes(since: cursor, limit: limit)
  }

  func photo(of twin: String) throws(Problem) -> (Photo, Data) {
    _ = try state.present(twin)
    guard let photo = state.photo(of: twin), let bytes = photos.read(photo) else {
      throw .notFound("The twin has no photo.")
    }
    return (photo, bytes)
  }

  func finish(_ request: Ledger.Request) {
    // Nobody waits for it any more, so there is nobody to tell.
    _ = try? record(.answered(request: request))
  }

  private func record(_ record: Record) throws(Problem) {
    // mainstay:ignore MS205 -- a client is told no more
    do { try journal?.append(record) } catch { throw .storageFailed }
    state.play(record)
  }
}

// Writes.
extension UpstreamStore {
  /// Judges a write by its key, and takes the key when it may be made.
  func claim(_ write: Write, retryAfter: Int) throws(Problem) -> UpstreamState.Verdict {
    try record(.received(key: write.key))
    let verdict = state.claim(write, retryAfter: retryAfter)
    if case .replay = verdict { try record(.replayed(key: write.key)) }
    return verdict
  }

  /// Gives the key of a write back, made or not.
  func release(_ write: Write) { state.release(write) }

  /// Makes a write, unless its precondition has come to nothing.
  func commit(_ write: Write) throws(Problem) -> Outcome {
    let effect: Effect
    switch write.change {
    case .put(let fields, let precondition):
      effect = try state.effect(of: write, keeping: fields, if: precondition, at: now())
    case .delete(let precondition):
      effect = try state.effect(of: write, deletingIf: precondition, at: now())
    case .photo(let part):
      return try add(part, of: write)
    }
    let (photo, upload) = (state.photo(of: write.twin), state.upload(of: write.twin))
    try record(.applied(effect: effect))
    // Its photo goes with a twin.
    if effect.document?.fields == nil {
      if let photo { photos.delete(photo) }
      if let upload { photos.delete(upload) }
    }
    return .made(effect)
  }

  private func add(_ part: PhotoPart, of write: Write) throws(Problem) -> Outcome {
    _ = try state.present(write.twin)
    let upload = Upload(twin: write.twin, key: write.key, type: part.type, total: part.total)
    let known = state.upload(of: write.twin)
    if write.isDeduped, let known, known.key == upload.key, known != upload { throw .keyReused }
    var received = known == upload ? photos.received(upload) : 0
    if let offset = part.offset, offset <= received {
      if known != upload { try begin(upload) }
      try store { try photos.add(part.bytes, at: offset, to: upload) }
      received = offset + part.bytes.count
    }
    guard received == upload.total else {
      return .partial(UploadProgress(twin: write.twin, received: received, total: upload.total))
    }
    return .made(try complete(upload, of: write))
  }

  private func begin(_ upload: Upload) throws(Problem) {
    // The bytes of the other upload go first: after a kill in between they must not be taken for
    // bytes of this one.
    try store { try photos.begin(upload) }
    try record(.started(upload: upload))
  }

  private func complete(_ upload: Upload, of write: Write) throws(Problem) -> Effect {
    let bytes = photos.whole(upload)
    let photo = Photo(
      twin: upload.twin, type: upload.type, size: bytes.count, bodyHash: BodyHash(of: bytes))
    let effect = try state.effect(of: write, completing: photo, at: now())
    let earlier = state.photo(of: upload.twin)
    try store { try photos.finish(upload, as: photo) }
    try record(.applied(effect: effect))
    if let earlier, earlier.bodyHash != photo.bodyHash { photos.delete(earlier) }
    return effect
  }

  private func store(_ operation: () throws -> Void) throws(Problem) {
    // mainstay:ignore MS205 -- a client is told no more
    do { try operation() } catch { throw .storageFailed }
  }
}
