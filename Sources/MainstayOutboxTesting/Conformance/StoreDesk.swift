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

  /// Lets many callers use the store that is open, all at the same time.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - call: What each does; it is given the number of the caller, from 0, and the store.
  /// - Returns: What became of each, in no order.
  func crowd<T: Sendable>(
    of count: Int = 24,
    _ call: @escaping @Sendable (_ number: Int, _ store: any OutboxStore) async throws -> T
  ) async -> [Result<T, any Error>] {
    let store = store
    let (signal, begin) = AsyncStream.makeStream(of: Void.self)
    // It ends once all are there.
    let start = Task { for await _ in signal {} }
    return await withTaskGroup(of: Result<T, any Error>.self) { group in
      for number in 0..<count {
        group.addTask {
          await start.value
          do { return .success(try await call(number, store)) } catch { return .failure(error) }
        }
      }
      begin.finish()
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

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
