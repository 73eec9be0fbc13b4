// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting

/// The other side: it keeps what it applied, whatever becomes of the disk of this one.
private final class Shop: Sendable {
  struct State {
    var applied: [String: Int] = [:]
    /// The last number that was applied, by ordering key.
    var last: [String: Int] = [:]
    var refuses = true
    var attempts: [String: Int] = [:]
    var violations: [String] = []
  }

  let state = Box(State())

  func knows(_ key: IdempotencyKey) -> Bool { state.value.applied[key.rawValue] != nil }

  /// Runs a change, the way its number says.
  func run(_ change: Change, _ key: IdempotencyKey) throws {
    let failure = state.change { state in Self.failure(of: change, key.rawValue, &state) }
    if let failure { throw failure }
  }

  private static func failure(
    of change: Change, _ key: String, _ state: inout State
  ) -> (any Error)? {
    let attempt = state.attempts[key, default: 0]
    state.attempts[key] = attempt + 1
    switch (change.number % 7, state.refuses) {
    case (3, true): return AppError.test(.permanent)
    case (4, true): return RemoteConflict(remote: Data("theirs".utf8))
    case (5, _) where attempt == 0: return AppError.http(status: 503, isRepeatable: true)
    default: break
    }
    // Whether it was applied is asked before it is sent again.
    if state.applied[key] != nil { state.violations.append("\(key) is applied twice") }
    if state.last[change.item, default: -1] > change.number {
      state.violations.append("\(change.item) \(change.number) runs after a newer one")
    }
    state.last[change.item] = change.number
    state.applied[key] = change.number
    // The answer is lost after the effect.
    let isLost = change.number % 7 == 6 && attempt == 0
    return isLost ? AppError.http(status: 503, isRepeatable: false) : nil
  }
}

private struct Change: QueuedOperation {
  static let kind: OperationKind = "change"
  var item: String
  var number: Int
}

/// An outbox with everything that it does, on a disk whose power is cut again and again.
struct OutboxCutWalk {
  private let disk: FaultyDisk
  private let shop = Shop()
  private var generator: SeededGenerator
  /// The next number of each item.
  private var next: [String: Int] = [:]
  /// By idempotency key: what was accepted, and what was meant to be gone.
  private var accepted: [String: OperationID] = [:]
  private var dropped: Set<String> = []
  /// What is gone for certain, and had not been sent.
  private var cancelled: Set<String> = []
  private(set) var violations: [String] = []
  private(set) var cuts = 0

  init(seed: UInt64) throws {
    disk = try FaultyDisk()
    disk.put(besideAs: "-reserve")
    generator = SeededGenerator(seed: seed)
  }

  /// - Returns: How many operations were accepted.
  mutating func run(cuts wanted: Int) async throws -> Int {
    while cuts < wanted, violations.isEmpty {
      let isEarly = Int.random(in: 0..<10, using: &generator) < 3
      disk.cut(at: Int.random(in: 1...(isEarly ? 30 : 300), using: &generator))
      if let outbox = await open() {
        await check(outbox)
        await outbox.resume()
        await live(outbox)
        disk.cut(at: 0)
        await outbox.shutDown()
      }
      disk.cut(at: 0)
      try disk.restart(seed: generator.next())
      cuts += 1
      if Bool.random(using: &generator) { disk.put(besideAs: "-check") }
    }
    if violations.isEmpty { try await finish() }
    return accepted.count
  }

  private func open() async -> Outbox? {
    var configuration = Outbox.Configuration()
    configuration.startsPaused = true
    let (disk, shop) = (disk, shop)
    do {
      return try await Outbox(at: disk.database, configuration: configuration) {
        Worker(
          for: Change.self, backoff: .constant(.milliseconds(1)),
          reconcile: { _, context in
            shop.knows(context.idempotencyKey) ? .applied : .notApplied
          },
          run: { change, context in
            // A process without power sends nothing.
            if disk.isOff { throw CancellationError() }
            try shop.run(change, context.idempotencyKey)
          })
      }
    } catch {
      if !disk.isOff { shop.state.change { $0.violations.append("opening threw \(error)") } }
      return nil
    }
  }
}

