// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayOutbox

/// What operators look for; a store of somebody else, which cannot search, is read by its outbox.
extension StoreConformance {
  static let searches: [Rule] = [
    Rule("letters beyond ASCII are found as they stand there, and all others anyhow") { desk in
      guard let search = desk.store as? any OperationSearch else { return }
      let id = try await desk.store.insert(.note("a", orderedBy: "Zürich"))
      let leased = try desk.some(try await desk.store.claim(1).first)
      let note = FailureNote(code: "test.no", message: "Überschreitung der Größe")
      _ = try await desk.store.settle(
        leased.lease, OperationVerdict(.dead(.refused, followers: .goOn), failure: note))
      for text in ["Über", "ÜBER", "größe", "GRÖßE", "zürich", "ZÜRICH", "DER"] {
        let found = try await search.deadLetters(
          matching: OperationFilter(text: text), after: nil, limit: 10)
        desk.same(found.found.map(\.id), [id], text)
      }
      for text in ["Uber", "Öber", "zurich"] {
        let ids = try await search.deadLetterIDs(matching: OperationFilter(text: text), limit: 10)
        desk.same(ids, [], text)
      }
    }
  ]
}
