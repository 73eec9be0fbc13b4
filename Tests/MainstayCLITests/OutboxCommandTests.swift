// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import TestSupport
import Testing

/// The program as a person runs it, on the file of an outbox.
@Suite(.ends(withinMinutes: 20)) struct OutboxCommandTests {
  private struct Note: QueuedOperation {
    static let kind: OperationKind = "note"
    var text: String
  }

  /// What the program lists.
  private struct Listed: Decodable {
    let id: String
    let kind: String
    let state: String
    let reason: String?
    let payload: String?
  }

  /// What the program answers to `list`.
  private struct Listing: Decodable {
    let version: Int
    let operations: [Listed]
    let isMore: Bool
  }

  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "mainstay-cli-outbox-\(UUID().uuidString)", directoryHint: .isDirectory)
  private var url: URL { folder.appending(path: "outbox.sqlite") }
  private var file: String { url.path(percentEncoded: false) }

  private func run(
    _ arguments: String..., status: Int32 = 0
  ) async throws -> String {
    let end = try await BuiltProgram.run("mainstay", ["outbox"] + arguments, environment: [:])
    #expect(end.status == status, "\(end.output)\(end.errors)")
    return status == 0 ? end.output : end.output + end.errors
  }

  private func list(_ arguments: String...) async throws -> [Listed] {
    let end = try await BuiltProgram.run(
      "mainstay", ["outbox", "list", "--json", file] + arguments, environment: [:])
    return try JSONDecoder().decode(Listing.self, from: Data(end.output.utf8)).operations
  }

  /// An outbox with one note that was given up, one that follows it, and one that is delayed.
  private func withOutbox(_ body: (Outbox) async throws -> Void) async throws {
    let outbox = try await Outbox(at: url) {
      Worker(for: Note.self) { note, _ in
        guard note.text == "bad" else { return }
        throw AppError(
          code: "note.refused", kind: .validation, disposition: .permanent,
          title: "It was\u{1b}[2J refused", message: "The service does not take it.")
      }
    }
    try await outbox.enqueue(Note(text: "bad"), orderedBy: "k\u{1b}[2J")
    for await snapshot in outbox.changes where snapshot.dead == 1 { break }
    try await outbox.enqueue(Note(text: "next"), orderedBy: "k\u{1b}[2J")
    try await outbox.enqueue(Note(text: "late"), options: EnqueueOptions(delay: .seconds(86_400)))
    try await body(outbox)
    await outbox.shutDown()
    try FileManager.default.removeItem(at: folder)
  }

  @Test(.requirement("C3")) func `it says how many stand where, while the app runs`() async throws {
    try await withOutbox { _ in
      let text = try await run("status", file)
      #expect(text.hasPrefix("2 operations pending and 1 dead letter in "))
      for line in ["scheduled           1", "blocked             1", "dead                1"] {
        #expect(text.contains(line), "\(text)")
      }
      #expect(text.contains("Every accepted operation is accounted for."))
      #expect(text.contains("Waiting: 1 for a delay."), "\(text)")
      #expect(text.contains("Pending payloads: 30 bytes."), "\(text)")
      #expect(!text.contains("\u{1b}"), "no colour but on a terminal")
      let json = try await run("status", "--json", file)
      let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
      #expect(object?["isBalanced"] as? Bool == true)
      let snapshot = object?["snapshot"] as? [String: Any]
      #expect(snapshot?["bytes"] as? Int == 30)
      #expect((snapshot?["causes"] as? [String: Any])?["delay"] as? Int == 1)
      #expect(try await run("verify", file).hasPrefix("The outbox is whole"))
    }
  }

  @Test func `it names the kinds that are paused`() async throws {
    try await withOutbox { outbox in
      try await outbox.pause(kind: "photo\u{1b}[2J")
      try await outbox.pause(kind: "note")
      let text = try await run("status", file)
      #expect(text.contains("Kind “note” is paused.\nKind “photo"), "\(text)")
      #expect(!text.contains("\u{1b}"))
      let json = try await run("status", "--json", file)
      let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
      #expect(object?["pausedKinds"] as? [String] == ["note", "photo\u{1b}[2J"])
      let id = try #require(try await list().first { $0.state == "blocked" }?.id)
      #expect(try await run("explain", file, id).contains("Its kind “note” is paused."))
    }
  }

  @Test func `it says how long one attempt of an operation may take`() async throws {
    try await withOutbox { outbox in
      let options = EnqueueOptions(delay: .seconds(86_400), timeout: .seconds(5))
      let id = try await outbox.enqueue(Note(text: "limited"), options: options).description
      #expect(try await run("show", file, id).contains("5.0 seconds for one attempt"))
      #expect(try await run("explain", file, id).contains("One attempt may take 5.0 seconds."))
      let json = try await run("show", "--json", file, id)
      let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
      #expect(object?["timeout"] as? Double == 5)
    }
  }

  @Test func `it shows which fields a service refused, and how many attempts that has used up`()
    async throws
  {
    let outbox = try await Outbox(at: url) {
      Worker(for: Note.self) { _, _ in
        let mistake = AppError.validation("No such mailbox.", field: "/to", code: "mail.unknown")
        throw AppError(
          code: "note.refused", kind: .validation, disposition: .permanent, title: "Refused",
          message: "The service does not take it.", underlying: [mistake])
      }
    }
    let id = try await outbox.enqueue(Note(text: "a")).description
    for await snapshot in outbox.changes where snapshot.dead == 1 { break }
    let shown = try await run("show", file, id)
    #expect(shown.contains("/to: No such mailbox. (mail.unknown)"), "\(shown)")
    #expect(shown.contains("Attempts used"))
    #expect(try await run("list", file).contains("Attempts used"))
    let json = try await run("show", "--json", file, id)
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    #expect(object?["fields"] as? [String] == ["/to: No such mailbox. (mail.unknown)"])
    await outbox.shutDown()
    try FileManager.default.removeItem(at: folder)
  }

  @Test(.requirement("O36")) func `it lists, shows and explains`() async throws {
    try await withOutbox { _ in
      let all = try await list()
      #expect(all.map(\.state) == ["blocked", "scheduled", "dead"])
      #expect(try await list("--state", "dead").map(\.reason) == ["refused"])
      #expect(try await list("--kind", "other").isEmpty)
      #expect(try await list("--limit", "1").count == 1)
      let table = try await run("list", file)
      #expect(table.contains(all[2].id) && table.contains("note.refused"))
      let shown = try await run("show", file, all[2].id)
      #expect(shown.contains("Given up") && shown.contains("It was\u{fffd}[2J refused"))
      #expect(!shown.contains("bad"), "a payload is a person’s")
      #expect(shown.contains("Run 1") && shown.contains("note.refused: It was"))
      #expect(try await run("show", "--payload", file, all[2].id).contains(#"{"text":"bad"}"#))
      #expect(try await run("explain", file, all[0].id).contains("redrive or discard that"))
      #expect(try await run("explain", file, all[1].id).contains("at the earliest"))
      #expect(try await run("explain", file, all[2].id).contains("It was given up"))
      let nobody = UUID().uuidString
      let unknown = try await run("show", file, nobody, status: 1)
      #expect(unknown.contains("No operation of this outbox"))
      #expect(try await run("show", file, "x\u{1b}", status: 2).contains("is no identity"))
    }
  }

  @Test(.requirement("O22")) func `what it decides reaches the app that runs`() async throws {
    try await withOutbox { outbox in
      let all = try await list()
      #expect(try await run("retry", file, all[1].id) == "1 operation may run at once.\n")
      for await snapshot in outbox.changes where snapshot.scheduled == 0 { break }
      #expect(try await run("discard", "--all", "--kind", "other", file).hasPrefix("0 dead"))
      #expect(try await run("redrive", "--all", "--reason", "refused", file).hasPrefix("1 dead"))
      // It is refused once more, which the app does by itself.
      for await snapshot in outbox.changes where snapshot.dead == 1 { break }
      #expect(try await run("discard", file, all[2].id) == "1 dead letter discarded.\n")
      for await snapshot in outbox.changes where snapshot.pending == 0 { break }
      let ended = try await run("discard", file, all[2].id, status: 1)
      #expect(ended.contains("\(all[2].id) ended at") && ended.contains(" UTC: discarded."))
      let nobody = UUID().uuidString.lowercased()
      #expect(try await run("discard", file, nobody, status: 1).contains("Not there: \(nobody)"))
      #expect(try await outbox.ledger().isBalanced)
    }
  }

  @Test(.requirement("O22")) func `it ends conflicts, and says where something is in one`()
    async throws
  {
    let outbox = try await Outbox(at: url) {
      Worker(for: Note.self) { _, _ in throw RemoteConflict(remote: Data("theirs".utf8)) }
    }
    let ids = [
      try await outbox.enqueue(Note(text: "a")).description,
      try await outbox.enqueue(Note(text: "b")).description,
    ]
    for await snapshot in outbox.changes where snapshot.conflicted == 2 { break }
    for command in ["discard", "retry", "redrive"] {
      let answer = try await run(command, file, ids[0], status: 1)
      #expect(answer.contains("In conflict: \(ids[0])") && answer.contains("outbox resolve"))
    }
    #expect(try await run("resolve", file, ids[0], status: 2).contains("--accept-remote"))
    #expect(try await run("resolve", "--accept-remote", file, ids[0]) == "1 operation dropped.\n")
    for await snapshot in outbox.changes where snapshot.pending == 1 { break }
    let sent = try await run("resolve", "--send-again", file, ids[1])
    #expect(sent == "1 operation put back, to be sent again.\n")
    let ended = try await run("resolve", "--send-again", file, ids[0], status: 1)
    #expect(ended.contains("\(ids[0]) ended at") && ended.contains(": dropped."))
    #expect(try await outbox.ledger().count(.dropped) == 1)
    await outbox.shutDown()
    try FileManager.default.removeItem(at: folder)
  }

  @Test func `it says what is wrong with what was typed`() async throws {
    try await withOutbox { _ in
      #expect(try await run("list", "--state", "odd", file, status: 2).contains("one of ready"))
      #expect(try await run("list", "--limit", "0", file, status: 2).contains("1 or more"))
      #expect(try await run("redrive", file, status: 2).contains("--all"))
      #expect(
        try await run("discard", "--reason", "x", file, UUID().uuidString, status: 2)
          .contains("--all"))
      for command in ["status", "list", "verify"] {
        let answer = try await run(command, file + ".nowhere", status: 3)
        #expect(answer.contains("is not there"))
      }
      #expect(try await run("redrive", "--all", file + ".nowhere", status: 3).contains("not there"))
      #expect(!FileManager.default.fileExists(atPath: file + ".nowhere"), "nothing is made")
    }
  }

  @Test(.requirement("O21")) func `it leaves alone what a newer build wrote, or what is no outbox`()
    async throws
  {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("A text.".utf8).write(to: url)
    for command in ["status", "verify"] {
      #expect(try await run(command, file, status: 3).contains("is no database"))
    }
    #expect(try Data(contentsOf: url) == Data("A text.".utf8))
    try FileManager.default.removeItem(at: folder)
    try await withOutbox { outbox in
      await outbox.shutDown()
      try await SQLiteFile.execute(
        "UPDATE mainstay_meta SET value = 99 WHERE key = 'min_writer'", in: url)
      #expect(try await run("status", file).contains("2 operations"), "it may still be read")
      let answer = try await run("redrive", "--all", file, status: 3)
      #expect(answer.contains("newer version") && answer.contains("format 99"))
      try await SQLiteFile.execute(
        "UPDATE mainstay_meta SET value = 99 WHERE key = 'min_reader'", in: url)
      #expect(try await run("status", file, status: 3).contains("format 99"))
    }
  }

  @Test func `what is no file is named, and holds nobody up`() async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    #expect(mkfifo(file, 0o600) == 0)
    let folderName = folder.path(percentEncoded: false)
    for command in ["status", "verify"] {
      #expect(try await run(command, file, status: 3).contains("\(file) is no file"))
      #expect(try await run(command, folderName, status: 3).contains("is a folder"))
    }
    try FileManager.default.removeItem(at: folder)
  }

  @Test(.requirement("O21")) func `a file of an older build is left to the app that uses it`()
    async throws
  {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try await SQLiteFile.execute(
      """
      CREATE TABLE op (id INTEGER);
      CREATE TABLE meta (key TEXT, value);
      CREATE TABLE grdb_migrations (identifier TEXT);
      INSERT INTO grdb_migrations VALUES ('mainstay.outbox.1');
      """, in: url)
    let before = try Data(contentsOf: url)
    for command in [["status"], ["redrive", "--all"], ["verify"]] {
      let end = try await BuiltProgram.run(
        "mainstay", ["outbox"] + command + [file], environment: [:])
      #expect(end.status == 3 && end.errors.hasPrefix("mainstay: \(file) has an older format"))
    }
    #expect(try Data(contentsOf: url) == before)
    try FileManager.default.removeItem(at: folder)
  }

  @Test func `it finds damage and a ledger that does not balance`() async throws {
    try await withOutbox { outbox in
      await outbox.shutDown()
      try await SQLiteFile.execute(
        "UPDATE mainstay_meta SET value = 9 WHERE key = 'enqueued'", in: url)
      let answer = try await run("verify", file, status: 1)
      #expect(answer.contains("9 were accepted, 2 are pending, 1 are dead letters"))
      #expect(try await run("status", file).contains("does not balance"))
      let json = try await run("verify", "--json", file, status: 1)
      #expect(json.contains("\"findings\""))
    }
  }

  @Test func `a damaged database of an app is left to the app`() async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let queue = try SQLiteFile.open(url)
    let outbox = try await Outbox(in: queue) { Worker(for: Note.self) { _, _ in } }
    try await outbox.enqueue(Note(text: "late"), options: EnqueueOptions(delay: .seconds(86_400)))
    await outbox.shutDown()
    // An index of the app's says something else than its table.
    try await queue.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          CREATE TABLE book (title TEXT);
          CREATE TABLE page (number INTEGER);
          CREATE INDEX book_title ON book (title);
          CREATE INDEX page_number ON page (number);
          INSERT INTO book VALUES ('Emma');
          PRAGMA writable_schema = ON;
          UPDATE sqlite_schema SET rootpage =
            (SELECT rootpage FROM sqlite_schema WHERE name = 'page_number')
            WHERE name = 'book_title';
          PRAGMA writable_schema = RESET;
          """)
    }
    try queue.close()
    // The next one that opens it looks for damage.
    try Data().write(to: folder.appending(path: "outbox.sqlite-check"))
    let id = try #require(try await list().first).id
    #expect(try await run("retry", file, id) == "1 operation may run at once.\n")
    await #expect(throws: OutboxError.self) {
      try await Outbox(at: url) { Worker(for: Note.self) { _, _ in } }
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(!names.contains { $0.contains("damaged") || $0.contains("reserve") })
    let title = try await SQLiteFile.open(url).read { db in
      try String.fetchOne(db, sql: "SELECT title FROM book NOT INDEXED")
    }
    #expect(title == "Emma")
    try FileManager.default.removeItem(at: folder)
  }
}
