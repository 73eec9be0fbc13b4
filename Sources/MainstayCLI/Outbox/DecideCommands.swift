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

  @Flag(help: "All of them, or all that --kind and --reason leave.")
  var all = false

  @Option(help: "With --all: only those of this kind.")
  var kind: String?

  @Option(help: "With --all: only those that were given up for this reason, such as refused.")
  var reason: String?

  func validate() throws {
    for id in ids { _ = try OperationID(typed: id) }
    guard ids.isEmpty == all else {
      throw ValidationError("Name the dead letters, or give --all.")
    }
    guard all || (kind == nil && reason == nil) else {
      throw ValidationError("--kind and --reason choose among --all.")
    }
  }

  func chosen(in store: any InspectableStore) async throws -> [OperationID] {
    guard all else { return try ids.map(OperationID.init(typed:)) }
    var chosen: [OperationID] = []
    try await store.eachLetter { letter in
      let (kind, reason) = (letter.operation.type.kind.rawValue, letter.reason.rawValue)
      if self.kind ?? kind == kind, self.reason ?? reason == reason { chosen.append(letter.id) }
      return true
    }
    return chosen
  }
}

/// What a decision came to.
private struct Decided: Encodable {
  let done: [String]
  let notFound: [String]
  /// Those that are there, and in conflict.
  let inConflict: [String]

  /// Decides about each, and shows how far it is.
  static func each(
    _ ids: [OperationID], _ what: String, in store: any InspectableStore,
    _ decide: (OperationID) async throws -> Bool
  ) async throws -> Decided {
    var (done, notFound, inConflict): ([String], [String], [String]) = ([], [], [])
    var bar = ProgressBar(what, total: ids.count, from: 1000)
    defer { bar.end() }
    for (index, id) in ids.enumerated() {
      if try await decide(id) {
        done.append("\(id)")
      } else if try await store.operation(id)?.state == .conflicted {
        inConflict.append("\(id)")
      } else {
        notFound.append("\(id)")
      }
      bar.show(index + 1)
    }
    return Decided(done: done, notFound: notFound, inConflict: inConflict)
  }

  /// - Throws: ``CommandFailure`` where some were not there, or are in conflict.
  func tell(_ file: OutboxFile, _ verb: String, _ noun: String) throws {
    if file.json {
      try Terminal.output.write(try Format.json(self))
    } else {
      try Terminal.output.write("\(Format.count(done.count, noun)) \(verb).\n")
    }
    var left: [String] = []
    if !notFound.isEmpty { left.append("Not there: \(notFound.joined(separator: ", ")).") }
    if !inConflict.isEmpty {
      left.append(
        """
        In conflict: \(inConflict.joined(separator: ", ")). Somebody else changed the same thing: \
        end it with `mainstay outbox resolve`.
        """)
    }
    guard !left.isEmpty else { return }
    throw CommandFailure(status: .notFound, message: left.joined(separator: "\n"))
  }
}

/// `mainstay outbox retry`.
struct RetryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry",
    abstract: "Tries operations at once that wait for a time, such as after a failure.")

  @OptionGroup var file: OutboxFile

  @Argument(help: "The identities of the operations.")
  var ids: [String]

  func validate() throws { for id in ids { _ = try OperationID(typed: id) } }

  func run() async throws {
    let ids = try ids.map(OperationID.init(typed:))
    let decided = try await file.change { store in
      try await Decided.each(ids, "Retrying", in: store) { try await store.hasten($0) }
    }
    try decided.tell(file, "may run at once", "operation")
  }
}

/// `mainstay outbox redrive`.
struct RedriveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "redrive",
    abstract: "Puts dead letters back, under their idempotency keys and in their old places.")

  @OptionGroup var file: OutboxFile
  @OptionGroup var choice: LetterChoice

  func run() async throws {
    let decided = try await file.change { store in
      try await Decided.each(try await choice.chosen(in: store), "Redriving", in: store) {
        try await store.redrive($0)
      }
    }
    try decided.tell(file, "put back", "dead letter")
  }
}

/// `mainstay outbox discard`.
struct DiscardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "discard",
    abstract: "Throws dead letters away for ever; receipts count them.")

  @OptionGroup var file: OutboxFile
  @OptionGroup var choice: LetterChoice

  func run() async throws {
    let decided = try await file.change { store in
      try await Decided.each(try await choice.chosen(in: store), "Discarding", in: store) {
        try await store.discard($0)
      }
    }
    try decided.tell(file, "discarded", "dead letter")
  }
}

/// `mainstay outbox resolve`.
struct ResolveCommand: AsyncParsableCommand {
  /// How a conflict ends.
  enum Decision: String, EnumerableFlag {
    case acceptRemote, sendAgain

    static func help(for value: Decision) -> ArgumentHelp? {
      switch value {
      case .acceptRemote: "What the other side has stands; the operations are dropped for ever."
      case .sendAgain: "What was to be sent is sent once more, under a new idempotency key."
      }
    }
  }

  static let configuration = CommandConfiguration(
    commandName: "resolve",
    abstract: "Ends conflicts, and lets what followed the operations go on.",
    discussion: """
      What is sent again still names the version of the other side that it was made from, where it \
      names one: it overwrites nothing that others wrote, and may end in conflict again. To put \
      both sides together is for the app.
      """)

  @OptionGroup var file: OutboxFile

  @Flag(exclusivity: .exclusive) var decision: Decision

  @Argument(help: "The identities of the operations that are in conflict.")
  var ids: [String]

  func validate() throws { for id in ids { _ = try OperationID(typed: id) } }

  func run() async throws {
    let ids = try ids.map(OperationID.init(typed:))
    let decided = try await file.change { store in
      try await Decided.each(ids, "Resolving", in: store) { id in
        guard decision == .sendAgain else { return try await store.resolve(id, with: .dropped) }
        // What lies there is sent as it is, sealed or not.
        guard let payload = try await store.operation(id)?.payload else { return false }
        return try await store.resolve(
          id, with: .replaced(payload: payload, idempotencyKey: IdempotencyKey()))
      }
    }
    try decided.tell(file, decision == .sendAgain ? "sent again" : "dropped", "operation")
  }
}

/// `mainstay outbox verify`.
struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Looks for damage, and whether every accepted operation is accounted for.")

  @OptionGroup var file: OutboxFile

  func run() async throws {
    let bar = RowBar("Verifying")
    defer { bar.end() }
    let findings = try await file.look { try await $0.findings(bar.show) }
    bar.end()
    if file.json {
      try Terminal.output.write(try Format.json(["findings": findings]))
    } else if findings.isEmpty {
      try Terminal.output.write("The outbox is whole, and every operation is accounted for.\n")
    }
    guard findings.isEmpty else {
      throw CommandFailure(
        status: .notFound,
        message: file.json
          ? Format.count(findings.count, "finding") + "." : findings.joined(separator: "\n"))
    }
  }
}
