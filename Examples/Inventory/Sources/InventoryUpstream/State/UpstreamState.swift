// SPDX-License-Identifier: Apache-2.0

/// All that the service knows, apart from the bytes of photos.
///
/// Every change is a `Record`, so that the journal can be played back: what decides makes a record,
/// and `play` alone changes anything but claims.
struct UpstreamState {
  /// What is to be done about a write that came in.
  enum Verdict: Equatable {
    /// It may be made. Its key is taken until the claim is released.
    case make

    /// It was made before, with this effect.
    case replay(Effect)
    case refuse(Problem)
  }

  private struct Entry {
    let twin: Twin

    /// The number of its last change among all changes.
    let change: Int
  }

  private(set) var history = ""
  private(set) var book = LedgerBook()
  private var changes = 0
  private var twins: [String: Entry] = [:]
  private var photos: [String: Photo] = [:]
  private var uploads: [String: Upload] = [:]
  private var effects: [String: Effect] = [:]
  private var claims: Set<String> = []

  func effect(of key: String) -> Effect? { effects[key] }

  func photo(of twin: String) -> Photo? { photos[twin] }

  func upload(of twin: String) -> Upload? { uploads[twin] }

  /// The twin or its tombstone.
  func twin(_ id: String) -> Twin? { twins[id]?.twin }

  /// The twin, unless it was deleted.
  func present(_ id: String) throws(Problem) -> Twin {
    guard let twin = twin(id), twin.fields != nil else {
      throw .notFound(
        twin(id).map { "The twin was deleted in version \($0.version)." }
          ?? "There is no twin with this id.")
    }
    return twin
  }
}

// Writes.
extension UpstreamState {
  /// Judges a write by its key, and takes the key when it may be made.
  mutating func claim(_ write: Write, retryAfter: Int) -> Verdict {
    guard write.isDeduped else { return .make }
    if let effect = effects[write.key] {
      return write.isSame(as: effect) ? .replay(effect) : .refuse(.keyReused)
    }
    guard claims.insert(write.key).inserted else {
      return .refuse(.inProgress(retryAfter: retryAfter))
    }
    return .make
  }

  /// Gives the key of a write back, made or not.
  mutating func release(_ write: Write) {
    if write.isDeduped { claims.remove(write.key) }
  }

  /// What it would do now to keep these fields.
  ///
  /// - Throws: `Problem` when the precondition does not hold.
  func effect(
    of write: Write, keeping fields: TwinFields, if precondition: Precondition, at time: Timestamp
  ) throws(Problem) -> Effect {
    let found = twin(write.twin)
    guard isRepetition(write) || precondition.holds(for: found) else { throw .stale(found) }
    return effect(of: write, leaving: fields, status: found?.fields == nil ? 201 : 200, time)
  }

  /// What it would do now to delete the twin.
  ///
  /// - Throws: `Problem` when the precondition does not hold or the twin is gone.
  func effect(
    of write: Write, deletingIf precondition: Precondition, at time: Timestamp
  ) throws(Problem) -> Effect {
    if !isRepetition(write) {
      let present = try present(write.twin)
      guard precondition.holds(for: present) else { throw .stale(present) }
    }
    return effect(of: write, leaving: nil, status: 200, time)
  }

  /// Whether it is made again because deduplication is off.
  ///
  /// Then it is made in spite of the version that the first one left: this is the harm that such a
  /// server does.
  private func isRepetition(_ write: Write) -> Bool {
    !write.isDeduped && effects[write.key].map(write.isSame) == true
  }

  /// What the last part of a photo does.
  ///
  /// - Throws: `Problem` when the twin is gone.
  func effect(of write: Write, completing photo: Photo, at time: Timestamp) throws(Problem)
    -> Effect
  {
    Effect(
      key: write.key, operation: .photo, twin: write.twin,
      version: try present(write.twin).version, status: photos[write.twin] == nil ? 201 : 200,
      bodyHash: photo.bodyHash, appliedAt: time, document: nil, photo: photo)
  }

  private func effect(
    of write: Write, leaving fields: TwinFields?, status: Int, _ time: Timestamp
  ) -> Effect {
    let version = (twin(write.twin)?.version ?? 0) + 1
    return Effect(
      key: write.key, operation: fields == nil ? .delete : .put, twin: write.twin,
      version: version, status: status, bodyHash: write.bodyHash, appliedAt: time,
      document: Twin(id: write.twin, version: version, updatedAt: time, fields: fields),
      photo: nil)
  }

  /// Lets a record happen, or happen again.
  mutating func play(_ record: Record) {
    switch record {
    case .history(let name): history = name
    case .received(let key): book.receive(key)
    case .replayed(let key): book.replay(key)
    case .answered(let request): book.finish(request)
    case .started(let upload): uploads[upload.twin] = upload
    case .applied(let effect):
      effects[effect.key] = effect
      book.apply(effect)
      if let twin = effect.document {
        changes += 1
        twins[twin.id] = Entry(twin: twin, change: changes)
        if twin.fields == nil {
          photos[twin.id] = nil
          uploads[twin.id] = nil
        }
      }
      if let photo = effect.photo {
        photos[photo.twin] = photo
        uploads[photo.twin] = nil
      }
    }
  }
}

// Changes since a cursor.
extension UpstreamState {
  /// The changes after a cursor; all of them without one.
  ///
  /// - Throws: `Problem` for a cursor that this history did not give out.
  func changes(since cursor: String?, limit: Int) throws(Problem) -> TwinChanges {
    let start = try cursor.map(change) ?? 0
    let later = twins.values.filter { $0.change > start }.sorted { $0.change < $1.change }
    let page = later.prefix(limit)
    return TwinChanges(
      twins: page.map(\.twin), next: "\(history).\(page.last?.change ?? start)",
      more: later.count > page.count)
  }

  private func change(_ cursor: String) throws(Problem) -> Int {
    let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let change = Int(parts[1]), change >= 0 else {
      throw .badAddress("`since` must be a cursor that was given out as `next`.")
    }
    guard parts[0] == history, change <= changes else { throw .unknownCursor }
    return change
  }
}
