// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

/// Where a rule tries a store: it dies, is opened again, and time passes as the rule says.
final class StoreDesk {
  let time: TimeOfDay
  var complaints: [String] = []
  private let place: StoreConformance.Place
  private var current: (any OutboxStore)?

  init(_ place: StoreConformance.Place, _ time: TimeOfDay) {
    self.place = place
    self.time = time
  }

  /// The store that is open.
  var store: any OutboxStore { current ?? InMemoryStore(now: { [time] in time.now }) }

  @discardableResult
  func open() async throws -> OpeningReport {
    let store = try await place.open()
    current = store
    return try await store.open()
  }

  /// The process dies, and another one opens what it has left.
  @discardableResult
  func crash() async throws -> OpeningReport {
    try await place.kill(store)
    return try await open()
  }

  func close() async { await current?.close() }

  func hold(_ isTrue: Bool, _ what: String = "it does not hold", line: Int = #line) {
    if !isTrue { complaints.append("\(what) (line \(line))") }
  }

  func same<T: Equatable>(_ found: T, _ expected: T, _ what: String = "", line: Int = #line) {
    guard found != expected else { return }
    let why = what.isEmpty ? "" : ": \(what)"
    complaints.append("\(found) instead of \(expected)\(why) (line \(line))")
  }

  /// - Throws: Where there is nothing: the rule cannot go on.
  func some<T>(_ value: T?, line: Int = #line) throws -> T {
    guard let value else {
      throw OutboxError(.failed, details: "there is nothing, and the rule ends (line \(line))")
    }
    return value
  }

  func refuses<T>(
    _ code: OutboxError.Code, line: Int = #line, _ body: () async throws -> T
  ) async {
    do {
      _ = try await body()
      complaints.append("it is not refused as \(code.rawValue) (line \(line))")
    } catch {
      same((error as? OutboxError)?.code.rawValue, code.rawValue, line: line)
    }
  }
}
