// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

// What an app does before it is suspended, and with the time that it is given after that.
extension Outbox {
  /// Starts nothing any more, and returns when nothing runs: what an app does before it is
  /// suspended.
  ///
  /// What runs has time to end; after that it is cancelled and given back, at no cost. A worker
  /// that does not end half a second after that is given up on: its operation counts as of unknown
  /// outcome, and what the worker says later is not heard. The write-ahead log of a file is cut
  /// short then, unless somebody reads it, and the outbox leaves the file alone. Go on with
  /// ``resume()``; where that comes while this waits, it returns at once, and nothing else is
  /// cancelled. The lock by which others know that this outbox is open stays until it is shut down.
  ///
  /// - Parameter patience: How long runs may take to end; zero or more, the default is 4 seconds: a
  ///   system gives an app 5.
  public func suspend(within patience: Duration = .seconds(4)) async {
    guard await drainer.suspend(within: max(patience, .zero)) else { return }
    await (store as? any SharedStore)?.prepareForSuspension()
    await drainer.hasSuspended()
  }

  /// Works off what can be worked off, and returns when nothing is left of that: what an app does
  /// with the time that a background task has.
  ///
  /// It goes on with an outbox that was paused. When the time is over it returns, and what runs
  /// then goes on: ``suspend(within:)`` ends that. It returns earlier where nothing runs, and
  /// nothing that is left can begin before the time is over, such as by a rate limit. It also
  /// returns where somebody pauses the outbox meanwhile, or has suspended it, and leaves the file
  /// alone then.
  ///
  /// - Parameter time: How long it may take; zero or more.
  /// - Returns: How many operations stand where when it ends, or for an outbox that was suspended
  ///   when they were counted last.
  /// - Throws: ``OutboxError``.
  @discardableResult
  public func drain(for time: Duration) async throws(OutboxError) -> OutboxSnapshot {
    let time = max(time, .zero)
    let end = drainer.settings.timeline.now + time.clamped
    let counted = await drainer.granting(time) {
      let (turn, pause, number) = await drainer.drain()
      let counted = await withTaskGroup(of: OutboxSnapshot?.self) { group in
        group.addTask { [self] in
          // What fell due during a pause is not ready before the drainer has looked.
          for await _ in turn {}
          return await workedOff(before: end)
        }
        group.addTask { [drainer] in
          await drainer.pass(time)
          return nil
        }
        group.addTask {
          for await _ in pause {}
          return nil
        }
        let first = await group.next() ?? nil
        group.cancelAll()
        return await group.reduce(first) { $0 ?? $1 }
      }
      await drainer.leaveDrain(number)
      return counted
    }
    if await drainer.isSuspended, let counted { return counted }
    return try await snapshot()
  }

  /// Returns when nothing is left that can be worked off before a moment, or when the task is
  /// cancelled: how many stood where when they were counted last.
  private func workedOff(before end: Duration) async -> OutboxSnapshot? {
    var last: OutboxSnapshot?
    for await snapshot in changes {
      last = snapshot
      // Another process may run something.
      if snapshot.running == 0, await drainer.isIdle(until: end) { break }
      guard snapshot.isWorkedOff else { continue }
      // What is told may have been counted before that; where nobody can count, it has to do.
      if (try? await self.snapshot())?.isWorkedOff ?? true { break }
    }
    return last
  }
}

extension OutboxSnapshot {
  /// Whether nothing runs, nor could begin.
  fileprivate var isWorkedOff: Bool { ready + running == 0 }
}