// What it does.
extension OutboxCutWalk {
  /// Several enqueue at once, and somebody decides about what waits.
  private mutating func live(_ outbox: Outbox) async {
    var plans: [(item: String, numbers: Range<Int>)] = []
    for item in ["a", "b", "c"] {
      let start = next[item, default: 0]
      let end = start + Int.random(in: 0...4, using: &generator)
      plans.append((item, start..<end))
      next[item] = end
    }
    let seed = generator.next()
    let (disk, decided) = (disk, Box([(key: String, isSafe: Bool)]()))
    let news = await withTaskGroup(of: [(String, OperationID)].self) { group in
      for plan in plans {
        group.addTask { await Self.enqueue(plan.item, plan.numbers, in: outbox, disk) }
      }
      group.addTask {
        await Self.decide(in: outbox, seed: seed, decided)
        return []
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    for (key, id) in news { accepted[key] = id }
    for (key, isSafe) in decided.value {
      dropped.insert(key)
      if isSafe { cancelled.insert(key) }
    }
  }

  private static func enqueue(
    _ item: String, _ numbers: Range<Int>, in outbox: Outbox, _ disk: FaultyDisk
  ) async -> [(String, OperationID)] {
    var accepted: [(String, OperationID)] = []
    for number in numbers {
      let key = IdempotencyKey("\(item)-\(number)") ?? IdempotencyKey()
      let options = EnqueueOptions(orderedBy: item, idempotencyKey: key)
      // What is not accepted is not followed: the next number would be a hole.
      guard
        let id = try? await outbox.enqueue(
          Change(item: item, number: number), options: options)
      else { break }
      accepted.append((key.rawValue, id))
    }
    return accepted
  }

  private static func decide(
    in outbox: Outbox, seed: UInt64, _ decided: Box<[(key: String, isSafe: Bool)]>
  ) async {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<4 {
      do {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
          guard let conflict = try await outbox.conflicts().randomElement(using: &generator)
          else { break }
          decided.change { $0.append((conflict.operation.idempotencyKey.rawValue, false)) }
          _ = try await outbox.acceptRemote(conflict.id)
        case 1:
          let letters = try await outbox.deadLetters()
          guard let letter = letters.randomElement(using: &generator) else { break }
          _ = try await outbox.redrive(letter.id)
        case 2:
          let letters = try await outbox.deadLetters()
          guard let letter = letters.randomElement(using: &generator) else { break }
          decided.change { $0.append((letter.operation.idempotencyKey.rawValue, false)) }
          _ = try await outbox.discard(letter.id)
        default:
          let operations = try await outbox.operations()
          guard let operation = operations.randomElement(using: &generator) else { break }
          let key = operation.idempotencyKey.rawValue
          decided.change { $0.append((key, false)) }
          if try await outbox.cancel(operation.id) == .cancelled, operation.attempts == 0 {
            decided.change { $0.append((key, true)) }
          }
        }
      } catch {
        return
      }
    }
  }
}

// What it may find.
extension OutboxCutWalk {
  private mutating func violate(_ what: String) { violations.append("cut \(cuts): \(what)") }

  private mutating func check(_ outbox: Outbox) async {
    let state = shop.state.value
    violations += state.violations
    if let salvage = outbox.opening.salvage { violate("it was taken for damaged: \(salvage)") }
    if !outbox.opening.isBalanced { violate("the ledger does not balance") }
    do {
      let pending = try await outbox.operations(after: nil, limit: 10_000).map(\.idempotencyKey)
      let dead = try await outbox.deadLetters(after: nil, limit: 10_000)
      let kept = Set((pending + dead.map(\.operation.idempotencyKey)).map(\.rawValue))
      if kept.count < pending.count + dead.count { violate("something is there twice") }
      let lost = accepted.keys.filter {
        state.applied[$0] == nil && !kept.contains($0) && !dropped.contains($0)
      }
      if !lost.isEmpty { violate("\(lost.sorted()) are lost") }
      let back = cancelled.filter { state.applied[$0] != nil || kept.contains($0) }
      if !back.isEmpty { violate("\(back.sorted()) were cancelled, and came back") }
      let look = SQLiteStore(at: disk.database)
      try await look.openToLook()
      let findings = try await look.findings()
      if !findings.isEmpty { violate(findings.joined(separator: "; ")) }
      await look.close()
    } catch {
      if !disk.isOff { violate("looking threw \(error)") }
    }
  }

  /// On a good disk everything ends.
  private mutating func finish() async throws {
    shop.state.change { $0.refuses = false }
    guard let outbox = await open() else { return violations += shop.state.value.violations }
    await check(outbox)
    await outbox.resume()
    for letter in try await outbox.deadLetters(after: nil, limit: 10_000) {
      _ = try await outbox.redrive(letter.id)
    }
    for conflict in try await outbox.conflicts() {
      dropped.insert(conflict.operation.idempotencyKey.rawValue)
      _ = try await outbox.acceptRemote(conflict.id)
    }
    await outbox.wait { $0.pending == 0 }
    await check(outbox)
    await outbox.shutDown()
  }
}
