// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// What fits on a shelf: its room and what lies there come to no more than ten.
private struct Parcel: Codable, Sendable, Equatable {
  var title = "t"
  var room = 0
  var quantity = 0
}

private struct SaveBox: MergingOperation {
  static let kind: OperationKind = "save-parcel"
  static let mergePolicy = MergePolicy<Parcel>(
    [.field("title", \.title), .field("room", \.room), .field("quantity", \.quantity)],
    invalidFields: { $0.room + $0.quantity > 10 ? ["room", "quantity"] : [] })
  var base = VersionedState<Parcel>(.present(Parcel()), version: "1")
  var local: RecordState<Parcel>
}

/// The other side: one parcel that others change too.
private final class BoxServer: Sendable {
  private struct State {
    var parcel: Parcel
    var version = 2
    var isSilent = false
    var isBusy = false
  }

  private let state: Box<State>

  init(_ parcel: Parcel, isSilent: Bool = false, isBusy: Bool = false) {
    state = Box(State(parcel: parcel, isSilent: isSilent, isBusy: isBusy))
  }

  var parcel: Parcel { state.value.parcel }

  func rest() { state.change { $0.isBusy = false } }

  var worker: Worker {
    Worker(for: SaveBox.self, maximumMerges: 1) { _, change, _ in
      let (isTaken, found) = self.state.change { state in
        if state.isBusy { state.version += 1 }
        guard change.precondition == "\(state.version)", let parcel = change.state.record else {
          return (false, state)
        }
        state.parcel = parcel
        state.version += 1
        return (true, state)
      }
      if isTaken { return "\(found.version)" }
      if found.isSilent { throw AppError.http(status: 409) }
      throw try RemoteConflict(
        VersionedState(RecordState.present(found.parcel), version: "\(found.version)"))
    }
  }
}

/// A person who decides by field, whatever the cause of the conflict is.
@Suite(.requirement("C21"), .ends(withinMinutes: 5)) struct OutboxChoosingTests {
  private let shop: Workshop
  private let theirs = Parcel(title: "theirs", quantity: 8)

  init() throws { shop = try Workshop() }

  private func conflicted(
    _ server: BoxServer, _ local: Parcel = Parcel(room: 4)
  ) async throws -> (Outbox, OperationID, Conflict<Parcel>) {
    let outbox = try await shop.open(server.worker)
    let id = try await outbox.enqueue(SaveBox(local: .present(local)), orderedBy: "parcel")
    await outbox.wait { $0.conflicted == 1 }
    server.rest()
    return (outbox, id, try #require(try await outbox.conflict(id, of: SaveBox.self)))
  }

  @Test(arguments: [MergeSide.local, .remote])
  func `of fields that break a rule together, the side that was chosen is sent`(
    side: MergeSide
  ) async throws {
    let server = BoxServer(theirs)
    let (outbox, id, conflict) = try await conflicted(server)
    #expect(conflict.fields.map(\.field) == ["room", "quantity"])
    #expect(conflict.causes == [.invalid])
    #expect(
      try await outbox.resolve(
        id, of: SaveBox.self, conflict, choosing: ["room": side, "quantity": side]))
    await outbox.wait { $0.pending == 0 }
    let mine = Parcel(title: "theirs", room: 4)
    #expect(server.parcel == (side == .remote ? theirs : mine), "nobody chose a title")
    #expect(try await outbox.ledger().count(.dropped) == (side == .remote ? 1 : 0))
    await outbox.shutDown()
  }

  @Test func `a field that nobody names gets this side's value`() async throws {
    let server = BoxServer(theirs)
    let (outbox, id, conflict) = try await conflicted(server)
    #expect(try await outbox.resolve(id, of: SaveBox.self, conflict, choosing: [:]))
    await outbox.wait { $0.pending == 0 }
    #expect(server.parcel == Parcel(title: "theirs", room: 4))
    await outbox.shutDown()
  }

  @Test func `what is chosen and breaks the rule again changes nothing`() async throws {
    let server = BoxServer(theirs)
    let (outbox, id, conflict) = try await conflicted(server)
    #expect(
      try await outbox.resolve(
        id, of: SaveBox.self, conflict, choosing: ["room": .local, "quantity": .remote]) == false)
    #expect(try await outbox.conflict(id, of: SaveBox.self) == conflict)
    #expect(server.parcel == theirs)
    await outbox.shutDown()
  }

  @Test(arguments: [MergeSide.local, .remote])
  func `who chooses a side as a whole gets it after too many merges`(side: MergeSide) async throws {
    let server = BoxServer(Parcel(title: "theirs"), isBusy: true)
    let (outbox, id, conflict) = try await conflicted(server)
    #expect(conflict.causes == [.tooManyMerges])
    #expect(
      try await outbox.resolve(
        id, of: SaveBox.self, conflict, choosing: [MergePolicy<Parcel>.wholeRecord: side]))
    await outbox.wait { $0.pending == 0 }
    #expect(server.parcel == (side == .remote ? Parcel(title: "theirs") : Parcel(room: 4)))
    await outbox.shutDown()
  }

  @Test func `who chooses nothing after too many merges sends what was put together`()
    async throws
  {
    let server = BoxServer(Parcel(title: "theirs"), isBusy: true)
    let (outbox, id, conflict) = try await conflicted(server)
    #expect(try await outbox.resolve(id, of: SaveBox.self, conflict, choosing: [:]))
    await outbox.wait { $0.pending == 0 }
    #expect(server.parcel == Parcel(title: "theirs", room: 4))
    await outbox.shutDown()
  }

  @Test func `who chooses the other side unseen drops the change`() async throws {
    let server = BoxServer(theirs, isSilent: true)
    let (outbox, id, conflict) = try await conflicted(server)
    #expect(conflict.causes == [.noRemote])
    #expect(
      try await outbox.resolve(
        id, of: SaveBox.self, conflict, choosing: [MergePolicy<Parcel>.wholeRecord: .remote]))
    await outbox.wait { $0.pending == 0 }
    #expect(server.parcel == theirs)
    #expect(try await outbox.ledger().count(.dropped) == 1)
    await outbox.shutDown()
  }
}
