// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayTesting

/// What happened at a server, in order, for a test to look at or to wait for.
///
/// It keeps the last 10,000 events at least; those before them are forgotten.
///
/// A test that waits for what does not come ends with its time limit, which cancels its task. A
/// line on standard error then says where it waited, and what happened last.
public final class EventLog<Event: Sendable>: Sendable {
  private struct State {
    var events: [Event] = []
    var forgotten = 0
    var nextID: UInt64 = 0
    var waiters: [UInt64: (count: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
    var leftEarly: Set<UInt64> = []

    var total: Int { forgotten + events.count }
  }

  private let state = Locked(State())
  private let limit: Int

  package init(keeping limit: Int = 10_000) { self.limit = limit }

  /// All that is kept, the oldest first.
  public var events: [Event] { state.withLock { $0.events } }

  /// How many events there were, those that are forgotten included.
  public var count: Int { state.withLock { $0.total } }

  /// Waits until there were so many events.
  ///
  /// - Parameters:
  ///   - count: How many, those included that are there already.
  ///   - fileID: The caller's file; leave it out.
  ///   - line: The caller's line; leave it out.
  /// - Returns: All that is kept; fewer where the task was cancelled.
  @discardableResult
  public func events(
    atLeast count: Int, fileID: String = #fileID, line: Int = #line
  ) async -> [Event] {
    await reached(count)
    if self.count < count {
      UnmetWait.ended(fileID, line, until: "there were at least \(count) events", found: found)
    }
    return events
  }

  /// Waits for an event, which may be there already.
  ///
  /// - Parameters:
  ///   - isMeant: Whether an event is the one.
  ///   - fileID: The caller's file; leave it out.
  ///   - line: The caller's line; leave it out.
  /// - Returns: The first that is; nil where the task was cancelled before it came.
  @discardableResult
  public func first(
    where isMeant: (Event) -> Bool, fileID: String = #fileID, line: Int = #line
  ) async -> Event? {
    var seen = 0
    while true {
      let (new, total) = state.withLock { state in
        (Array(state.events.dropFirst(max(seen - state.forgotten, 0))), state.total)
      }
      if let event = new.first(where: isMeant) { return event }
      seen = total
      await reached(seen + 1)
      // Only the end of the task lets it go on without an event.
      guard count == seen else { continue }
      UnmetWait.ended(fileID, line, until: "the event came that was meant", found: found)
      return nil
    }
  }

  /// What happened last, as a sentence.
  private var found: String {
    let (count, last) = state.withLock { ($0.total, Array($0.events.suffix(5))) }
    guard !last.isEmpty else { return "There were none." }
    let words = last.map { String("\($0)".prefix(200)) }.joined(separator: ", ")
    return "There were \(count), the last ones: \(words)."
  }

  /// Something happens.
  package func add(_ event: Event) {
    let ready = state.withLock { state in
      state.events.append(event)
      // Half at a time, so that an event costs little.
      if state.events.count > 2 * limit {
        state.events.removeFirst(limit)
        state.forgotten += limit
      }
      let ready = state.waiters.filter { $0.value.count <= state.total }
      for id in ready.keys { state.waiters[id] = nil }
      return ready.values.map(\.continuation)
    }
    for continuation in ready { continuation.resume() }
  }

  /// Waits in silence until there were so many events, or the task is cancelled.
  func reached(_ count: Int) async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.total >= count || state.leftEarly.contains(id) { return true }
          state.waiters[id] = (count, continuation)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        let waiter = state.waiters.removeValue(forKey: id)
        if waiter == nil { state.leftEarly.insert(id) }
        return waiter
      }
      waiter?.continuation.resume()
    }
    state.withLock { _ = $0.leftEarly.remove(id) }
  }
}
