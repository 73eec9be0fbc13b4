// SPDX-License-Identifier: Apache-2.0

import ChildSupport
import Foundation
import Mainstay
import MainstayOutbox

/// Changes an item on the other side.
private struct Change: QueuedOperation {
  static let kind: OperationKind = "change"
  var item: Int
  var sequence: Int
}

/// The other side: a file of what was applied.
private struct Server {
  let applied: Journal
  /// Whether it knows a repeated request by its key.
  let deduplicates: Bool

  func knows(_ key: IdempotencyKey) -> Bool {
    applied.lines.contains { $0.first == key.rawValue }
  }

  func apply(_ change: Change, _ key: IdempotencyKey) throws {
    if deduplicates, knows(key) { return }
    try applied.append([key.rawValue, String(change.item), String(change.sequence)])
  }
}

/// One run of an app that may die at any step: it enqueues, drains, and ends when all is done.
///
/// Arguments: folder, `reconcile` or `dedupe`, the step to die at or `none`, and its occurrence.
@main struct CrashChild {
  private let folder: URL
  private let reconciles: Bool
  private let killer: Killer<DurabilityProbe.Step>
  private let intended: Journal
  private let accepted: Journal
  private let server: Server

  private init(_ arguments: [String]) {
    folder = URL(filePath: arguments[1])
    reconciles = arguments[2] == "reconcile"
    func journal(_ name: String, in folder: URL) -> Journal {
      Journal(path: folder.appending(path: name).path(percentEncoded: false))
    }
    intended = journal("intended", in: folder)
    accepted = journal("accepted", in: folder)
    server = Server(applied: journal("applied", in: folder), deduplicates: !reconciles)
    killer = Killer(
      step: DurabilityProbe.Step(rawValue: arguments[3]), occurrence: Int(arguments[4]) ?? 1,
      killed: journal("killed", in: folder))
  }

  static func main() async throws {
    if CommandLine.arguments[1] == "disk" {
      return try await FullDisk.run(in: URL(filePath: CommandLine.arguments[2]))
    }
    let child = CrashChild(CommandLine.arguments)
    try await child.run(isLast: CommandLine.arguments[3] == "none")
  }

  private func run(isLast: Bool) async throws {
    var surroundings = Outbox.Surroundings()
    surroundings.probe = DurabilityProbe { [killer] step, _ in killer.reached(step) }
    let outbox = try await Outbox(
      at: folder.appending(path: "outbox.sqlite"), configuration: Outbox.Configuration(),
      surroundings: surroundings, now: nil, workers: [worker])
    if isLast {
      for letter in try await outbox.deadLetters() { try await outbox.redrive(letter.id) }
    }
    let known = intended.lines
    try await withThrowingTaskGroup { group in
      for item in 0..<3 {
        let first = known.count { $0[1] == String(item) }
        group.addTask {
          for sequence in first..<(first + 2) {
            try await enqueue(Change(item: item, sequence: sequence), in: outbox)
          }
        }
      }
      try await group.waitForAll()
    }
    for await snapshot in outbox.changes where snapshot.pending == snapshot.blocked { break }
    await outbox.shutDown()
  }

  private func enqueue(_ change: Change, in outbox: Outbox) async throws {
    let key = IdempotencyKey()
    let words = [key.rawValue, String(change.item), String(change.sequence)]
    try intended.append(words)
    try await outbox.enqueue(
      change, options: EnqueueOptions(orderedBy: "item-\(change.item)", idempotencyKey: key))
    try accepted.append(words)
  }

  private var worker: Worker {
    let server = server
    let ask: @Sendable (Change, WorkerContext) async throws -> Reconciliation = { _, context in
      server.knows(context.idempotencyKey) ? .applied : .notApplied
    }
    return Worker(
      for: Change.self, backoff: .constant(.milliseconds(1)), reconcile: reconciles ? ask : nil
    ) { change, context in
      let isFirst = context.attempt == 1
      if change.sequence % 5 == 1, isFirst { throw AppError.http(status: 503) }
      try server.apply(change, context.idempotencyKey)
      // The answer is lost after the effect.
      if change.sequence % 5 == 3, isFirst {
        throw AppError.http(status: 503, isRepeatable: false)
      }
    }
  }
}
