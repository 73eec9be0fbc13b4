// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import TestSupport
import Testing

private struct NoteV1: Codable, Sendable, Equatable {
  var title: String
}

private struct NoteV2: Codable, Sendable, Equatable {
  var title: String
  var text: String
}

/// It needs more than the forms before it have.
private struct NoteV3: Codable, Sendable, Equatable {
  var title = "t"
  var text = "x"
  var language = "en"
}

private struct EditV1: MergingOperation {
  static let kind: OperationKind = "edit-note"
  static let mergePolicy = MergePolicy<NoteV1>([.field("title", \.title)])
  var base: VersionedState<NoteV1>
  var local: RecordState<NoteV1>
}

private struct EditV2: MergingOperation {
  static let kind: OperationKind = "edit-note"
  static let version = 2
  static let mergePolicy = MergePolicy<NoteV2>([.field("title", \.title), .field("text", \.text)])
  var base: VersionedState<NoteV2>
  var local: RecordState<NoteV2>

  init(_ base: NoteV2, _ version: String?, _ local: NoteV2) {
    (self.base, self.local) = (VersionedState(.present(base), version: version), .present(local))
  }

  init(_ old: EditV1) {
    let base = old.base.state.map { NoteV2(title: $0.title, text: "x") }
    self.base = VersionedState(base, version: old.base.version)
    local = old.local.map { NoteV2(title: $0.title, text: "x") }
  }
}

private struct EditV3: MergingOperation {
  static let kind: OperationKind = "edit-note"
  static let version = 3
  static let mergePolicy = MergePolicy<NoteV3>([
    .field("title", \.title), .field("text", \.text), .field("language", \.language),
  ])
  var base: VersionedState<NoteV3>
  var local: RecordState<NoteV3>

  init(_ base: NoteV3, _ version: String?, _ local: NoteV3) {
    (self.base, self.local) = (VersionedState(.present(base), version: version), .present(local))
  }

  init(_ old: EditV2) {
    let base = old.base.state.map { NoteV3(title: $0.title, text: $0.text) }
    self.base = VersionedState(base, version: old.base.version)
    local = old.local.map { NoteV3(title: $0.title, text: $0.text) }
  }
}

extension RecordState {
  fileprivate func map<New>(_ change: (Record) -> New) -> RecordState<New> {
    switch self {
    case .present(let record): .present(change(record))
    case .deleted: .deleted
    case .missing: .missing
    }
  }
}

/// The other side, which has one note.
private struct Shelf: Sendable {
  private let state = Box((note: NoteV3(), number: 0))

  var note: NoteV3 { state.value.note }
  var version: String { "v\(state.value.number)" }

  /// Another device changes it.
  func change(_ change: @Sendable (inout NoteV3) -> Void) {
    state.change { state in
      change(&state.note)
      state.number += 1
    }
  }

  /// The version from now on; nil where it has another one than is named.
  func put(_ note: NoteV3, if version: String?) -> String? {
    state.change { state in
      guard version == nil || version == "v\(state.number)" else { return nil }
      state.note = note
      state.number += 1
      return "v\(state.number)"
    }
  }
}

