// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Mainstay

/// The requests that this process has begun and that the database takes for running.
///
/// A request is renewed until its end is recorded. Where recording an answer fails, the request
/// stays held and its end is owed: the effect has happened, so nobody else may get the key before
/// the answer is there. One that ended without an answer is not renewed any more.
package struct HeldRequestsStateMachine: Sendable {
  /// How a request ended.
  package enum Ending: Sendable, Hashable {
    case answered(StoredAnswer)
    /// It may be made again.
    case free
  }

  /// What the database is to be told of.
  package struct Owed: Sendable, Hashable {
    package let claim: UInt64
    package let key: Data
    package let ending: Ending
  }

  private struct Held {
    let key: Data
    let since: Duration
    var ending: Ending?
  }

  /// For how long an answer that is owed is renewed at most.
  private let lifetime: Duration
  /// For how long a request that runs is renewed at most; whoever never ends one must not hold it
  /// for ever.
  private let longestRun: Duration
  private let maximumOwed: Int
  private let maximumBytes: Int
  private var held: [UInt64: Held] = [:]
  /// The claims whose end is owed, the oldest first.
  private var order: [UInt64] = []
  package private(set) var bytes = 0

  /// - Parameters:
  ///   - lifetime: How long answers are kept; what runs is renewed for as long, and for a day at
  ///     least: a handler may take longer than its answer is worth.
  ///   - maximumOwed: How many ends may be owed.
  ///   - maximumBytes: How large their answers may be together; what is more loses its body.
  package init(lifetime: Duration, maximumOwed: Int = 10_000, maximumBytes: Int = 16_000_000) {
    self.lifetime = lifetime
    longestRun = max(lifetime, .seconds(86_400))
    self.maximumOwed = maximumOwed
    self.maximumBytes = maximumBytes
  }

  package var count: Int { held.count }

  /// What is owed, the oldest first.
  package func owed(atMost count: Int) -> [Owed] {
    order.prefix(count).compactMap { claim in
      held[claim].flatMap { entry in
        entry.ending.map { Owed(claim: claim, key: entry.key, ending: $0) }
      }
    }
  }

  /// Whether something is owed.
  package var owes: Bool { !order.isEmpty }

  /// A request was begun.
  package mutating func began(_ claim: UInt64, _ key: Data, at now: Duration) {
    drop(claim)
    held[claim] = Held(key: key, since: now)
  }

  /// A request ended, and the database could not be told; or nobody knows whether it was begun.
  package mutating func owe(_ claim: UInt64, _ key: Data, _ ending: Ending, at now: Duration) {
    drop(claim)
    // More than this is a database that is away for long: the leases end by themselves.
    guard order.count < maximumOwed else { return }
    var ending = ending
    if case .answered(let answer) = ending {
      let size = answer.body?.count ?? 0
      if bytes + size > maximumBytes {
        ending = .answered(
          StoredAnswer(status: answer.status, fields: answer.fields, body: nil))
      } else {
        bytes += size
      }
    }
    held[claim] = Held(key: key, since: now, ending: ending)
    order.append(claim)
  }

  /// The database knows how a request ended, or has given it to somebody else.
  package mutating func drop(_ claim: UInt64) {
    guard let entry = held.removeValue(forKey: claim), let ending = entry.ending else { return }
    if case .answered(let answer) = ending { bytes -= answer.body?.count ?? 0 }
    order.removeAll { $0 == claim }
  }

  /// The requests whose leases are to be renewed; forgets those that nobody has ended for too long.
  package mutating func renewals(at now: Duration) -> [(claim: UInt64, key: Data)] {
    for (claim, entry) in held {
      let limit = entry.ending == nil ? longestRun : lifetime
      if now - entry.since >= limit { drop(claim) }
    }
    return held.filter { $0.value.ending != .free }.map { ($0.key, $0.value.key) }
  }
}
