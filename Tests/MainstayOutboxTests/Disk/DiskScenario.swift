// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting

/// A short life of a store, from a file that is not there yet, in which any call may fail.
struct DiskScenario {
  let news = (0..<3).map { number in
    NewOperation.note(
      String(number), orderedBy: number == 2 ? nil : "k",
      idempotencyKey: IdempotencyKey("key-\(number)") ?? IdempotencyKey())
  }
  private let day = TimeOfDay()
  private(set) var errors: [OutboxError] = []
  /// What was thrown and is no error of an outbox.
  private(set) var strangers: [String] = []
  private var accepted: Set<Int> = []
  /// What was answered with yes.
  private var settled: [OperationID: String] = [:]
  private var mayBeSettled: [OperationID: String] = [:]

  /// Opens a new file, enqueues three, claims, ends one well and refuses the other, closes; and
  /// once more with what is left.
  mutating func run(on disk: FaultyDisk) async {
    let (news, day) = (news, day)
    for round in 0..<2 {
      let store = SQLiteStore(at: disk.database, now: { day.now })
      await attempt { _ = try await store.open() }
      for index in news.indices where round == 0 {
        if await attempt({ _ = try await store.insert(news[index]) }) { accepted.insert(index) }
      }
      var held: [LeasedOperation] = []
      await attempt { held = try await store.claim() }
      for (leased, reason) in zip(held, ["done", "refused"]) {
        let verdict = OperationVerdict(
          reason == "done" ? .done : .dead(.refused, followers: .goOn))
        mayBeSettled[leased.lease.id] = reason
        if await attempt({ _ = try await store.settle(leased.lease, verdict) }) {
          settled[leased.lease.id] = reason
        }
      }
      await store.close()
    }
  }

  /// - Returns: Whether nothing was thrown.
  @discardableResult
  private mutating func attempt(_ body: () async throws -> Void) async -> Bool {
    do {
      try await body()
      return true
    } catch let error as OutboxError {
      errors.append(error)
    } catch {
      strangers.append("\(error)")
    }
    return false
  }

  /// What is wrong once the disk is well again.
  ///
  /// - Parameters:
  ///   - disk: The disk that it ran on.
  ///   - isCut: Whether the power went meanwhile, which undoes ends that were not waited for.
  /// - Returns: A sentence for each.
  func violations(on disk: FaultyDisk, isCut: Bool) async -> [String] {
    var found = strangers
    found += errors.compactMap(unreadable)
    do {
      let store = SQLiteStore(at: disk.database, now: { [day] in day.now })
      let report = try await store.open()
      if let salvage = report.salvage { found.append("it was taken for damaged: \(salvage)") }
      found += try await store.findings()
      for (index, new) in news.enumerated() {
        let place = try await Self.place(of: new.id, in: store)
        if place == nil, accepted.contains(index) { found.append("\(index) is lost") }
        if let reason = settled[new.id], !isCut, place != reason {
          found.append("\(index) is \(place ?? "nowhere"), and was \(reason)")
        }
        if let place, place != "pending", place != mayBeSettled[new.id] {
          found.append("\(index) is \(place), which nobody asked for")
        }
        // Who got an error asks again, under the same key; what ended has no key any more.
        if place == nil, try await store.insert(new) != new.id { found.append("it got another id") }
      }
      if try await store.ledger().enqueued != news.count {
        found.append("something is twice there")
      }
      found += try await store.findings()
      await store.close()
    } catch {
      found.append("on a good disk: \(error)")
    }
    return found
  }

  private static func place(of id: OperationID, in store: SQLiteStore) async throws -> String? {
    if let letter = try await store.deadLetter(id) { return letter.reason.rawValue }
    if let outcome = try await store.outcome(id) { return outcome.reason.rawValue }
    return try await store.operation(id) == nil ? nil : "pending"
  }

  /// What is wrong with how an error reads, or with what it says may be done.
  private func unreadable(_ error: OutboxError) -> String? {
    let shown = error.appError
    let texts = [shown.title, shown.message].map { $0.string() }
    guard texts.allSatisfy({ !$0.isEmpty }) else { return "\(error) has no text" }
    switch error.code {
    case .unavailable, .diskFull:
      return shown.disposition == .needsUser ? nil : "\(error) is \(shown.disposition)"
    // Nothing was opened, so it says so.
    case .shutDown: return nil
    default: return "\(error) is no failure of a disk"
    }
  }
}
