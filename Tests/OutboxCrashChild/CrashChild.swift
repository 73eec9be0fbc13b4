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

  var words: [String] { [String(item), String(sequence)] }
}

/// One run of an app that may die at any step: a task for each item enqueues, eight at once are
/// worked off, and it ends when all is done.
///
/// The other side is the process that has started this one, which also keeps what was intended and
/// accepted. Arguments: folder, `reconcile` or `dedupe`, the step to die at or `none`, its
/// occurrence, `redrive` or `keep`, and the first number of each item.
@main struct CrashChild {
  private let folder: URL
  private let reconciles: Bool
  private let redrives: Bool
  private let firsts: [Int]
  private let killer: Killer<DurabilityProbe.Step>
  private let parent = Parent()

  private init(_ arguments: [String]) {
    folder = URL(filePath: arguments[1])
    reconciles = arguments[2] == "reconcile"
    redrives = arguments[5] == "redrive"
    firsts = arguments[6].split(separator: ",").compactMap { Int($0) }
    let killed = folder.appending(path: "killed").path(percentEncoded: false)
    killer = Killer(
      step: DurabilityProbe.Step(rawValue: arguments[3]), occurrence: Int(arguments[4]) ?? 1,
      killed: Journal(path: killed))
  }

  static func main() async throws {
    let arguments = CommandLine.arguments
    switch arguments[1] {
    case "disk": try await FullDisk.run(in: URL(filePath: arguments[2]))
    case "trap": try await Trap.run(in: URL(filePath: arguments[2]))
    default: try await CrashChild(arguments).run()
    }
  }

  private func run() async throws {
    var surroundings = Outbox.Surroundings()
    surroundings.probe = DurabilityProbe { [parent, killer] step, _ in
      parent.tell("step", [step.rawValue])
      killer.reached(step)
    }
    var configuration = Outbox.Configuration()
    configuration.maximumConcurrency = 8
    let outbox = try await Outbox(
      at: folder.appending(path: "outbox.sqlite"), configuration: configuration,
      surroundings: surroundings, now: nil, workers: [worker])
    if redrives {
      for letter in try await outbox.deadLetters() { try await outbox.redrive(letter.id) }
    }
    try await withThrowingTaskGroup { group in
      for (item, first) in firsts.enumerated() {
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
    // Nobody kills it any more once that was answered.
    _ = await parent.ask("end")
  }

  private func enqueue(_ change: Change, in outbox: Outbox) async throws {
    let key = IdempotencyKey()
    parent.tell("intended", [key.rawValue] + change.words)
    try await outbox.enqueue(
      change, options: EnqueueOptions(orderedBy: "item-\(change.item)", idempotencyKey: key))
    parent.tell("accepted", [key.rawValue] + change.words)
  }

  private var worker: Worker {
    let parent = parent
    let ask: @Sendable (Change, WorkerContext) async throws -> Reconciliation = { _, context in
      await parent.ask("knows", [context.idempotencyKey.rawValue]) ? .applied : .notApplied
    }
    return Worker(
      for: Change.self, backoff: .constant(.milliseconds(1)), reconcile: reconciles ? ask : nil
    ) { change, context in
      let isFirst = context.attempt == 1
      // Not that of all items at once, which would let fewer run at a time.
      let turn = (change.sequence + change.item) % 5
      if turn == 1, isFirst { throw AppError.http(status: 503, isRepeatable: true) }
      _ = await parent.ask("apply", [context.idempotencyKey.rawValue] + change.words)
      // The answer is lost after the effect.
      if turn == 3, isFirst { throw AppError.http(status: 503, isRepeatable: false) }
    }
  }
}
