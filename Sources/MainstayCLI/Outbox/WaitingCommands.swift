// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AuditCommands
import Foundation
import Mainstay
import MainstayOutbox

/// `mainstay outbox retry`.
struct RetryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry",
    abstract: "Tries operations at once that wait for a time, such as after a failure.")

  private static let words = DecisionWords(
    noun: "operation", did: "may run at once", would: "would run at once", doing: "Retrying",
    isNot: "waits for no time")

  @OptionGroup var file: OutboxFile

  @Argument(help: "The identities of the operations.")
  var ids: [String] = []

  @Flag(help: "All that wait for a time, or all of them that --kind leaves.")
  var all = false

  @Option(help: "With --all: only those of this kind.")
  var kind: String?

  @Flag(help: "Only say which ones it would be about.")
  var dryRun = false

  func validate() throws {
    for id in ids { _ = try OperationID(typed: id) }
    guard ids.isEmpty == all else {
      throw ValidationError("Name the operations, or give --all.")
    }
    guard all || kind == nil else { throw ValidationError("--kind chooses among --all.") }
  }

  func run() async throws {
    let decided = try await file.decide(isDryRun: dryRun) { store in
      await Decided.about(try await chosen(in: store), Self.words, in: store) { ids in
        guard dryRun else { return try await store.hasten(contentsOf: ids) }
        return try await ids.those { try await store.operation($0)?.waitsForTime == true }
      }
    }
    try decided.tell(file, Self.words)
  }

  private func chosen(in store: any InspectableStore) async throws -> [OperationID] {
    guard all else { return try ids.map(OperationID.init(typed:)) }
    var chosen: [OperationID] = []
    try await store.eachOperation { operation in
      let kind = operation.type.kind.rawValue
      if operation.waitsForTime, self.kind ?? kind == kind { chosen.append(operation.id) }
      return true
    }
    return chosen
  }
}

extension StoredOperation {
  fileprivate var waitsForTime: Bool {
    (state == .scheduled || state == .waiting) && due != nil
  }
}

/// `mainstay outbox cancel`.
struct CancelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Takes operations back that are not finished; receipts count them.",
    discussion: """
      One that runs is stopped by the process that has it. One that may have been sent is asked \
      about first, where its worker can ask.
      """)

  private static let words = DecisionWords(
    noun: "operation", did: "cancelled", would: "would be cancelled", doing: "Cancelling",
    isNot: "cannot be cancelled")

  @OptionGroup var file: OutboxFile

  @Argument(help: "The identities of the operations.")
  var ids: [String]

  func validate() throws { for id in ids { _ = try OperationID(typed: id) } }

  func run() async throws {
    let ids = try ids.map(OperationID.init(typed:))
    let decided = try await file.decide { store in
      var results: [Cancellation: [String]] = [:]
      var decided = await Decided.about(ids, Self.words, in: store, parts: 1) { ids in
        try await ids.those { id in
          guard let result = try await store.cancel(id) else { return false }
          results[result, default: []].append(id.description)
          return true
        }
      }
      decided.stopping = results[.stopping]
      decided.mayHaveHappened = results[.mayHaveHappened]
      return decided
    }
    for (ids, words) in [
      (decided.stopping, "Still running, and stopped by the process that has it"),
      (decided.mayHaveHappened, "May have been done already"),
    ] {
      guard let ids else { continue }
      Terminal.complaints.tell("mainstay: \(words): \(ids.joined(separator: ", ")).\n")
    }
    try decided.tell(file, Self.words)
  }
}

/// `mainstay outbox resume`.
struct ResumeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume",
    abstract: "Opens lanes that are closed, for whatever cause, and goes on with paused kinds.",
    discussion: "`mainstay outbox status` names both.")

  /// What was resumed.
  struct Resumed: Encodable {
    let version = 1
    var lanes: [String] = []
    var kinds: [String] = []
    /// Lanes that were open, and kinds that were not paused.
    var others: [String] = []
    var found: FoundOnTheWay?
  }

  @OptionGroup var file: OutboxFile

  @Option(help: "A lane that is closed; may be given several times.")
  var lane: [String] = []

  @Option(help: "A kind that is paused; may be given several times.")
  var kind: [String] = []

  func validate() throws {
    guard !lane.isEmpty || !kind.isEmpty else {
      throw ValidationError("Name a --lane or a --kind.")
    }
  }

  func run() async throws {
    let (value, found) = try await file.change { store in
      var resumed = Resumed()
      let closed = Set(try await store.closedLanes().map(\.lane))
      for name in lane {
        let lane = Lane(rawValue: name)
        guard closed.contains(lane) else {
          resumed.others.append("Lane “\(name)” is not closed.")
          continue
        }
        try await store.reopen(lane, closedFor: nil)
        resumed.lanes.append(name)
      }
      let paused = Set(try await store.pausedKinds())
      for name in kind {
        let kind = OperationKind(rawValue: name)
        guard paused.contains(kind) else {
          resumed.others.append("Kind “\(name)” is not paused.")
          continue
        }
        try await store.resume(kind)
        resumed.kinds.append(name)
      }
      return resumed
    }
    var resumed = value
    resumed.found = found
    if file.json {
      try Terminal.output.write(try Format.json(resumed))
    } else {
      let (lanes, kinds) = (resumed.lanes.count, resumed.kinds.count)
      try Terminal.output.write(
        "\(Format.count(lanes, "lane")) opened, and \(Format.count(kinds, "kind")) resumed.\n")
    }
    guard resumed.others.isEmpty else {
      let text = resumed.others.map { Terminal.safe($0) }.joined(separator: "\n")
      throw CommandFailure(status: .notFound, message: text)
    }
  }
}
