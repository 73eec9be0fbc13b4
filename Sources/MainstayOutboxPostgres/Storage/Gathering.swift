// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// Lets callers that arrive while others are on their way to the server share the next statement.
///
/// There is no timer: one that comes alone goes at once, and the others wait as long as a statement
/// takes. Each of them gets its own answer.
final class Gathering<Item: Sendable, Answer: Sendable>: Sendable {
  /// Sends items together, and answers each; what it throws stands for all of them.
  typealias Send = @Sendable ([Item]) async throws -> [Result<Answer, any Error>]

  private struct Waiting: Sendable {
    let item: Item
    let continuation: CheckedContinuation<Answer, any Error>
  }

  private struct State {
    var waiting: [Waiting] = []
    var flights = 0
  }

  /// How many share a statement at most.
  private let maximumCount: Int
  /// How many bytes a statement takes at most; one item goes in any case.
  private let maximumBytes: Int
  /// How many statements are on their way at most.
  private let maximumFlights: Int
  /// How many bytes an item has.
  private let size: @Sendable (Item) -> Int
  private let state = Locked(State())

  init(
    maximumCount: Int = 500, maximumBytes: Int = 8 << 20, maximumFlights: Int = 2,
    size: @escaping @Sendable (Item) -> Int
  ) {
    self.maximumCount = maximumCount
    self.maximumBytes = maximumBytes
    self.maximumFlights = maximumFlights
    self.size = size
  }

  /// Returns when the item was sent and answered; a cancelled caller waits all the same.
  func submit(_ item: Item, _ send: @escaping Send) async throws -> Answer {
    try await withCheckedThrowingContinuation { continuation in
      let mustSend = state.withLock { state in
        state.waiting.append(Waiting(item: item, continuation: continuation))
        guard state.flights < maximumFlights else { return false }
        state.flights += 1
        return true
      }
      if mustSend { Task { await fly(send) } }
    }
  }

  private func fly(_ send: Send) async {
    while true {
      let batch: [Waiting] = state.withLock { state in
        let batch = share(of: state.waiting)
        state.waiting.removeFirst(batch.count)
        if batch.isEmpty { state.flights -= 1 }
        return batch
      }
      if batch.isEmpty { return }
      await answer(batch, send)
    }
  }

  /// What goes with the next statement.
  private func share(of waiting: [Waiting]) -> [Waiting] {
    var batch: [Waiting] = []
    var bytes = 0
    for next in waiting.prefix(maximumCount) {
      bytes += size(next.item)
      if !batch.isEmpty && bytes > maximumBytes { break }
      batch.append(next)
    }
    return batch
  }

  /// Sends a batch; where the server refuses it, each one alone, so that each gets its own answer.
  private func answer(_ batch: [Waiting], _ send: Send) async {
    do {
      let answers = try await send(batch.map(\.item))
      for (waiting, answer) in zip(batch, answers) { waiting.continuation.resume(with: answer) }
    } catch let error as PostgresError where error.kind == .statement && batch.count > 1 {
      for waiting in batch { await answer([waiting], send) }
    } catch {
      for waiting in batch { waiting.continuation.resume(throwing: error) }
    }
  }
}
