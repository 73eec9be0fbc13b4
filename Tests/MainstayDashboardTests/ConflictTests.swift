// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HummingbirdTesting
import Mainstay
import MainstayDashboard
import MainstayOutbox
import TestSupport
import Testing

private struct SaveCard: MergingOperation {
  struct Card: Codable, Sendable, Equatable {
    var title = "t"
  }

  static let kind: OperationKind = "save-card"
  static let mergePolicy = MergePolicy<Card>([.field("title", \.title)])
  var base: VersionedState<Card>
  var local: RecordState<Card>
}

/// Conflicts that only the app can end.
@Suite(.ends(withinMinutes: 2)) struct ConflictTests {
  @Test func `a change of which a field is in conflict is not sent again as it was`() async throws {
    let outbox = try await Outbox(store: InMemoryStore()) {
      Worker(for: SaveCard.self) { _, _, _ -> String? in
        let theirs = SaveCard.Card(title: "theirs")
        throw try RemoteConflict(VersionedState(RecordState.present(theirs), version: "2"))
      }
    }
    let id = try await outbox.enqueue(
      SaveCard(
        base: VersionedState(.present(SaveCard.Card()), version: "1"),
        local: .present(SaveCard.Card(title: "mine")))
    ).description
    for await snapshot in outbox.changes where snapshot.conflicted == 1 { break }
    let place = "/mainstay/outboxes/orders"
    try await serve(Dashboard(outbox)) { client in
      let visitor = try await Visitor(client, at: "\(place)/operations/\(id)")
      let answer = [("id", id), ("confirmed", "yes")]
      let refused = try await visitor.post("\(place)/conflicts/resend", answer)
      #expect(refused.status == .conflict)
      #expect(refused.text.contains("only the app can put both together"), "\(refused.text)")
      #expect(try await outbox.snapshot().conflicted == 1)
      #expect(try await visitor.post("\(place)/conflicts/accept", answer).status == .seeOther)
    }
    await outbox.shutDown()
  }
}
