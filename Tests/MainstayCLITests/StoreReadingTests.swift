// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

/// Folders of report stores, read by the program while an app may use them.
@Suite(.ends(withinMinutes: 20)) struct StoreReadingTests {
  /// A service that answers as often as it is told to, and is not there afterwards.
  private final class Service: ReportTransport {
    struct Unreachable: Error {}

    private let answers: Locked<Int>

    init(answers: Int) { self.answers = Locked(answers) }

    func send(_ request: ReportStore.Request) async throws -> ReportStore.Reply {
      let answers = answers.withLock { answers in
        answers -= 1
        return answers
      }
      guard answers >= 0 else { throw Unreachable() }
      return ReportStore.Reply(status: 200)
    }
  }

  /// How the program shows a store.
  private struct Shown: Decodable {
    struct Waiting: Decodable {
      let contentType: String
      let records: Int
      let bytes: Int
      let oldest: String
      let newest: String
    }

    let records: Int
    let bytes: Int
    let inMemory: Int
    let unreadable: Int
    let setAside: Int
    let waiting: [Waiting]
    let ledger: ReportStore.Ledger?
  }

  private let log: SampleLog
  private let reports: [ErrorReport]
  private var folder: String { log.folder.path + "/reports" }

  init() async throws {
    log = try await SampleLog()
    let data = try Data(contentsOf: URL(filePath: log.file))
    reports = ErrorReport.Encoding.contents(ofJSON: data).reports
  }

  private func store(answers: Int = 0, reserve: Int = 0) -> ReportStore {
    ReportStore(
      at: URL(filePath: folder), ReportStore.Configuration(reserve: reserve), replies: .otlp,
      transport: Service(answers: answers), backoff: .none)
  }

  private func keep(
    _ reports: some Sequence<ErrorReport>, as encoding: ErrorReport.Encoding, in store: ReportStore
  ) async {
    for report in reports {
      #expect(await store.keep(encoding.record(of: report)) == .kept)
    }
  }

  private func run(_ arguments: String...) async throws -> BuiltProgram.End {
    try await BuiltProgram.run("mainstay", ["errors"] + arguments)
  }

  private func shown(status: Int32 = 0) async throws -> Shown {
    let end = try await run("store", "--json", folder)
    #expect(end.status == status && end.errors == "", "\(end)")
    return try JSONDecoder().decode(Shown.self, from: Data(end.output.utf8))
  }

  private var records: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".report") }.sorted()
  }

  /// Everything in the folder: names, contents and when it was changed.
  private func everything() throws -> [String: String] {
    var all: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) + ["."] {
      var information = stat()
      #expect(stat(folder + "/" + name, &information) == 0)
      #if canImport(Darwin)
        let changed = information.st_ctimespec
      #else
        let changed = information.st_ctim
      #endif
      let data = FileManager.default.contents(atPath: folder + "/" + name)
      all[name] = "\(changed) \(data?.base64EncodedString() ?? "-")"
    }
    return all
  }

  @Test func `a store of JSON is read as if its reports were logged`()
    async throws
  {
    let store = store()
    await keep(reports, as: .json, in: store)
    await store.shutDown()
    let logged = try await run("top", log.file)
    for paths in [[folder], [folder, folder + "/"], [folder, log.folder.path]] {
      let end = try await BuiltProgram.run("mainstay", ["errors", "top"] + paths)
      #expect(end.status == 0 && end.errors == "", "\(end)")
      #expect(end.output.hasSuffix("7 errors in 2 groups\n"))
      if paths.count == 2, paths[1] == log.folder.path { #expect(end.output == logged.output) }
    }
    let detail = try await run("show", "list.odd", folder)
    #expect(detail.output.hasPrefix("Odd\nA list has <b>odd</b>"))
    let trend = try await run("trend", folder)
    #expect(trend.output.hasPrefix("7 errors, per hour\n"))
    let page = try await run("export", "--format", "html", folder)
    #expect(page.output.contains("7 errors in 2 groups"))
  }

  @Test func `a store that an app holds is read without its lock, and nothing is changed`()
    async throws
  {
    let store = store()
    await keep(reports, as: .json, in: store)
    let name = try #require(records.first)
    let whole = try Data(contentsOf: URL(filePath: folder + "/" + name))
    try whole.dropLast(9).write(to: URL(filePath: folder + "/" + name))
    let before = try everything()
    for command in ["top", "trend", "export", "store"] {
      let end = try await run(command, folder)
      #expect(end.status == (command == "store" ? 1 : 0), "\(end)")
      let complaint = "mainstay: 1 record of a store cannot be read and is left out.\n"
      #expect(end.errors == (command == "store" ? "" : complaint))
    }
    #expect(try everything() == before)
    let shown = try await shown(status: 1)
    #expect(shown.unreadable == 1 && shown.records == 6 && shown.ledger?.isBalanced == true)
    try whole.write(to: URL(filePath: folder + "/" + name))
    let status = await store.status
    #expect(status.condition == .writing && status.ledger.isBalanced && status.pending == 7)
  }

  @Test func `what only a service can read is told with its times and sizes`() async throws {
    let store = store()
    await keep(reports.prefix(3), as: .otlp, in: store)
    await keep(reports.suffix(1), as: .sentry, in: store)
    let alone = try await run("top", folder)
    #expect(alone.status == 0 && alone.output == "No errors that can be shown.\n")
    let lines = alone.errors.split(separator: "\n")
    #expect(lines.count == 2, "\(alone.errors)")
    #expect(
      try #require(lines.first).hasPrefix(
        "mainstay: 3 reports wait that only their service can read (application/json): "))
    #expect(
      try #require(lines.first).hasSuffix(
        " bytes, from 2026-01-15 08:00:00 to 2026-01-15 09:00:00 UTC."))
    #expect(
      try #require(lines.last).hasPrefix(
        "mainstay: 1 report waits that only its service can read (application/x-sentry-envelope): ")
    )
    #expect(try #require(lines.last).hasSuffix(" bytes, of 2026-01-15 11:00:00 UTC."))
    await keep(reports.dropFirst(3).prefix(2), as: .json, in: store)
    let mixed = try await run("top", folder)
    #expect(mixed.output.hasSuffix("2 errors in 1 group\n") && mixed.errors == alone.errors)
    let export = try await run("export", folder)
    let document = try JSONSerialization.jsonObject(with: Data(export.output.utf8))
    let services = (document as? [String: Any])?["onlyForServices"] as? [[String: Any]]
    #expect(services?.map { $0["records"] as? Int } == [3, 1])
    let page = try await run("export", "--format", "html", folder)
    #expect(page.output.contains("Reports that wait and only a service can read: 4."))
  }

  @Test func `the state of a store is shown, and its ledger balances`()
    async throws
  {
    let first = store(answers: 2)
    await keep(reports.prefix(6), as: .json, in: first)
    _ = await first.drain()
    await keep(reports.suffix(1), as: .otlp, in: first)
    await first.shutDown()
    _ = await first.keep(ErrorReport.Encoding.json.record(of: reports[0]))
    let name = try #require(records.first)
    try Data("damaged".utf8).write(to: URL(filePath: folder + "/" + name))
    let second = store()
    #expect(await second.status.ledger.quarantined == 1)
    let shown = try await shown()
    let ledger = try #require(shown.ledger)
    let own = await second.ledger
    #expect(ledger.isBalanced && ledger == own)
    #expect(ledger.captured == 7 && ledger.sent == 2 && ledger.pending == 4)
    #expect(shown.records == 4 && shown.setAside == 1 && shown.unreadable == 0)
    #expect(shown.waiting.map(\.contentType) == ["application/json", "application/x-ndjson"])
    #expect(shown.waiting.map(\.records) == [1, 3])
    #expect(shown.waiting.map(\.bytes).reduce(0, +) == shown.bytes && shown.bytes > 1_000)
    #expect(shown.waiting[0].oldest == "2026-01-15T11:00:00.000Z")
    let text = try await run("store", folder).output
    #expect(text.hasPrefix("4 reports wait in \(folder), "), "\(text)")
    #expect(
      text.contains("\nCaptured         7\n  sent           2\n  waiting        4\n"), "\(text)")
    #expect(text.contains("\n  quarantined    1\n"), "\(text)")
    #expect(
      text.hasSuffix("\nQuarantine       1  damaged, in the folder of that name\n"), "\(text)")
  }

  @Test func `what waits in an app's memory is told apart`() async throws {
    let first = store()
    await keep(reports.prefix(1), as: .json, in: first)
    await first.shutDown()
    // No volume has that much room left.
    let second = store(reserve: .max)
    for report in reports.dropFirst().prefix(2) {
      #expect(await second.keep(ErrorReport.Encoding.json.record(of: report)) == .keptInMemory)
    }
    await second.shutDown()
    let shown = try await shown()
    let ledger = try #require(shown.ledger)
    #expect(shown.records == 1 && shown.inMemory == 2)
    #expect(ledger.isBalanced && ledger.pending == 3 && ledger.droppedInAll == 0)
    let text = try await run("store", folder).output
    #expect(text.hasPrefix("1 report waits in \(folder), "))
    #expect(
      text.contains("\n  waiting        3  2 of them in the app's memory, if it still runs\n"))
  }

  @Test func `a store that is busy is seen at one moment`() async throws {
    let store = store(answers: .max)
    let (records, isOver) = (reports.map { ErrorReport.Encoding.json.record(of: $0) }, Flag())
    await store.keep(records[0])
    async let work: Void = {
      while !isOver.isRaised, !Task.isCancelled {
        for record in records { await store.keep(record) }
        _ = await store.drain()
      }
    }()
    var steady = 0
    for _ in 0..<300 {
      let seen = try #require(StoreSnapshot(at: folder))
      let ledger = try #require(seen.ledger)
      guard seen.isSteady else { continue }
      steady += 1
      #expect(ledger.isBalanced && ledger.droppedInAll == 0 && seen.unreadable == 0, "\(seen)")
      #expect(seen.waiting.count == ledger.pending)
    }
    let end = try await run("store", folder)
    #expect(end.status == 0, "\(end)")
    isOver.raise()
    await work
    let rest = StoreSnapshot(at: folder)
    let own = await store.ledger
    #expect(rest?.isSteady == true && rest?.ledger == own && own.captured > 0)
    #expect(steady > 0, "of 300 looks at a folder that changes")
  }

  @Test func `a folder that is not that of a store is said to be none`() async throws {
    let (path, missing) = (log.folder.path, log.folder.path + "/none")
    let end = try await run("store", path)
    #expect(end.status == 3 && end.output == "")
    #expect(end.errors == "mainstay: \(path) is not the folder of a report store.\n")
    let file = try await run("store", log.file)
    #expect(file.errors == "mainstay: \(log.file) is not the folder of a report store.\n")
    let nothing = try await run("store", missing)
    #expect(nothing.status == 3 && nothing.errors == "mainstay: \(missing) does not exist.\n")
  }

  @Test func `a store without a ledger still shows what waits`() async throws {
    let store = store()
    await keep(reports, as: .json, in: store)
    await store.shutDown()
    try Data("nothing".utf8).write(to: URL(filePath: folder + "/ledger"))
    let end = try await run("store", folder)
    #expect(end.status == 1 && end.output.hasPrefix("7 reports wait in ") && end.errors == "")
    #expect(end.output.hasSuffix("\n\nThere is no ledger that can be read.\n"), "\(end.output)")
    #expect(try await run("top", folder).output.hasSuffix("7 errors in 2 groups\n"))
  }
}
