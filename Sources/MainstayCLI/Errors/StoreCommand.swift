// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AuditCommands
import Foundation
import Mainstay

/// `mainstay errors store`.
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Shows what waits to be sent, and what became of all that was captured.")

  @Argument(help: "The folder of a report store.", completion: .directory)
  var folder: String

  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let status = StoreStatus(of: try snapshot(), in: folder)
    try Terminal.output.write(json ? try Format.json(status) : text(of: status))
    // Whoever reads the status alone has to learn that something is wrong; the rest was just said.
    guard status.isSound else { throw CommandFailure(status: .findings, message: "") }
  }

  private func snapshot() throws -> StoreSnapshot {
    do throws(POSIXError) {
      // Asked first, since a snapshot does not say why it cannot be made.
      if try FileFacts(of: folder).isFolder {
        _ = try LogFiles.names(in: folder)
        if let snapshot = StoreSnapshot(at: folder) { return snapshot }
      }
    } catch { throw LogFiles.failure(folder, error) }
    throw CommandFailure(
      status: .couldNotRun,
      message: "\(LogFiles.name(of: folder)) is not the folder of a report store.")
  }

  private func text(of status: StoreStatus) -> String {
    let subject = status.records == 1 ? "1 report waits" : "\(status.records) reports wait"
    let title = "\(subject) in \(Terminal.safe(folder)), \(Format.count(status.bytes, "byte"))"
    var lines = [Terminal.output.accented(title, .bold)]
    if !status.waiting.isEmpty {
      var table = TextTable([
        "Content type": .left, "Reports": .right, "Bytes": .right, "Oldest": .left,
        "Newest": .left,
      ])
      for waiting in status.waiting {
        table.add([
          waiting.contentType, String(waiting.records), String(waiting.bytes),
          Format.time(waiting.oldest), Format.time(waiting.newest),
        ])
      }
      lines += table.lines.enumerated().map { index, line in
        index == 0 ? Terminal.output.accented(line, .faint) : line
      }
    }
    lines.append("")
    lines += accounts(of: status)
    return lines.joined(separator: "\n") + "\n"
  }

  private func accounts(of status: StoreStatus) -> [String] {
    var rows: [(String, Int, String)] = []
    if let ledger = status.ledger {
      let reasons = ledger.dropped.keys.map { ($0.rawValue, ledger.dropped($0)) }
        .filter { $0.1 > 0 }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
      let memory =
        status.inMemory > 0
        ? "\(status.inMemory) of them in the app's memory, if it still runs" : ""
      rows = [
        ("Captured", ledger.captured, ""), ("  sent", ledger.sent, ""),
        ("  waiting", ledger.pending, memory),
        (
          "  dropped", ledger.droppedInAll,
          reasons.map { "\(Terminal.safe($0.0)) \($0.1)" }.joined(separator: ", ")
        ),
        ("  quarantined", ledger.quarantined, ""), ("Failed requests", ledger.failedRequests, ""),
      ]
      if ledger.resets > 0 { rows.append(("Ledger begun anew", ledger.resets, "")) }
    }
    if status.unreadable > 0 { rows.append(("Unreadable files", status.unreadable, "")) }
    if status.setAside > 0 {
      rows.append(("Quarantine", status.setAside, "damaged, in the folder of that name"))
    }
    let widths = (rows.map(\.0.count).max() ?? 0, rows.map { String($0.1).count }.max() ?? 0)
    let lines = rows.map { name, count, remark in
      let space = String(
        repeating: " ", count: widths.0 - name.count + 2 + widths.1 - String(count).count)
      return "\(name)\(space)\(count)" + (remark.isEmpty ? "" : "  \(remark)")
    }
    if status.ledger == nil { return ["There is no ledger that can be read."] + lines }
    if status.isSteady { return lines }
    return lines + ["The app is at work in the folder: counts may be off by a few."]
  }
}

/// How a store is doing, as far as its folder tells.
struct StoreStatus: Encodable {
  let version = 1
  let folder: String
  /// How many records wait in files.
  let records: Int
  /// How long those files are.
  let bytes: Int
  let waiting: [WaitingRecords]
  /// Whether all this was so at one moment.
  let isSteady: Bool
  /// How many more waited in the app's memory when it last wrote its ledger.
  let inMemory: Int
  /// How many files cannot be read.
  let unreadable: Int
  /// How many damaged files were set aside and are still there.
  let setAside: Int
  /// Nil where there is none that can be read.
  let ledger: ReportStore.Ledger?

  /// Whether all that is there can be read, and the accounts with it.
  var isSound: Bool { unreadable == 0 && ledger != nil }

  init(of snapshot: StoreSnapshot, in folder: String) {
    self.folder = folder
    records = snapshot.waiting.count
    bytes = snapshot.waiting.map(\.bytes).boundedSum
    waiting = WaitingRecords.all(of: snapshot.waiting)
    isSteady = snapshot.isSteady
    inMemory = snapshot.inMemory
    unreadable = snapshot.unreadable
    setAside = snapshot.setAside
    ledger = snapshot.ledger
  }
}
