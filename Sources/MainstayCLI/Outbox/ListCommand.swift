// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Mainstay
import MainstayOutbox

/// `mainstay outbox list`.
struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists operations and dead letters, the oldest first.")

  @OptionGroup var file: OutboxFile

  @Option(help: "Only those of this state, such as ready, scheduled or dead.")
  var state: String?

  @Option(help: "Only those of this kind.")
  var kind: String?

  @Option(help: "How many, 1 or more.")
  var limit = 100

  func validate() throws {
    guard limit >= 1 else { throw ValidationError("--limit must be 1 or more, not \(limit).") }
    let states = OperationState.allCases.map(\.rawValue) + ["dead"]
    if let state, !states.contains(state) {
      throw ValidationError(
        "--state must be one of \(states.joined(separator: ", ")), not \(Terminal.safe(state)).")
    }
  }

  func run() async throws {
    let all = try await file.look { store in
      let operations = try await pages { try await store.operations(after: $0, limit: 1000) }
      let letters = try await pages { try await store.deadLetters(after: $0, limit: 1000) }
      return operations.map { ShownOperation($0) }
        + letters.map { ShownOperation($0.operation, letter: $0) }
    }
    let wanted = all.filter { state ?? $0.state == $0.state && kind ?? $0.kind == $0.kind }
    let shown = wanted.prefix(limit).map { $0 }
    if file.json { return try Terminal.output.write(try Format.json(shown)) }
    guard !shown.isEmpty else { return try Terminal.output.write("No operations.\n") }
    var table = TextTable([
      "Identity": .left, "Kind": .left, "State": .left, "Attempts": .right, "Enqueued": .left,
      "Due": .left, "Last error": .left,
    ])
    for operation in shown {
      table.add([
        operation.id, operation.kind, operation.state, String(operation.attempts),
        Format.time(operation.enqueued), operation.due.map(Format.time) ?? "–",
        operation.code ?? operation.reason ?? "–",
      ])
    }
    let lines = table.lines.enumerated().map { index, line in
      if index == 0 { return Terminal.output.accented(line, .bold) }
      return shown[index - 1].state == "dead" ? Terminal.output.accented(line, .red) : line
    }
    try Terminal.output.write(lines.joined(separator: "\n") + "\n")
    let left = wanted.count - shown.count
    if left > 0 {
      try Terminal.output.write(Terminal.output.accented("\(left) more are not listed.\n", .faint))
    }
  }
}
