// SPDX-License-Identifier: Apache-2.0

package import Mainstay

/// How long a statement that callers share waits for each lock.
package enum LockPatience: Sendable, Hashable {
  /// Next to no time: whoever it carries has waited with others before.
  case none
  /// Not for long, since others share the statement, or stand behind it.
  case brief
  /// As long as a session does.
  case full
}

/// Lets callers that arrive while others are on their way to the server share the next statement.
///
/// One that comes alone goes at once, and the others wait as long as a statement takes: there is no
/// timer, but for a statement that takes long. Each of them gets its own answer; where the server
/// cannot be asked, that of the statement before may stand for it. One that meets a
/// lock which somebody's transaction holds makes way for the others, and waits with those that met
/// one, too.
package final class Gathering<Item: Sendable, Answer: Sendable>: Sendable {
  /// Sends items together, and answers each; what it throws stands for all of them.
  package typealias Send =
    @Sendable (_ items: [Item], _ patience: LockPatience) async throws
    -> [Result<Answer, any Error>]

  private struct Waiting: Sendable {
    /// One more than that of whoever came before.
    let number: Int
    let item: Item
    let continuation: CheckedContinuation<Answer, any Error>
  }

  private struct State {
    var waiting: [Waiting] = []
    var last = 0
    var flights: FlightsStateMachine
    /// Those that met a lock.
    var held: [Waiting] = []
    var areHeldWaiting = false
  }

  /// After what time a statement that was lost has been too long for those behind it as well.
  private static var longWait: Duration { .seconds(5) }

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
        state.last += 1
        state.waiting.append(
          Waiting(number: state.last, item: item, continuation: continuation))
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

  private func fly(_ first: Int, _ send: @escaping Send) async {
    var flight: Int? = first
    while let current = flight {
      // Whoever is about to come goes along.
      await Task.yield()
      let (batch, last, action) = state.withLock { state in
        let batch = share(of: state.waiting)
        state.waiting.removeFirst(batch.count)
        let action = state.flights.departed(current, waiting: state.waiting.count)
        return (batch, state.last, action)
      }
      perform(action, send)
      // Another one may have taken all who waited.
      if !batch.isEmpty { await answer(batch, .brief, upTo: last, send) }
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
  ///
  /// Where the server cannot be asked at all, or does not answer in time, those hear of it as well
  /// that had come before and found no room in the batch. They have waited as long, and would else
  /// wait for many batches. Of a connection that broke soon they hear nothing: the next is well.
  private func answer(
    _ batch: [Waiting], _ patience: LockPatience, upTo last: Int = 0, _ send: @escaping Send
  ) async {
    var alone: [Waiting] = []
    let begun = timeline.now
    do {
      let answers = try await send(batch.map(\.item), patience)
      for (waiting, answer) in zip(batch, answers) {
        switch answer {
        case .failure(let error as PostgresError) where error.isLocked: hold(waiting, send)
        case .failure(let error as PostgresError) where error.isOfOne && batch.count > 1:
          alone.append(waiting)
        default: waiting.continuation.resume(with: answer)
        }
      }
    } catch let error as PostgresError where error.isOfOne && batch.count > 1 {
      alone = batch
    } catch let error as PostgresError where error.isLocked {
      for waiting in batch { hold(waiting, send) }
    } catch {
      for waiting in batch { waiting.continuation.resume(throwing: error) }
      let isLong = timeline.now - begun >= Self.longWait
      if let error = error as? PostgresError, error.isOfAll(isLong: isLong) {
        for waiting in leftBehind(upTo: last) {
          waiting.continuation.resume(throwing: error.mayHaveHappened(false))
        }
      }
    }
    // One after the other: where each waited again, the last would wait that many times.
    for waiting in alone { await answer([waiting], .none, send) }
  }

  /// Those who had come up to a number, and were not taken along; they do not wait any more.
  private func leftBehind(upTo last: Int) -> [Waiting] {
    state.withLock { state in
      let count = state.waiting.prefix { $0.number <= last }.count
      defer { state.waiting.removeFirst(count) }
      return Array(state.waiting.prefix(count))
    }
  }

  /// Lets one wait for its lock beside the flights, so that those go on.
  private func hold(_ waiting: Waiting, _ send: @escaping Send) {
    let mustWait = state.withLock { state in
      state.held.append(waiting)
      defer { state.areHeldWaiting = true }
      return !state.areHeldWaiting
    }
    if mustWait { Task { await waitForLocks(send) } }
  }

  /// Waits for the locks of all that are held with one statement, however many there are.
  ///
  /// Where that takes too long, each is tried once more alone.
  private func waitForLocks(_ send: Send) async {
    while true {
      let batch: [Waiting] = state.withLock { state in
        let batch = share(of: state.held)
        state.held.removeFirst(batch.count)
        if batch.isEmpty { state.areHeldWaiting = false }
        return batch
      }
      if batch.isEmpty { return }
      await tryAgain(await waitTogether(batch, send), send)
    }
  }

  /// - Returns: Those that are to be tried once more alone; the others have their answers.
  private func waitTogether(_ batch: [Waiting], _ send: Send) async -> [Waiting] {
    var alone: [Waiting] = []
    do {
      let answers = try await send(batch.map(\.item), .full)
      for (waiting, answer) in zip(batch, answers) {
        if case .failure(let error as PostgresError) = answer, error.isOfOneThatWaits,
          batch.count > 1
        {
          alone.append(waiting)
        } else {
          waiting.continuation.resume(with: answer)
        }
      }
    } catch let error as PostgresError where error.isOfOneThatWaits && batch.count > 1 {
      alone = batch
    } catch {
      for waiting in batch { waiting.continuation.resume(throwing: error) }
    }
    return alone
  }

  private func tryAgain(_ batch: [Waiting], _ send: Send) async {
    var slowness: PostgresError?
    for waiting in batch {
      do {
        if let slowness { throw slowness }
        for answer in try await send([waiting.item], .none) {
          waiting.continuation.resume(with: answer)
        }
      } catch {
        // That is no lock: a server that is slow is not kept busy by all the others, too.
        if let error = error as? PostgresError, error.isOutOfTime { slowness = error }
        waiting.continuation.resume(throwing: error)
      }
    }
  }
}

extension PostgresError {
  /// What somebody's transaction is at.
  static let locked = PostgresError(
    .timeout, sqlState: "55P03", "A lock was not free in time: try again.")

  /// Whether the server could not be asked, or takes nothing from anybody; nothing was done then.
  fileprivate var isOfTheWay: Bool {
    switch kind {
    case .address, .unreachable, .refused, .tooOld, .tooMany, .busy, .readOnly, .closed: true
    case .lost: !mayHaveHappened
    default: false
    }
  }

  /// Whether those hear of it as well that wait behind a statement, which may have taken long.
  fileprivate func isOfAll(isLong: Bool) -> Bool {
    switch kind {
    case .timeout: !isLocked
    case .lost: isLong || isOfTheWay
    default: isOfTheWay
    }
  }

  /// Whether it met a lock that somebody held.
  fileprivate var isLocked: Bool { sqlState == "55P03" }

  /// Whether one of those that share a statement may have been the cause.
  fileprivate var isOfOne: Bool { kind == .statement || isLocked }

  /// The same for a statement that waits for locks: several of them may take all the time it has.
  fileprivate var isOfOneThatWaits: Bool { isOfOne || isOutOfTime }

  /// Whether the server ended it after the longest time that a statement may take.
  fileprivate var isOutOfTime: Bool { sqlState == "57014" }
}
