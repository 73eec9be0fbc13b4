// SPDX-License-Identifier: Apache-2.0

package import Mainstay

/// Lets callers that arrive while others are on their way to the server share the next statement.
///
/// One that comes alone goes at once, and the others wait as long as a statement takes: there is no
/// timer, but for a statement that takes long. Each of them gets its own answer.
package final class Gathering<Item: Sendable, Answer: Sendable>: Sendable {
  /// Sends items together, and answers each; what it throws stands for all of them.
  package typealias Send = @Sendable ([Item]) async throws -> [Result<Answer, any Error>]

  private struct Waiting: Sendable {
    let item: Item
    let continuation: CheckedContinuation<Answer, any Error>
  }

  private struct State {
    var waiting: [Waiting] = []
    var flights: FlightsStateMachine
  }

  /// How many share a statement at most.
  private let maximumCount: Int
  /// How many bytes a statement takes at most; one item goes in any case.
  private let maximumBytes: Int
  /// How many bytes an item has.
  private let size: @Sendable (Item) -> Int
  /// After what time a statement is late, so that others do not wait for it.
  private let patience: Duration
  private let timeline: Timeline
  private let state: Locked<State>

  package init(
    maximumCount: Int = 500, maximumBytes: Int = 8 << 20, maximumFlights: Int = 2,
    patience: Duration = .milliseconds(20), timeline: Timeline = .live,
    size: @escaping @Sendable (Item) -> Int
  ) {
    self.maximumCount = maximumCount
    self.maximumBytes = maximumBytes
    self.size = size
    self.patience = patience
    self.timeline = timeline
    state = Locked(State(flights: FlightsStateMachine(maximum: maximumFlights)))
  }

  /// Returns when the item was sent and answered; a cancelled caller waits all the same.
  package func submit(_ item: Item, _ send: @escaping Send) async throws -> Answer {
    try await withCheckedThrowingContinuation { continuation in
      let action = state.withLock { state in
        state.waiting.append(Waiting(item: item, continuation: continuation))
        return state.flights.arrived(waiting: state.waiting.count)
      }
      perform(action, send)
    }
  }

  private func perform(_ action: FlightsStateMachine.Action, _ send: @escaping Send) {
    switch action {
    case .waits: break
    case .leaves(let flight): Task { await fly(flight, send) }
    case .watches(let flight): Task { await watch(flight, send) }
    }
  }

  private func watch(_ flight: Int, _ send: @escaping Send) async {
    try? await timeline.sleep(until: timeline.now + patience)
    let action = state.withLock { state in
      state.flights.watched(flight, waiting: state.waiting.count)
    }
    perform(action, send)
  }

  private func fly(_ first: Int, _ send: Send) async {
    var flight: Int? = first
    while let current = flight {
      let batch: [Waiting] = state.withLock { state in
        let batch = share(of: state.waiting)
        state.waiting.removeFirst(batch.count)
        return batch
      }
      // Another one may have taken all who waited.
      if !batch.isEmpty { await answer(batch, send) }
      flight = state.withLock { state in
        state.flights.answered(current, waiting: state.waiting.count)
      }
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
