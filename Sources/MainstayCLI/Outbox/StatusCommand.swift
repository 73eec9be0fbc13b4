// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AuditCommands
import Foundation
import Mainstay
import MainstayOutbox

/// `mainstay outbox status`.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows how many operations stand where, and what became of all the others.")

  @OptionGroup var file: OutboxFile

  /// How an outbox is doing.
  struct Status: Encodable {
    struct Closed: Encodable {
      let lane: String
      let cause: String
      let until: Date?
    }

    /// A process that has it open.
    struct Owner: Encodable {
      let name: String
      let since: Date
      /// Kinds and versions, such as `note 1`.
      let reads: [String]
    }

    /// The dead letters together.
    struct DeadLetters: Encodable {
      /// More of them deserve a word: nobody else takes them away.
      private static let many = (count: 10_000, bytes: 100_000_000)

      let count: Int
      let bytes: Int
      let oldest: Date?
      let areMany: Bool

      init(_ totals: DeadLetterTotals) {
        (count, bytes, oldest) = (totals.count, totals.bytes, totals.oldest)
        areMany = count > Self.many.count || bytes > Self.many.bytes
      }
    }

    let version = 2
    let file: String
    let snapshot: OutboxSnapshot
    let ledger: OutboxLedger
    let isBalanced: Bool
    let closed: [Closed]
    let pausedKinds: [String]
    let deadLetters: DeadLetters
    let owners: [Owner]
  }

  /// What is said where no process works with an outbox.
  static let nobody = "No process has this outbox open."

  func run() async throws {
    let place = try OutboxPlace(file).shown()
    let status = try await file.look { store in
      let ledger = try await store.ledger()
      let closed = try await store.closedLanes().map {
        Status.Closed(lane: $0.lane.rawValue, cause: $0.cause, until: $0.until)
      }
      let owners = try await store.owners().map { owner in
        Status.Owner(
          name: owner.name, since: owner.since,
          reads: owner.types.map { "\($0.kind) \($0.version)" })
      }
      return Status(
        file: place, snapshot: try await store.snapshot(), ledger: ledger,
        isBalanced: ledger.isBalanced, closed: closed,
        pausedKinds: try await store.pausedKinds().map(\.rawValue),
        deadLetters: Status.DeadLetters(try await store.deadLetterTotals()), owners: owners)
    }
    if file.json { return try Terminal.output.write(try Format.json(status)) }
    try Terminal.output.write(text(of: status))
  }

  private func text(of status: Status) -> String {
    let snapshot = status.snapshot
    let subject = Format.count(snapshot.pending, "operation")
    let dead = Format.count(snapshot.dead, "dead letter")
    var lines = [
      Terminal.output.accented(
        "\(subject) pending and \(dead) in \(Terminal.safe(status.file))", .bold)
    ]
    var table = TextTable(["State": .left, "Operations": .right])
    for (name, count) in [
      ("running", snapshot.running), ("ready", snapshot.ready), ("scheduled", snapshot.scheduled),
      ("blocked", snapshot.blocked), ("waiting", snapshot.waiting),
      ("conflicted", snapshot.conflicted), ("parked", snapshot.parked), ("dead", snapshot.dead),
    ] where count > 0 {
      table.add([name, String(count)])
    }
    if table.lines.count > 1 { lines += table.lines }
    let causes = snapshot.causes.inWords.map { "\($0.count) for \($0.what)" }
    if !causes.isEmpty { lines.append("Waiting: \(causes.joined(separator: "; ")).") }
    if snapshot.pending > 0 {
      lines.append("Pending payloads: \(Format.count(snapshot.bytes, "byte")).")
    }
    if let age = snapshot.oldestAge {
      lines.append("The oldest has been waiting for \(Self.text(age)).")
    }
    lines += words(about: status.deadLetters)
    lines += status.closed.map { closed in
      let until = closed.until.map { " until \(Format.utc($0))" } ?? ""
      return "Lane “\(Terminal.safe(closed.lane))” is closed (\(closed.cause))\(until)."
    }
    lines += status.pausedKinds.map { "Kind “\(Terminal.safe($0))” is paused." }
    lines += words(about: status.owners, isNeeded: snapshot.pending > 0)
    lines += [""] + accounts(of: status.ledger)
    return lines.joined(separator: "\n") + "\n"
  }

  private func words(about letters: Status.DeadLetters) -> [String] {
    guard letters.count > 0 else { return [] }
    let size = Format.count(letters.bytes, "byte")
    var lines = [
      "Payloads of dead letters: \(size); the oldest was given up at \(Format.utc(letters.oldest))."
    ]
    if letters.areMany {
      let text = """
        They stay until somebody decides: `mainstay outbox redrive` puts them back, and \
        `mainstay outbox discard --all --older-than 30d` makes room.
        """
      lines.append(Terminal.output.accented(text, .yellow))
    }
    return lines
  }

  private func words(about owners: [Status.Owner], isNeeded: Bool) -> [String] {
    guard !owners.isEmpty else {
      return [Terminal.output.accented(Self.nobody, isNeeded ? .red : .faint)]
    }
    return owners.map { owner in
      let reads = owner.reads.isEmpty ? "nothing so far" : owner.reads.joined(separator: ", ")
      let text = "Open in \(owner.name) since \(Format.utc(owner.since)), which works on \(reads)."
      return Terminal.safe(text)
    }
  }

  private func accounts(of ledger: OutboxLedger) -> [String] {
    var table = TextTable(["Accepted": .left, String(ledger.enqueued): .right])
    table.add(["  pending", String(ledger.pending)])
    table.add(["  dead", String(ledger.dead)])
    let reasons = Dictionary(grouping: ledger.receipts, by: \.reason.rawValue)
    for reason in reasons.keys.sorted() {
      let count = reasons[reason, default: []].reduce(0) { $0 + $1.count }
      table.add(["  \(reason)", String(count)])
    }
    let balance =
      ledger.isBalanced
      ? "Every accepted operation is accounted for."
      : Terminal.output.accented("The ledger does not balance: see `mainstay outbox verify`.", .red)
    return table.lines + [balance]
  }

  private static func text(_ age: Duration) -> String {
    age.formatted(
      .units(allowed: [.days, .hours, .minutes, .seconds], width: .wide, maximumUnitCount: 2))
  }
}
