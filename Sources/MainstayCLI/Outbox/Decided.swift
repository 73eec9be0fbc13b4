// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AuditCommands
import Foundation
import Mainstay
import MainstayOutbox

/// What a command says about what it does.
struct DecisionWords {
  /// What it is about, such as "dead letter".
  let noun: String
  /// What becomes of it, such as "put back".
  let did: String
  /// What would become of it, such as "would be put back".
  let would: String
  /// What it does while it goes on, such as "Redriving".
  let doing: String
  /// What is wrong with one that is there, for the end of a sentence, such as "no dead letter".
  let isNot: String
  /// What is said of those that are in conflict.
  var inConflict = """
    Somebody else changed the same thing: end it with `mainstay outbox resolve`.
    """
}

/// What a decision about operations came to.
struct Decided: Encodable {
  /// An operation that is there, or was, and not as the command needs it.
  struct Other: Encodable {
    let id: String
    let state: String
    let explanation: String
  }

  private enum CodingKeys: String, CodingKey {
    case version, isDryRun, done, notFound, inConflict, elsewhere, stopping, mayHaveHappened
    case failure, found
  }

  let version = 1
  /// Whether nothing was done, and ``done`` is what would have been.
  var isDryRun = false
  private(set) var done: [String] = []
  private(set) var notFound: [String] = []
  /// Those that are there, and in conflict.
  private(set) var inConflict: [String] = []
  private(set) var elsewhere: [Other] = []
  /// Of those that were cancelled: those whose run is still to be stopped.
  var stopping: [String]?
  /// Of those that were cancelled: those that an earlier run may have sent.
  var mayHaveHappened: [String]?
  /// What kept it from going on.
  private(set) var failure: String?
  var found: FoundOnTheWay?
  private var error: (any Error)?

  /// How many are decided on at once, so that nobody else waits for long.
  private static let part = 200

  /// Decides about operations, and shows how far it is.
  ///
  /// - Parameters:
  ///   - ids: Those that are meant.
  ///   - words: What is said meanwhile.
  ///   - store: Where they are.
  ///   - part: How many are decided on at once; the default is 200.
  ///   - decide: Returns those that were as it needs them.
  /// - Returns: What came of it, also where it failed on the way.
  static func about(
    _ ids: [OperationID], _ words: DecisionWords, in store: any InspectableStore,
    parts part: Int = Self.part, _ decide: ([OperationID]) async throws -> [OperationID]
  ) async -> Decided {
    var decided = Decided()
    var known = Set<OperationID>()
    let ids = ids.filter { known.insert($0).inserted }
    var bar = ProgressBar(words.doing, total: ids.count, from: 1000)
    defer { bar.end() }
    do {
      for start in stride(from: 0, to: ids.count, by: part) {
        let some = Array(ids[start..<min(start + part, ids.count)])
        let done = Set(try await decide(some))
        decided.done += some.filter(done.contains).map(\.description)
        for id in some where !done.contains(id) {
          try await decided.place(id, words, in: store)
        }
        bar.show(start + some.count)
      }
    } catch {
      // What was done stays done, and is told first.
      decided.error = OutboxFile.words(for: error)
      decided.failure = (decided.error as? CommandFailure)?.message ?? "\(error)"
    }
    return decided
  }

  /// Finds out where an operation is that is not as the command needs it.
  private mutating func place(
    _ id: OperationID, _ words: DecisionWords, in store: any InspectableStore
  ) async throws {
    func other(_ state: String, _ explanation: String) -> Other {
      Other(id: id.description, state: state, explanation: "\(id) \(explanation)")
    }
    if let operation = try await store.operation(id) {
      guard operation.state != .conflicted else { return inConflict.append(id.description) }
      let state = Standing.name(operation.state)
      elsewhere.append(
        other(state, "is \(state), and \(words.isNot): see `mainstay outbox explain`."))
    } else if try await store.deadLetter(id) != nil {
      elsewhere.append(
        other("dead", "is a dead letter: `mainstay outbox redrive` puts it back."))
    } else if let outcome = try await store.outcome(id) {
      let (reason, time) = (outcome.reason.rawValue, Format.utc(outcome.ended))
      elsewhere.append(other(reason, "ended at \(time): \(reason)."))
    } else {
      notFound.append(id.description)
    }
  }

  /// - Throws: ``CommandFailure`` where some were not there, or not as the command needs them, and
  ///   where it could not go on.
  func tell(_ file: OutboxFile, _ words: DecisionWords) throws {
    if file.json {
      try Terminal.output.write(try Format.json(self))
    } else {
      let what = isDryRun ? words.would : words.did
      try Terminal.output.write("\(Format.count(done.count, words.noun)) \(what).\n")
    }
    var left: [String] = []
    if !notFound.isEmpty { left.append("Not there: \(notFound.joined(separator: ", ")).") }
    if !inConflict.isEmpty {
      left.append("In conflict: \(inConflict.joined(separator: ", ")). \(words.inConflict)")
    }
    left += elsewhere.map(\.explanation)
    if let error {
      for line in left { Terminal.complaints.tell("mainstay: \(line)\n") }
      throw error
    }
    guard !left.isEmpty else { return }
    throw CommandFailure(status: .notFound, message: left.joined(separator: "\n"))
  }
}

extension OutboxFile {
  /// Decides about operations.
  ///
  /// - Parameters:
  ///   - isDryRun: Whether it only looks which ones it would be about.
  ///   - body: Decides, or looks.
  /// - Returns: What came of it, which is still to be told.
  /// - Throws: Where the outbox cannot be opened.
  func decide(
    isDryRun: Bool = false, _ body: (any InspectableStore) async throws -> Decided
  ) async throws -> Decided {
    var decided: Decided
    if isDryRun {
      decided = try await look(body)
    } else {
      let (value, found) = try await change(body)
      decided = value
      decided.found = found
    }
    decided.isDryRun = isDryRun
    return decided
  }
}
