// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import TestSupport
import Testing

/// What `mainstay outbox` decides about operations, and what it says where it cannot.
@Suite(.ends(withinMinutes: 20)) struct OutboxDecisionTests {
  private typealias Note = OutboxFolder.Note

  private struct SaveCard: MergingOperation {
    struct Card: Codable, Sendable, Equatable {
      var title = "t"
    }

    static let kind: OperationKind = "save-card"
    static let mergePolicy = MergePolicy<Card>([.field("title", \.title)])
    var base: VersionedState<Card>
    var local: RecordState<Card>
  }

  private final class Calls: Sendable {
    let count = Locked(0)
  }

  private let place = OutboxFolder()
  private var file: String { place.file }

  @Test func `what is there and cannot be decided about is told where it stands`() async throws {
    let outbox = try await place.open()
    let dead = try await place.enqueueBad(outbox).description
    let late = try await place.enqueueLate(outbox).description
    let done = try await outbox.enqueue(Note(text: "good")).description
    for await snapshot in outbox.changes where snapshot.pending == 1 { break }
    let letter = try await place.run("retry", file, dead, status: 1)
    #expect(letter.contains("\(dead) is a dead letter: `mainstay outbox redrive`"), "\(letter)")
    let waiting = try await place.run("redrive", file, late, status: 1)
    #expect(waiting.contains("\(late) is scheduled, and no dead letter"), "\(waiting)")
    let ended = try await place.run("retry", file, done, status: 1)
    #expect(ended.contains("\(done) ended at 20") && ended.contains(" UTC: done."), "\(ended)")
    let answer = try await place.document("retry", file, dead, late)
    #expect(answer["version"] as? Int == 1)
    #expect(answer["done"] as? [String] == [late])
    #expect((answer["notFound"] as? [String])?.isEmpty == true)
    let elsewhere = try #require((answer["elsewhere"] as? [[String: Any]])?.first)
    #expect(elsewhere["id"] as? String == dead && elsewhere["state"] as? String == "dead")
    let ready = try await place.run("retry", file, late, status: 1)
    #expect(ready.contains("\(late) "), "it is ready, or done already")
    await outbox.shutDown()
    try place.remove()
  }

  @Test func `all that waits for a time is tried at once`() async throws {
    let outbox = try await place.open()
    await outbox.pause()
    for _ in 0..<3 { _ = try await place.enqueueLate(outbox) }
    let none = try await place.run("retry", "--all", "--kind", "other", file)
    #expect(none == "0 operations may run at once.\n")
    let trial = try await place.run("retry", "--all", "--dry-run", file)
    #expect(trial == "3 operations would run at once.\n")
    #expect(try await outbox.snapshot().scheduled == 3)
    let all = try await place.run("retry", "--all", "--kind", "note", file)
    #expect(all == "3 operations may run at once.\n")
    #expect(try await outbox.snapshot().ready == 3)
    #expect(try await place.run("retry", file, status: 2).contains("--all"))
    await outbox.shutDown()
    try place.remove()
  }

  @Test func `a dry run says what would be discarded, and an old letter is told by its age`()
    async throws
  {
    let outbox = try await place.open()
    let (old, _) = (try await place.enqueueBad(outbox), try await place.enqueueBad(outbox))
    await outbox.shutDown()
    let trial = try await place.document("discard", "--all", "--dry-run", file)
    #expect((trial["done"] as? [String])?.count == 2 && trial["isDryRun"] as? Bool == true)
    #expect(
      try await place.run("discard", "--all", "--dry-run", file)
        == "2 dead letters would be discarded.\n")
    let none = try await place.run("discard", "--all", "--older-than", "1d", file)
    #expect(none == "0 dead letters discarded.\n")
    try await SQLiteFile.execute(
      """
      UPDATE mainstay_dead SET since = since - 172800000
      WHERE id = (SELECT min(id) FROM mainstay_dead)
      """, in: place.url)
    let one = try await place.document("discard", "--all", "--older-than", "24h", file)
    #expect(one["done"] as? [String] == [old.description])
    #expect(try await place.list().operations.count == 1)
    let slip = try await place.run("redrive", "--all", "--reason", "refusal", file, status: 2)
    #expect(slip.contains("No dead letter has the reason refusal") && slip.contains("refused"))
    let span = try await place.run("discard", "--all", "--older-than", "soon", file, status: 2)
    #expect(span.contains("older-than"))
    try place.remove()
  }

  @Test func `what is discarded is written to a new file first`() async throws {
    let outbox = try await place.open()
    let ids = [try await place.enqueueBad(outbox), try await place.enqueueBad(outbox)]
    await outbox.shutDown()
    let copy = place.folder.appending(path: "letters.jsonl")
    let path = copy.path(percentEncoded: false)
    try Data("mine".utf8).write(to: copy)
    let refused = try await place.run("discard", "--all", "--to", path, file, status: 3)
    #expect(refused.contains("0 dead letters discarded.") && refused.contains("is there already"))
    #expect(try String(contentsOf: copy, encoding: .utf8) == "mine")
    #expect(try await place.list("--state", "dead").operations.count == 2)
    try FileManager.default.removeItem(at: copy)
    let answer = try await place.run("discard", "--all", "--to", path, file)
    #expect(answer == "2 dead letters discarded.\n")
    let lines = try String(contentsOf: copy, encoding: .utf8).split(separator: "\n")
    let letters = try lines.compactMap { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    }
    let operations = letters.compactMap { $0["operation"] as? [String: Any] }
    #expect(operations.map { $0["id"] as? String } == ids.map(\.description))
    #expect(operations.first?["reason"] as? String == "refused")
    let letter = try #require(letters.first)
    #expect(letter["payload"] as? String == #"{"text":"bad"}"#)
    #expect(letter["idempotencyKey"] as? String != nil && letter["version"] as? Int == 1)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    #expect(mode as? Int == 0o600, "payloads are people's")
    try place.remove()
  }

  @Test func `where it fails on the way it first says what was done`() async throws {
    let outbox = try await place.open()
    var ids: [OperationID] = []
    for _ in 0..<5 { ids.append(try await place.enqueueLate(outbox)) }
    await outbox.shutDown()
    let digits = ids[2].description.filter { $0 != "-" }
    try await SQLiteFile.execute(
      """
      CREATE TRIGGER stop BEFORE DELETE ON mainstay_op WHEN old.uuid = x'\(digits)'
      BEGIN SELECT RAISE(ABORT, 'not this one'); END
      """, in: place.url)
    let end = try await OutboxFolder.run(["cancel", file] + ids.map(\.description))
    #expect(end.status == 3 && end.output == "2 operations cancelled.\n", "\(end)")
    #expect(end.errors.contains("not this one"), "\(end.errors)")
    let again = try await OutboxFolder.run(["cancel", "--json", file] + ids.map(\.description))
    #expect(again.status == 3)
    let document =
      try JSONSerialization.jsonObject(with: Data(again.output.utf8)) as? [String: Any]
    #expect((document?["failure"] as? String)?.contains("not this one") == true)
    #expect((document?["elsewhere"] as? [[String: Any]])?.count == 2, "they are gone")
    try place.remove()
  }

  @Test func `operations are cancelled`() async throws {
    let outbox = try await place.open()
    let id = try await place.enqueueLate(outbox).description
    #expect(try await place.run("cancel", file, id) == "1 operation cancelled.\n")
    #expect(try await outbox.ledger().count(.cancelled) == 1)
    let again = try await place.run("cancel", file, id, status: 1)
    #expect(again.contains("\(id) ended at") && again.contains("UTC: cancelled."), "\(again)")
    await outbox.shutDown()
    try place.remove()
  }

  @Test func `lanes are opened and kinds go on`() async throws {
    let outbox = try await place.open()
    try await outbox.pause("photos")
    try await outbox.pause(kind: "note")
    #expect(try await place.run("resume", file, status: 2).contains("--lane"))
    let wrong = try await place.run("resume", "--lane", "main", file, status: 1)
    #expect(wrong.contains("Lane “main” is not closed."), "\(wrong)")
    let text = try await place.run("resume", "--lane", "photos", "--kind", "note", file)
    #expect(text == "1 lane opened, and 1 kind resumed.\n")
    #expect(try await outbox.pausedKinds().isEmpty)
    let again = try await place.run("resume", "--lane", "photos", file, status: 1)
    #expect(again.contains("is not closed"), "\(again)")
    await outbox.shutDown()
    try place.remove()
  }

  @Test func `a change of which a field is in conflict is not sent again as it was`() async throws {
    let calls = Calls()
    let outbox = try await Outbox(at: place.url) {
      Worker(for: SaveCard.self) { _, _, _ -> String? in
        calls.count.withLock { $0 += 1 }
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
    let text = try await place.run("resolve", "--send-again", file, id, status: 1)
    #expect(text.contains("0 operations put back") && text.contains("only the app"), "\(text)")
    let answer = try await place.document("resolve", "--send-again", file, id)
    #expect(answer["inConflict"] as? [String] == [id])
    #expect(try await outbox.snapshot().conflicted == 1)
    #expect(calls.count.withLock(\.self) == 1, "nothing was sent")
    #expect(try await place.run("resolve", "--accept-remote", file, id).hasPrefix("1 operation"))
    await outbox.shutDown()
    try place.remove()
  }
}