/// An update of the app that changes what a record is, while changes of it wait.
@Suite(.requirement("O20"), .ends(withinMinutes: 5)) struct UpcastingRecordsTests {
  private let shop: Workshop
  private let shelf = Shelf()

  init() throws {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    self.shop = shop
  }

  /// The app before the update.
  private func before() async throws -> Outbox {
    try await shop.open(
      Worker(for: EditV2.self) { [shelf] _, change, _ in
        let note = try #require(change.state.record)
        let full = NoteV3(title: note.title, text: note.text, language: shelf.note.language)
        guard let version = shelf.put(full, if: change.precondition) else {
          let theirs = NoteV2(title: shelf.note.title, text: shelf.note.text)
          throw try RemoteConflict(VersionedState(.present(theirs), version: shelf.version))
        }
        return version
      })
  }

  /// The app after it.
  private func after() async throws -> Outbox {
    try await Outbox(
      at: shop.folder.database, configuration: shop.configuration, clock: shop.clock
    ) {
      Worker(for: EditV3.self) { [shelf] _, change, _ in
        let note = try #require(change.state.record)
        guard let version = shelf.put(note, if: change.precondition) else {
          throw try RemoteConflict(VersionedState(.present(shelf.note), version: shelf.version))
        }
        return version
      }
      .upcasting(from: EditV2.self) { EditV3($0) }
      .upcasting(from: EditV1.self) { EditV2($0) }
    }
  }

  @Test func `what was heard before the update is a condition after it`() async throws {
    let old = try await before()
    let (first, second) = (NoteV2(title: "T", text: "x"), NoteV2(title: "TT", text: "x"))
    try await old.pause(Lane("later"))
    try await old.enqueue(
      EditV2(NoteV2(title: "t", text: "x"), "v0", first), orderedBy: "note")
    let later = EnqueueOptions(orderedBy: "note", lane: Lane("later"))
    try await old.enqueue(EditV2(first, nil, second), options: later)
    await old.resume()
    await old.wait { $0.pending == 1 }
    await old.shutDown()

    shelf.change { $0.text = "theirs" }
    let new = try await after()
    try await new.resume(Lane("later"))
    await new.resume()
    await new.wait { $0.pending == 0 }
    #expect(shelf.note == NoteV3(title: "TT", text: "theirs"))
    await new.shutDown()
  }

  @Test func `a conflict from before the update is decided under the version that was looked at`()
    async throws
  {
    let old = try await before()
    shelf.change { $0.title = "theirs" }
    let edit = EditV2(NoteV2(title: "t", text: "x"), "v0", NoteV2(title: "mine", text: "x"))
    let id = try await old.enqueue(edit, orderedBy: "note")
    await old.resume()
    await old.wait { $0.conflicted == 1 }
    await old.shutDown()

    shelf.change { $0.text = "newer" }
    let new = try await after()
    let conflict = try #require(try await new.conflict(id, of: EditV3.self))
    #expect(
      conflict.remote == VersionedState(.present(NoteV3(title: "theirs")), version: "v1"))
    try #require(
      try await new.resolve(id, of: EditV3.self, conflict, choosing: ["title": .local]))
    await new.resume()
    await new.wait { $0.pending == 0 }
    #expect(shelf.note == NoteV3(title: "mine", text: "newer"))
    await new.shutDown()
  }

  @Test func `what was taken back after the update is not sent with what followed it`()
    async throws
  {
    let old = try await before()
    let wrong = NoteV2(title: "wrong", text: "x")
    let id = try await old.enqueue(
      EditV2(NoteV2(title: "t", text: "x"), "v0", wrong), orderedBy: "note")
    try await old.enqueue(
      EditV2(wrong, nil, NoteV2(title: "wrong", text: "good")), orderedBy: "note")
    await old.shutDown()

    let new = try await after()
    #expect(try await new.cancel(id) == .cancelled)
    await new.resume()
    await new.wait { $0.pending == 0 }
    #expect(shelf.note == NoteV3(title: "t", text: "good"))
    await new.shutDown()
  }

  @Test func `what is kept beside a payload goes up step by step`() async throws {
    let outbox = try await after()
    func edit(_ base: String, _ version: String?, _ title: String) -> EditV1 {
      EditV1(
        base: VersionedState(.present(NoteV1(title: base)), version: version),
        local: .present(NoteV1(title: title)))
    }
    let id = try await outbox.enqueue(edit("t", "v0", "wrong"), orderedBy: "note")
    try await outbox.enqueue(edit("wrong", nil, "wrong"), orderedBy: "note")
    #expect(try await outbox.cancel(id) == .cancelled)
    await outbox.resume()
    await outbox.wait { $0.pending == 0 }
    #expect(shelf.note == NoteV3() && shelf.version == "v0", "nothing was left to send")
    await outbox.shutDown()
  }

  @Test func `a new change that goes on from what only an older one can read is asked about`()
    async throws
  {
    let old = try await before()
    let id = try await old.enqueue(
      EditV2(NoteV2(title: "t", text: "x"), "v0", NoteV2(title: "wrong", text: "x")),
      orderedBy: "note")
    await old.shutDown()

    let new = try await after()
    let edit = EditV3(
      NoteV3(title: "wrong"), nil, NoteV3(title: "wrong", text: "good", language: "fr"))
    let follower = try await new.enqueue(edit, orderedBy: "note")
    #expect(try await new.cancel(id) == .cancelled)
    await new.resume()
    await new.wait { $0.conflicted == 1 }
    #expect(shelf.note == NoteV3(), "nothing was sent")
    let conflict = try #require(try await new.conflict(follower, of: EditV3.self))
    #expect(conflict.fields == [FieldConflict(field: "", cause: .noRemote)])
    #expect(conflict.remote == VersionedState(.missing, version: "v0"))
    let decided = RecordState.present(NoteV3(text: "good", language: "fr"))
    try #require(try await new.resolve(follower, of: EditV3.self, conflict, with: decided))
    await new.wait { $0.pending == 0 }
    #expect(shelf.note == NoteV3(text: "good", language: "fr"))
    await new.shutDown()
  }
}
