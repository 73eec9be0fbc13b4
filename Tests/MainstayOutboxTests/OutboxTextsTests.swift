// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

@Suite struct OutboxTextsTests {
  private let errors = OutboxError.Code.all.map { OutboxError($0, details: "/tmp/x").appError }

  @Test(.requirement("A51", "A52", "B3", "E10", "E11"))
  func `what an outbox says has no findings in any language`() {
    #expect(Set(errors.map(\.code)).count == 16)
    let all = errors + [Snooze(for: .seconds(60)).appError]
    let lint = MessageLint(
      languages: TextCatalog.standard.languages, catalog: .standard)
    for finding in lint.findings(in: all) {
      Issue.record("\(finding)")
    }
  }

  @Test(.requirement("B43"))
  func `what a change waits for is said in a few words in each language`() throws {
    let id = OperationID(UUID())
    let now = Date(timeIntervalSince1970: 0)
    let obstacles: [Obstacle] = [
      .running, .notBefore(now), .follows(id), .followsDeadLetter(id),
      .lane(.main, .needsUser, until: nil), .lane(.main, .throttled, until: now), .paused,
      .constraint(.network), .newerFormat, .conflict, .circuitIsProbed,
      .givenUp(.refused, message: "No.", since: now),
    ]
    let texts = obstacles.map(\.text)
    #expect(Set(texts.map(\.key)).count == 11, "a service is waited for in two ways")
    let errors = texts.map {
      AppError(code: "a", kind: .server, disposition: .permanent, title: $0, message: "M.")
    }
    let lint = MessageLint(languages: TextCatalog.standard.languages, catalog: .standard)
    for finding in lint.findings(in: errors) where finding.key != nil {
      Issue.record("\(finding)")
    }
    let explained = OperationExplanation(
      id: id, state: .ready,
      obstacles: [.paused, .lane(.main, .needsUser, until: nil)])
    #expect(explained.text?.string() == "Waits for you to sign in or do what is asked")
    #expect(OperationExplanation(id: id, state: .ready, obstacles: []).text == nil)
  }
}

/// The outbox's part of `Documentation/Strategy.md`.
@Suite struct OutboxStrategyTests {
  @Test(.requirement("A50", "A41")) func `the page lists the errors of the outbox`() throws {
    let rows = OutboxError.Code.all.map { code in
      let error = OutboxError(code, details: "").appError
      return StrategyPage.Row(
        code: error.code.rawValue, kind: error.kind.rawValue,
        disposition: String(String(describing: error.disposition).prefix { $0 != "(" }),
        severity: error.severity.rawValue, title: error.title.description)
    }
    let lines =
      ["", "## MainstayOutbox", ""]
      + StrategyPage.policies(
        """
        each operation is tried up to 25 times, after 1 to 300 seconds, three times where nobody \
        classified its error; a lane waits where the other side asks for it.
        """)
      + [""] + StrategyPage.table(of: rows) + [""]
    let written = try StrategyPage.section(of: "MainstayOutbox", writing: lines)
    #expect(written == lines, "\(StrategyPage.path) is stale. Run `make requirements`.")
  }
}

@Suite struct DatabaseErrorMappingTests {
  @Test(.requirement("B14")) func `errors of GRDB are mapped by their results`() {
    let mapping = ErrorMapping.standard.addingDatabaseErrors()
    let full = mapping.map(DatabaseError(resultCode: .SQLITE_FULL))
    #expect(full.kind == .storageFull)
    #expect(full.cause(as: DatabaseError.self)?.resultCode == .SQLITE_FULL)
    let taken = mapping.map(DatabaseError(resultCode: .SQLITE_CONSTRAINT_UNIQUE, sql: "secret"))
    #expect(taken.disposition == .permanent)
    #expect(taken.details?.contains("secret") != true)
    let missing = mapping.map(RecordError.recordNotFound(databaseTableName: "t", key: [:]))
    #expect(missing.kind == .notFound && missing.disposition == .permanent)
    let unread = #expect(throws: RowDecodingError.self) {
      try DatabaseQueue().read {
        try Row.fetchOne($0, sql: "SELECT NULL AS a")?.decode(Int.self, forColumn: "a")
      }
    }
    #expect(unread.map { mapping.map($0).kind } == .decoding)
    let stopped = mapping.map(DatabaseError(resultCode: .SQLITE_INTERRUPT))
    #expect(stopped.isCancellation)
  }

  private struct Patient: Codable, FetchableRecord, PersistableRecord {
    var name: String
    var age: Int
  }

  @Test(.requirement("B14"), arguments: [true, false])
  func `neither a statement nor a key nor a row is shown or kept`(isMapped: Bool) throws {
    let mapping = isMapped ? ErrorMapping.standard.addingDatabaseErrors() : .standard
    let queue = try DatabaseQueue()
    let insert = "INSERT INTO patient VALUES ('Ada Lovelace', NULL)"
    try queue.write { db in
      try db.execute(sql: "CREATE TABLE patient(name TEXT PRIMARY KEY, age)")
      try db.execute(sql: insert)
    }
    let taken = #expect(throws: DatabaseError.self) {
      try queue.write { try $0.execute(sql: insert) }
    }
    let missing = #expect(throws: RecordError.self) {
      try queue.write { try Patient(name: "Ada Lovelace Byron", age: 1).update($0) }
    }
    let unread = #expect(throws: RowDecodingError.self) {
      try queue.read { try Patient.fetchOne($0, sql: "SELECT * FROM patient") }
    }
    let errors: [(any Error)?] = [taken, missing, unread]
    for error in errors.compactMap(\.self) {
      let mapped = mapping.map(error)
      let monitor = ErrorMonitor(sinks: [])
      monitor.capture(mapped)
      let report = try #require(monitor.history.first)
      let texts = [
        "\(mapped)", mapped.message.description, mapped.details ?? "", "\(report)",
        String(decoding: try JSONEncoder().encode(mapped), as: UTF8.self),
        String(decoding: try JSONEncoder().encode(report), as: UTF8.self),
      ]
      for text in texts { #expect(!text.contains("Lovelace") && !text.contains("INSERT")) }
    }
    #expect(taken.map { "\(mapping.map($0))".contains("UNIQUE constraint failed") } == true)
  }
}
