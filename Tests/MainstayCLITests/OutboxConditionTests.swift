// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import TestSupport
import Testing

/// What `mainstay outbox` says of how an outbox is doing.
@Suite(.ends(withinMinutes: 20)) struct OutboxConditionTests {
  private typealias Note = OutboxFolder.Note

  private let place = OutboxFolder()
  private var file: String { place.file }

  @Test func `it says who has the outbox open, and that nobody has`() async throws {
    let outbox = try await place.open()
    _ = try await place.enqueueBad(outbox)
    let late = try await place.enqueueLate(outbox).description
    let number = ProcessInfo.processInfo.processIdentifier
    let text = try await place.run("status", file)
    #expect(text.contains("Open in process \(number) since 20"), "\(text)")
    #expect(text.contains(" UTC, which works on note 1."), "\(text)")
    let owners = try await place.document("status", file)["owners"] as? [[String: Any]]
    #expect(owners?.map { $0["reads"] as? [String] } == [["note 1"]])
    #expect(try await !place.run("explain", file, late).contains("No process"))
    await outbox.shutDown()
    #expect(try await place.run("status", file).contains("No process has this outbox open."))
    #expect((try await place.document("status", file)["owners"] as? [Any])?.isEmpty == true)
    let alone = try await place.run("explain", file, late)
    #expect(alone.contains("No process has this outbox open."), "\(alone)")
    try place.remove()
  }

  @Test func `it says where nobody works on a kind`() async throws {
    struct Photo: QueuedOperation {
      static let kind: OperationKind = "photo"
      var name: String
    }
    let first = try await place.open()
    let late = try await place.enqueueLate(first).description
    await first.shutDown()
    let outbox = try await Outbox(at: place.url) { Worker(for: Photo.self) { _, _ in } }
    try await outbox.enqueue(Photo(name: "a"))
    for await snapshot in outbox.changes where snapshot.pending == 1 { break }
    let text = try await place.run("explain", file, late)
    #expect(text.contains("has asked for work of note, version 1."), "\(text)")
    await outbox.shutDown()
    try place.remove()
  }

  @Test func `a list has as many of a state as the status counts`() async throws {
    let outbox = try await place.open()
    _ = try await place.enqueueBad(outbox)
    _ = try await place.enqueueLate(outbox)
    try await outbox.pause("photos")
    for _ in 0..<2 {
      try await outbox.enqueue(Note(text: "a"), options: EnqueueOptions(lane: "photos"))
    }
    try await outbox.pause(kind: "letter")
    await outbox.pause()
    try await outbox.enqueue(Note(text: "b"))
    let snapshot = try #require(
      try await place.document("status", file)["snapshot"] as? [String: Any])
    let names = [
      "running", "ready", "scheduled", "blocked", "waiting", "conflicted", "parked", "dead",
    ]
    for name in names {
      let listed = try await place.list("--state", name).operations
      #expect(listed.count == snapshot[name] as? Int, "\(name)")
      #expect(listed.allSatisfy { $0["state"] as? String == name })
    }
    #expect(snapshot["waiting"] as? Int == 2 && snapshot["ready"] as? Int == 1)
    #expect(try await place.list("--state", "leased").operations.isEmpty, "the word of the file")
    await outbox.shutDown()
    try place.remove()
  }

  @Test func `a document says whether there is more, and how long in seconds`() async throws {
    let outbox = try await place.open()
    for _ in 0..<2 { _ = try await place.enqueueLate(outbox) }
    let one = try await place.list("--limit", "1")
    #expect(one.operations.count == 1 && one.isMore)
    let two = try await place.list("--limit", "2")
    #expect(two.operations.count == 2 && !two.isMore)
    let status = try await place.document("status", file)
    #expect(status["version"] as? Int == 2)
    let snapshot = status["snapshot"] as? [String: Any]
    #expect(try #require(snapshot?["oldestAge"] as? Double) >= 0)
    for id in try await outbox.operations().map(\.id) { _ = try await outbox.cancel(id) }
    let ledger = try await place.document("status", file)["ledger"] as? [String: Any]
    let receipts = ledger?["receipts"] as? [[String: Any]]
    #expect(receipts?.map { $0["reason"] as? String } == ["cancelled"])
    await outbox.shutDown()
    try place.remove()
  }

  @Test func `times have their zone`() async throws {
    let outbox = try await place.open()
    let dead = try await place.enqueueBad(outbox).description
    let late = try await place.enqueueLate(outbox).description
    let shown = try await place.run("show", file, late)
    #expect(shown.matches(of: /20[0-9-]{8} [0-9:]{8} UTC/).count == 2, "enqueued and due: \(shown)")
    #expect(try await place.run("show", file, dead).contains("refused at 20"))
    let listed = try await place.run("list", file)
    #expect(listed.matches(of: /20[0-9-]{8} [0-9:]{8} UTC/).count == 3, "\(listed)")
    #expect(try await place.run("status", file).contains(/was given up at 20.* UTC\./))
    await outbox.shutDown()
    try place.remove()
  }

  @Test func `dead letters that are many deserve a word`() async throws {
    let outbox = try await place.open()
    _ = try await place.enqueueBad(outbox)
    let text = try await place.run("status", file)
    #expect(text.contains("Payloads of dead letters: 14 bytes"), "\(text)")
    #expect(!text.contains("--older-than"))
    let few = try await place.document("status", file)["deadLetters"] as? [String: Any]
    #expect(few?["count"] as? Int == 1 && few?["bytes"] as? Int == 14)
    #expect(few?["areMany"] as? Bool == false)
    await outbox.shutDown()
    let columns = """
      kind, version, codec, lane, enqueued_at, attempt, crashes, effect, lease_token, payload, \
      reason, since, holds_key
      """
    try await SQLiteFile.execute(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
      INSERT INTO mainstay_dead (id, uuid, idem_key, \(columns))
      SELECT 1000 + i, randomblob(16), 'key' || i, \(columns) FROM n CROSS JOIN mainstay_dead
      """, in: place.url)
    #expect(try await place.run("status", file).contains("discard --all --older-than 30d"))
    let many = try await place.document("status", file)["deadLetters"] as? [String: Any]
    #expect(many?["areMany"] as? Bool == true)
    try place.remove()
  }

  @Test func `what an opening finds is told`() async throws {
    let outbox = try await place.open()
    _ = try await place.enqueueBad(outbox)
    let late = try await place.enqueueLate(outbox).description
    await outbox.shutDown()
    // An index says something else than its table, and the next one that opens it looks for that.
    try await SQLiteFile.execute(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET rootpage =
        (SELECT rootpage FROM sqlite_schema WHERE name = 'mainstay_dead_key')
        WHERE name = 'mainstay_op_due';
      PRAGMA writable_schema = RESET;
      """, in: place.url)
    try Data().write(to: place.folder.appending(path: "outbox.sqlite-check"))
    let end = try await OutboxFolder.run(["retry", "--json", file, late])
    #expect(end.status == 0, "\(end)")
    let document = try JSONSerialization.jsonObject(with: Data(end.output.utf8)) as? [String: Any]
    #expect(document?["done"] as? [String] == [late])
    let found = document?["found"] as? [String: Any]
    let salvage = try #require(found?["salvage"] as? [String: Any], "\(end)")
    #expect(salvage["operations"] as? Int == 1 && salvage["deadLetters"] as? Int == 1)
    #expect(end.errors.contains("The file was damaged and was mended."), "\(end.errors)")
    #expect(end.errors.contains("outbox.sqlite.damaged-"), "\(end.errors)")
    try place.remove()
  }

  @Test func `what is given up for want of another one is told`() async throws {
    let outbox = try await place.open()
    let needed = try await place.enqueueBad(outbox)
    await outbox.shutDown()
    let other = try await place.open()
    let id = try await other.enqueue(
      Note(text: "good"), options: EnqueueOptions(dependencies: .init([needed])))
    let end = try await OutboxFolder.run(["discard", "--json", file, needed.description])
    #expect(end.status == 0)
    #expect(
      end.errors.contains("Given up meanwhile: 1 operation (1 dependencyFailed)."), "\(end.errors)")
    let document = try JSONSerialization.jsonObject(with: Data(end.output.utf8)) as? [String: Any]
    let found = document?["found"] as? [String: Any]
    let letters = found?["givenUp"] as? [[String: Any]]
    #expect(letters?.map { $0["id"] as? String } == [id.description])
    await other.shutDown()
    try place.remove()
  }
}
