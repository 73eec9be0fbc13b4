// SPDX-License-Identifier: Apache-2.0

extension Deadline {
  /// How long the current task may wait and still have some time left for its work; nil without a
  /// limit.
  static var timeToWait: Duration? { remaining.map { max(.zero, $0 - .nanoseconds(1)) } }
}

/// Where callers wait for their turn.
protocol WaitingRoom: AnyObject, Sendable {
  /// A caller has waited as long as it was willing to.
  func expire(_ id: UInt64)
}

/// One caller that waits: it is told once how that ended, and goes on where it was.
final class Waiter: AlarmTarget {
  enum Ending: Sendable, Equatable {
    case granted
    /// It has waited for as long as it was willing to, or would have to wait for longer: then with
    /// what it is told.
    case expired(Rejection?)
    case cancelled
  }

  private enum State {
    case waiting(CheckedContinuation<Ending, Never>?)
    case ended(Ending)
  }

  let id: UInt64
  private let room: (any WaitingRoom)?
  private let state = Locked(State.waiting(nil))

  /// Makes a waiter.
  ///
  /// - Parameters:
  ///   - id: The name by which its room knows it.
  ///   - room: Who decides when its alarm rings; without a room, the alarm is its turn.
  init(id: UInt64 = 0, room: (any WaitingRoom)? = nil) {
    self.id = id
    self.room = room
  }

  func ring() {
    guard let room else { return end(.granted) }
    room.expire(id)
  }

  /// Ends the waiting; whoever comes second changes nothing.
  func end(_ ending: Ending) {
    let continuation: CheckedContinuation<Ending, Never>? = state.withLock { state in
      guard case .waiting(let continuation) = state else { return nil }
      state = .ended(ending)
      return continuation
    }
    continuation?.resume(returning: ending)
  }

  /// How the waiting ended; returns on the caller's actor.
  ///
  /// - Parameters:
  ///   - alarm: When it rings, and by which clock; nil where somebody else ends the waiting.
  ///   - isolation: The actor of the caller.
  ///   - cancelled: Called when the caller is cancelled.
  /// - Returns: How it ended.
  func ending(
    alarm: (due: Duration, timeline: Timeline)? = nil,
    isolation: isolated (any Actor)? = #isolation, cancelled: @escaping @Sendable () -> Void
  ) async -> Ending {
    let ticket = alarm.map { $0.timeline.alarms.add(due: $0.due, target: self) }
    let ending = await withTaskCancellationHandler {
      await wait(isolation: isolation)
    } onCancel: {
      cancelled()
    }
    if let alarm, let ticket { alarm.timeline.alarms.remove(ticket) }
    return ending
  }

  private func wait(isolation: isolated (any Actor)?) async -> Ending {
    await withCheckedContinuation(isolation: isolation) { continuation in
      let ending: Ending? = state.withLock { state in
        if case .ended(let ending) = state { return ending }
        state = .waiting(continuation)
        return nil
      }
      if let ending { continuation.resume(returning: ending) }
    }
  }
}
