// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AuditCommands
import Foundation
import Mainstay
import MainstayOutbox

/// `mainstay outbox show`.
struct ShowOperationCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Shows all that is known of one operation or dead letter.")

  @OptionGroup var file: OutboxFile

  @Argument(help: "The identity of the operation.")
  var id: String

  @Flag(help: "Print its payload too, which may hold a person's data.")
  var payload = false

  func validate() throws { _ = try OperationID(typed: id) }

  func run() async throws {
    let id = try OperationID(typed: id)
    let (operation, letter, conflict, history, standing) = try await file.look { store in
      let (operation, letter) = try await found(id, in: store)
      let conflicts = operation.state == .conflicted ? try await store.conflicts() : []
      let history = try await store.attempts(of: id)
      let standing = try await Standing(in: store)
      return (operation, letter, conflicts.first { $0.id == id }, history, standing)
    }
    var shown = ShownOperation(operation, standing, letter: letter)
    shown.history = history
    shown.conflict = conflict?.fields.map { "\($0.field) (\($0.cause.rawValue))" }
    if payload {
      shown.payload =
        operation.isSealed
        ? "It is sealed; only the app has the key."
        : String(decoding: operation.payload, as: UTF8.self)
    }
    if file.json { return try Terminal.output.write(try Format.json(shown)) }
    var rows = [
      ("Identity", shown.id), ("Kind", "\(shown.kind), version \(shown.version)"),
      ("State", shown.state), ("Lane", shown.lane), ("Ordering key", shown.orderingKey ?? "–"),
      ("Priority", shown.priority),
      ("Constraints", shown.constraints?.joined(separator: ", ") ?? "–"),
      ("Idempotency key", operation.idempotencyKey.rawValue),
      ("Enqueued", Format.utc(shown.enqueued)), ("Due", Format.utc(shown.due)),
      ("Expires", shown.expires.map(Format.utc) ?? "never"),
      ("Attempts used", String(shown.attempts)), ("Lost runs", String(shown.lostRuns)),
      ("Effect", shown.effect), ("Expendable", shown.isExpendable ? "yes" : "no"),
      ("Payload", Format.count(shown.bytes, "byte")),
    ]
    if let limit = operation.timeout {
      rows.append(("Time limit", "\(limit) for one attempt"))
    }
    if shown.merges > 0 { rows.append(("Merged", Format.count(shown.merges, "time"))) }
    if let fields = shown.conflict {
      rows.append(("In conflict", fields.isEmpty ? "–" : fields.joined(separator: ", ")))
    }
    if let code = shown.code { rows.append(("Last error", code)) }
    if let letter {
      rows.append(("Given up", "\(letter.reason) at \(Format.utc(letter.since))"))
    }
    if let message = shown.message { rows.append(("", message)) }
    rows += (shown.fields ?? []).map { ("Field", $0) }
    rows += history.map { ("Run \($0.number)", Self.line($0)) }
    if let text = shown.payload { rows.append(("", text)) }
    let width = rows.map(\.0.count).max() ?? 0
    let lines = rows.map { name, value in
      let title = name + String(repeating: " ", count: width - name.count)
      return Terminal.output.accented(title, .faint) + "  " + Terminal.safe(value)
    }
    try Terminal.output.write(lines.joined(separator: "\n") + "\n")
  }
}

extension ShowOperationCommand {
  /// How a run ended that did not end the operation.
  private static func line(_ attempt: OperationAttempt) -> String {
    let what =
      attempt.failure.map { "\($0.code.rawValue): \($0.message)" } ?? "its process died"
    return "\(Format.utc(attempt.ended))  \(what) (\(attempt.effect.rawValue))"
  }
}

/// `mainstay outbox explain`.
struct ExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Says why an operation does not run: all that stands in its way.",
    discussion: """
      What only the app knows is not in the outbox: constraints, whether all of it is paused, and \
      how many run at once.
      """)

  @OptionGroup var file: OutboxFile

  @Argument(help: "The identity of the operation.")
  var id: String

  /// What stands in its way, as the program prints it.
  struct Answer: Encodable {
    let id: String
    let state: String
    let earliest: Date?
    let obstacles: [String]
    let constraints: [String]
    /// How long one attempt may take, in seconds.
    let timeout: Double?
  }

  func validate() throws { _ = try OperationID(typed: id) }

  func run() async throws {
    let id = try OperationID(typed: id)
    let answer = try await file.look { store in
      let (operation, letter) = try await found(id, in: store)
      let standing = try await Standing(in: store)
      let all = try await store.obstacles(id) ?? []
      let explanation =
        letter.map(OperationExplanation.init)
        ?? OperationExplanation(id: id, state: operation.state, obstacles: all)
      var obstacles = explanation.obstacles.map(\.description)
      if letter == nil, let text = try await lack(for: operation, in: store) {
        obstacles.append(text)
      }
      return Answer(
        id: id.description,
        state: letter == nil ? standing.state(of: operation) : Standing.name(.dead),
        earliest: explanation.earliest, obstacles: obstacles,
        constraints: operation.constraints.map(\.rawValue).sorted(),
        timeout: operation.timeout.map { $0 / .seconds(1) })
    }
    if file.json { return try Terminal.output.write(try Format.json(answer)) }
    var lines = answer.obstacles
    if lines.isEmpty { lines.append("Nothing in the outbox stands in its way.") }
    if let earliest = answer.earliest, lines.count > 1 {
      lines.append("It runs at \(Format.utc(earliest)) at the earliest.")
    }
    if let timeout = answer.timeout {
      lines.append("One attempt may take \(Duration.seconds(timeout)).")
    }
    if !answer.constraints.isEmpty {
      let names = answer.constraints.joined(separator: ", ")
      lines.append("The app runs it only while this holds: \(names).")
    }
    try Terminal.output.write(lines.map { Terminal.safe($0) }.joined(separator: "\n") + "\n")
  }
}

extension ExplainCommand {
  /// Says that nobody works on an operation; nil where somebody may.
  private func lack(
    for operation: StoredOperation, in store: any InspectableStore
  ) async throws -> String? {
    let owners = try await store.owners()
    guard !owners.isEmpty else { return StatusCommand.nobody }
    guard !owners.contains(where: { $0.types.contains(operation.type) }) else { return nil }
    let (kind, version) = (operation.type.kind, operation.type.version)
    return "No process that has it open has asked for work of \(kind), version \(version)."
  }
}

/// - Throws: ``CommandFailure`` where there is neither an operation nor a dead letter.
private func found(
  _ id: OperationID, in store: any InspectableStore
) async throws -> (StoredOperation, DeadLetter?) {
  if let operation = try await store.operation(id) { return (operation, nil) }
  if let letter = try await store.deadLetter(id) { return (letter.operation, letter) }
  guard let outcome = try await store.outcome(id) else {
    throw CommandFailure(
      status: .notFound, message: "No operation of this outbox has the identity \(id).")
  }
  throw CommandFailure(
    status: .notFound,
    message: "\(id) ended at \(Format.utc(outcome.ended)): \(outcome.reason.rawValue).")
}
