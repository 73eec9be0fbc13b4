// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AuditCommands
import Foundation
import Mainstay
import MainstayOutbox

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
      names one: it overwrites nothing that others wrote, and may end in conflict again. A change \
      of which a field is in conflict is not sent again: to put both sides together is for the \
      app. Neither is one of which nobody knows whether it was carried out already.
      """)

  private var words: DecisionWords {
    let isSent = decision == .sendAgain
    return DecisionWords(
      noun: "operation", did: isSent ? "put back, to be sent again" : "dropped",
      would: isSent ? "would be put back" : "would be dropped", doing: "Resolving",
      isNot: "in no conflict",
      inConflict: """
        Both sides changed the same, or it may be done already: only the app can put both \
        together, and --accept-remote drops the operation.
        """)
  }

  @OptionGroup var file: OutboxFile

  @Flag(exclusivity: .exclusive) var decision: Decision

  @Argument(help: "The identities of the operations that are in conflict.")
  var ids: [String]

  func validate() throws { for id in ids { _ = try OperationID(typed: id) } }

  func run() async throws {
    let ids = try ids.map(OperationID.init(typed:))
    let decided = try await file.decide { store in
      let conflicts = Dictionary(
        try await store.conflicts().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
      return await Decided.about(ids, words, in: store, parts: 1) { ids in
        try await ids.those { id in
          guard decision == .sendAgain else { return try await store.resolve(id, with: .dropped) }
          guard let conflict = conflicts[id] else { return false }
          return try await SendingAgain.put(back: conflict, in: store) == .putBack
        }
      }
    }
    try decided.tell(file, words)
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
