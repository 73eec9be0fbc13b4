// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AuditCommands
import Foundation
import Mainstay
import MainstayOutbox

/// Which dead letters are meant.
struct LetterChoice: ParsableArguments {
  @Argument(help: "The identities of the dead letters.")
  var ids: [String] = []

  @Flag(help: "All of them, or all that --kind, --reason and --older-than leave.")
  var all = false

  @Option(help: "With --all: only those of this kind.")
  var kind: String?

  @Option(help: "With --all: only those that were given up for this reason, such as refused.")
  var reason: String?

  @Option(help: "With --all: only those that were given up longer ago, such as 30d, 12h or 90m.")
  var olderThan: TypedSpan?

  @Flag(help: "Only say which ones it would be about.")
  var dryRun = false

  func validate() throws {
    for id in ids { _ = try OperationID(typed: id) }
    guard ids.isEmpty == all else {
      throw ValidationError("Name the dead letters, or give --all.")
    }
    guard all || (kind == nil && reason == nil && olderThan == nil) else {
      throw ValidationError("--kind, --reason and --older-than choose among --all.")
    }
  }

  /// - Throws: ``CommandFailure`` where nothing was ever given up for the reason.
  func chosen(in store: any InspectableStore) async throws -> [OperationID] {
    guard all else { return try ids.map(OperationID.init(typed:)) }
    let latest = olderThan.map { Date().addingTimeInterval(-$0.seconds) }
    var chosen: [OperationID] = []
    var reasons: Set<String> = []
    try await store.eachLetter { letter in
      let (kind, reason) = (letter.operation.type.kind.rawValue, letter.reason.rawValue)
      reasons.insert(reason)
      if self.kind ?? kind == kind, self.reason ?? reason == reason,
        latest.map({ letter.since < $0 }) ?? true
      {
        chosen.append(letter.id)
      }
      return true
    }
    if let reason { try check(reason, among: reasons) }
    return chosen
  }

  /// The set is open, so a reason that neither is there nor known here is taken for a slip.
  private func check(_ reason: String, among found: Set<String>) throws {
    let known = Set(DeadLetter.Reason.all.map(\.rawValue))
    guard !found.contains(reason), !known.contains(reason) else { return }
    let names = known.union(found).sorted().joined(separator: ", ")
    throw CommandFailure(
      status: .wrongOptions,
      message: "No dead letter has the reason \(Terminal.safe(reason)). Reasons are \(names).")
  }

  /// Decides about those that are meant, or only says which of them are there.
  func decide(
    in store: any InspectableStore, _ words: DecisionWords,
    _ body: ([OperationID]) async throws -> [OperationID]
  ) async throws -> Decided {
    await Decided.about(try await chosen(in: store), words, in: store) { ids in
      guard dryRun else { return try await body(ids) }
      return try await ids.those { try await store.deadLetter($0) != nil }
    }
  }
}

/// A span as it is typed, such as `30d`.
struct TypedSpan: ExpressibleByArgument {
  private static let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]

  let seconds: Double

  init?(argument: String) {
    guard let unit = argument.last.flatMap({ Self.units[$0] }),
      let count = Int(argument.dropLast()), (1...1_000_000).contains(count)
    else { return nil }
    seconds = Double(count) * unit
  }
}

/// `mainstay outbox redrive`.
struct RedriveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "redrive",
    abstract: "Puts dead letters back, under their idempotency keys and in their old places.")

  private static let words = DecisionWords(
    noun: "dead letter", did: "put back", would: "would be put back", doing: "Redriving",
    isNot: "no dead letter")

  @OptionGroup var file: OutboxFile
  @OptionGroup var choice: LetterChoice

  func run() async throws {
    let decided = try await file.decide(isDryRun: choice.dryRun) { store in
      try await choice.decide(in: store, Self.words) { try await store.redrive(contentsOf: $0) }
    }
    try decided.tell(file, Self.words)
  }
}

/// `mainstay outbox discard`.
struct DiscardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "discard",
    abstract: "Throws dead letters away for ever; receipts count them.",
    discussion: """
      What can only be done after one of them is given up as well. With --to they are in a file \
      before any is gone: each is a line of JSON, with its payload as it lies in the outbox.
      """)

  private static let words = DecisionWords(
    noun: "dead letter", did: "discarded", would: "would be discarded", doing: "Discarding",
    isNot: "no dead letter")

  @OptionGroup var file: OutboxFile
  @OptionGroup var choice: LetterChoice

  @Option(
    help: "A new file, for your eyes alone, that they are written to first, as JSON lines.",
    completion: .file(extensions: ["jsonl"]))
  var to: String?

  func run() async throws {
    let decided = try await file.decide(isDryRun: choice.dryRun) { store in
      var copy: LetterFile?
      return try await choice.decide(in: store, Self.words) { ids in
        if let to {
          let file = try copy ?? LetterFile(to)
          copy = file
          try await file.write(ids, of: store)
        }
        return try await store.discard(contentsOf: ids)
      }
    }
    try decided.tell(file, Self.words)
  }
}
