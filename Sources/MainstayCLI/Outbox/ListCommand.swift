// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AuditCommands
import Foundation
import Mainstay
import MainstayOutbox

/// `mainstay outbox list`.
struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists operations, the oldest first, and then dead letters, the oldest first.")

  /// What is listed.
  struct Listing: Encodable {
    let version = 1
    let operations: [ShownOperation]
    /// Whether `--limit` left some out.
    let isMore: Bool
  }

  @OptionGroup var file: OutboxFile

  @Option(help: "Only those of this state as status counts it, such as ready, running or dead.")
  var state: String?

  @Option(help: "Only those of this kind.")
  var kind: String?

  @Option(help: "How many, 1 or more.")
  var limit = 100

  func validate() throws {
    guard limit >= 1 else { throw ValidationError("--limit must be 1 or more, not \(limit).") }
    if let state, Standing.name(typed: state) == nil {
      let names = Standing.names.joined(separator: ", ")
      throw ValidationError("--state must be one of \(names), not \(Terminal.safe(state)).")
    }
  }

  func run() async throws {
    let (shown, isMore) = try await file.look { try await found(in: $0) }
    if file.json {
      let listing = Listing(operations: shown, isMore: isMore)
      return try Terminal.output.write(try Format.json(listing))
    }
    guard !shown.isEmpty else { return try Terminal.output.write("No operations.\n") }
    var table = TextTable([
      "Identity": .left, "Kind": .left, "State": .left, "Attempts used": .right,
      "Enqueued": .left, "Due": .left, "Last error": .left,
    ])
    for operation in shown {
      table.add([
        operation.id, operation.kind, operation.state, String(operation.attempts),
        Format.utc(operation.enqueued), Format.utc(operation.due),
        operation.code ?? operation.reason ?? "–",
      ])
    }
    let lines = table.lines.enumerated().map { index, line in
      if index == 0 { return Terminal.output.accented(line, .bold) }
      return shown[index - 1].state == "dead" ? Terminal.output.accented(line, .red) : line
    }
    try Terminal.output.write(lines.joined(separator: "\n") + "\n")
    if isMore {
      let text = "There are more: --limit shows them.\n"
      try Terminal.output.write(Terminal.output.accented(text, .faint))
    }
  }

  /// How many there are to look at, where a person may have to wait for that; else none.
  private func total(of store: any InspectableStore) async throws -> Int {
    // Counting takes its time, too, and without a choice the first ones are those that are listed.
    let isLong = state != nil || kind != nil || limit >= RowBar.shortest
    guard isLong, Terminal.complaints.isInteractive else { return 0 }
    let snapshot = try await store.snapshot()
    return snapshot.pending + snapshot.dead
  }

  /// What is listed, and whether there is more of it.
  private func found(
    in store: any InspectableStore
  ) async throws -> (shown: [ShownOperation], isMore: Bool) {
    var found: [ShownOperation] = []
    let bar = RowBar("Looking")
    defer { bar.end() }
    let total = try await total(of: store)
    let standing = try await Standing(in: store)
    let state = state.flatMap(Standing.name(typed:))
    var rows = 0
    func take(_ operation: ShownOperation) -> Bool {
      rows += 1
      if rows.isMultiple(of: 500) { bar.show(rows, of: total) }
      if state ?? operation.state == operation.state, kind ?? operation.kind == operation.kind {
        found.append(operation)
      }
      return found.count <= limit
    }
    try await store.eachOperation { take(ShownOperation($0, standing)) }
    if found.count <= limit {
      try await store.eachLetter { take(ShownOperation($0.operation, standing, letter: $0)) }
    }
    return (Array(found.prefix(limit)), found.count > limit)
  }
}
