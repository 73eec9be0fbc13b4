// SPDX-License-Identifier: Apache-2.0

import InventoryDemo
import InventoryUpstream

/// A small run in which everything holds; tests break one thing of it.
///
/// The first thing was scanned and edited twice, the second scanned and deleted. The scan of the
/// third got no answer and was applied, that of the fourth got none and was not. There is a phase
/// of health, one behind a portal, and one under a limit of 2 requests in a second.
enum Scene {
  static let scan = Action(key: "scan-1", item: 0, kind: .scan(isbn: "9780141439518"))
  static let edit = Action(
    key: "edit-1", item: 0, kind: .edit(Edit(notes: "first", location: "Attic", quantity: 2)))
  static let lastEdit = Action(key: "edit-2", item: 0, kind: .edit(Edit(notes: "second")))
  static let deleted = Action(key: "scan-2", item: 1, kind: .scan(isbn: "9799000000011"))
  static let deletion = Action(key: "delete-2", item: 1, kind: .delete)
  static let unanswered = Action(key: "scan-3", item: 2, kind: .scan(isbn: "9799000000028"))
  static let unheard = Action(key: "scan-4", item: 3, kind: .scan(isbn: "9799000000035"))

  static var evidence: Evidence {
    var evidence = Evidence(phases: phases, plannedKills: 1)
    evidence.kills = 1
    evidence.posts = posts
    evidence.ledger = LedgerReading(applied: applied, requests: requests)
    evidence.secondsToDrain = 1.5
    evidence.items = ["a": ItemReading(first), "c": ItemReading(third)]
    evidence.twins = [
      "a": TwinReading(id: "a", fields: first), "b": TwinReading(id: "b", fields: nil),
      "c": TwinReading(id: "c", fields: third),
    ]
    return evidence
  }

  static var first: Fields {
    var fields = Fields(barcode: "9780141439518", title: "Pride and Prejudice", quantity: 2)
    fields.notes = "second"
    fields.location = "Attic"
    return fields
  }

  private static let third = Fields(barcode: "9799000000028", title: "Mansfield Park")

  private static var phases: [Phase] {
    var limited = FaultSettings(mode: .rateLimited)
    limited.limit = 2
    let faults = [FaultSettings(), FaultSettings(mode: .portal), limited]
    return faults.indices.map { Phase(number: $0, faults: faults[$0]) }
  }

  private static let posts = [
    Post(scan, .unanswered), Post(scan, .accepted(id: "a")), Post(edit, .accepted(id: "a")),
    Post(lastEdit, .accepted(id: "a")), Post(lastEdit, .accepted(id: "a")),
    Post(deleted, .accepted(id: "b")), Post(deletion, .accepted(id: "b")),
    Post(unanswered, .unanswered), Post(unheard, .unanswered),
  ]

  private static let applied = [
    LedgerReading.Entry(key: scan.key, twin: "a"),
    LedgerReading.Entry(key: deleted.key, twin: "b", replayed: 1),
    LedgerReading.Entry(key: edit.key, twin: "a"),
    LedgerReading.Entry(key: deletion.key, twin: "b"),
    LedgerReading.Entry(key: unanswered.key, twin: "c"),
    LedgerReading.Entry(key: lastEdit.key, twin: "a"),
  ]

  private static func mark(
    _ place: Mark.Place, _ phase: Int, at time: Int64
  ) -> LedgerReading.Request {
    LedgerReading.Request(at: time, key: Mark(place, phase: phase).key, status: 200)
  }

  private static let requests = [
    mark(.before, 0, at: 0), mark(.after, 0, at: 10),
    LedgerReading.Request(at: 20, key: scan.key, status: 503),
    LedgerReading.Request(at: 30, key: scan.key, status: 201),
    // It was cut, so it may come again.
    LedgerReading.Request(at: 40, key: deleted.key, status: nil),
    LedgerReading.Request(at: 50, key: deleted.key, status: 201),
    LedgerReading.Request(at: 60, status: 200),
    mark(.before, 1, at: 1000), mark(.after, 1, at: 1010),
    // The page of the portal is no answer of the service.
    LedgerReading.Request(at: 1500, key: edit.key, status: 200),
    mark(.before, 2, at: 2000), mark(.after, 2, at: 2010),
    // Four within a second are twice the limit, and no more.
    LedgerReading.Request(at: 2100, key: edit.key, status: 200),
    LedgerReading.Request(at: 2200, key: deletion.key, status: 200),
    LedgerReading.Request(at: 2300, key: unanswered.key, status: 201),
    LedgerReading.Request(at: 2400, key: lastEdit.key, status: 429),
    LedgerReading.Request(at: 3100, key: lastEdit.key, status: 200),
    mark(.before, 3, at: 5000), mark(.after, 3, at: 5010),
  ]
}
