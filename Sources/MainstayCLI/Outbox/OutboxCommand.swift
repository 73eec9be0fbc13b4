// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AuditCommands
import Foundation
import Mainstay
import MainstayOutbox

/// `mainstay outbox`: what waits in an outbox, why, and what is to become of it.
struct OutboxCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "outbox",
    abstract: """
      Looks at an outbox, also while an app uses it, and decides about operations.
      """,
    subcommands: [
      StatusCommand.self, ListCommand.self, ShowOperationCommand.self, ExplainCommand.self,
      RetryCommand.self, CancelCommand.self, RedriveCommand.self, DiscardCommand.self,
      ResolveCommand.self, ResumeCommand.self, VerifyCommand.self,
    ])
}

/// Where an outbox lies, and how the answer is written.
struct OutboxFile: ParsableArguments {
  @Argument(
    help: "The file of an outbox, or the address of its database, such as postgresql://host/app.",
    completion: .file(extensions: ["sqlite"]))
  var file: String

  @Option(help: "In a database: the schema of the outbox.")
  var schema = "mainstay"

  @Flag(help: "In a database: a pooler stands before the server, such as PgBouncer.")
  var pooled = false

  @Flag(help: "Print JSON.")
  var json = false

  /// Looks at the outbox; nothing in it is changed.
  func look<T>(_ body: (any InspectableStore) async throws -> T) async throws -> T {
    let store = try OutboxPlace(self).store()
    return try await told {
      try await store.openToLook()
      return try await body(store)
    } finally: {
      await store.close()
    }
  }

  /// Opens the outbox as an app does: what a dead process had begun is taken back.
  ///
  /// What is found on the way is told on standard error, whatever becomes of the rest: nobody else
  /// may ever hear of it.
  func change<T>(
    _ body: (any InspectableStore) async throws -> T
  ) async throws -> (value: T, found: FoundOnTheWay) {
    // An outbox that is not there is not made, and an older one is not brought up to date: the app
    // that uses it could not write it any more.
    try await look { _ in }
    let place = OutboxPlace(self)
    let store = try await told { try place.store(isChanged: true) }
    let findings = OpeningFindings()
    async let watching: Void = findings.watch(store)
    do {
      let value = try await told {
        findings.opened(try await store.open())
        return try await body(store)
      } finally: {
        await store.close()
      }
      await watching
      return (value, findings.told())
    } catch {
      await watching
      _ = findings.told()
      throw error
    }
  }

  private func told<T>(
    _ body: () async throws -> T, finally: () async -> Void = {}
  ) async throws -> T {
    do {
      let result = try await body()
      await finally()
      return result
    } catch {
      await finally()
      throw Self.words(for: error)
    }
  }

  /// The error in words for whoever typed the command, where it is one of the outbox.
  static func words(for error: any Error) -> any Error {
    guard let error = error as? OutboxError else { return error }
    let details = error.details.hasSuffix(".") ? error.details : error.details + "."
    let title = error.code == .failed ? "" : error.appError.title.description + ": "
    return CommandFailure(status: .couldNotRun, message: title + details)
  }
}

extension OperationID {
  /// The identity that was typed.
  init(typed text: String) throws {
    guard let uuid = UUID(uuidString: text) else {
      throw ValidationError(
        "\(Terminal.safe(text)) is no identity; `mainstay outbox list` shows them.")
    }
    self.init(uuid)
  }
}

/// An operation as the program shows it.
struct ShownOperation: Encodable {
  let id: String
  let kind: String
  let version: Int
  let state: String
  let lane: String
  let orderingKey: String?
  let priority: String
  let constraints: [String]?
  let attempts: Int
  let lostRuns: Int
  let effect: String
  let enqueued: Date
  let due: Date?
  let expires: Date?
  let code: String?
  let message: String?
  /// What is wrong with which fields, as the service said it.
  let fields: [String]?
  let reason: String?
  let bytes: Int
  let isExpendable: Bool
  let merges: Int
  /// How long one attempt may take, in seconds.
  let timeout: Double?
  var payload: String?
  /// The fields that somebody has to decide about, each with the cause.
  var conflict: [String]?
  /// The last runs that did not end it.
  var history: [OperationAttempt]?

  /// - Parameters:
  ///   - operation: The operation.
  ///   - standing: Where it stands by the rule of `status`.
  ///   - letter: Why it was given up; nil where it was not.
  init(_ operation: StoredOperation, _ standing: Standing, letter: DeadLetter? = nil) {
    id = operation.id.description
    kind = operation.type.kind.rawValue
    version = operation.type.version
    state = letter == nil ? standing.state(of: operation) : Standing.name(.dead)
    lane = operation.lane.rawValue
    orderingKey = operation.orderingKey
    priority = "\(operation.priority)"
    constraints =
      operation.constraints.isEmpty ? nil : operation.constraints.map(\.rawValue).sorted()
    attempts = operation.attempts
    lostRuns = operation.lostRuns
    effect = operation.effect.rawValue
    enqueued = operation.enqueued
    due = operation.due
    expires = operation.expires
    code = operation.failure?.code.rawValue
    message = letter?.message ?? operation.failure?.message
    let mistakes = operation.failure?.fields.map { "\($0.pointer): \($0.message) (\($0.code))" }
    fields = mistakes?.isEmpty == true ? nil : mistakes
    reason = letter?.reason.rawValue
    bytes = operation.payload.count
    isExpendable = operation.isExpendable
    merges = operation.merges
    timeout = operation.timeout.map { $0 / .seconds(1) }
  }
}
