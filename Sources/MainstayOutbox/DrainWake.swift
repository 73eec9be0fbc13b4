// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// Wakes a drainer, and says what for.
final class DrainWake: Sendable {
  private struct State {
    var news: PromotionStateMachine.News?
    /// Whether others may have done something.
    var isHinted = false
    /// Whether the store has failed, and is left alone for a while.
    var isResting = false
  }

  let signal = WakeSignal()
  private let state = Locked(State())

  /// Wakes it for something that the store knows of.
  func set(for what: PromotionStateMachine.News) {
    state.withLock { $0.news = max($0.news ?? what, what) }
    signal.set()
  }

  /// Wakes it for what somebody else may have done, unless the store is left alone.
  ///
  /// Others are heard of now and then in any case, and a store that fails would be asked each time.
  func hint() {
    let isHeard = state.withLock { state in
      state.news = max(state.news ?? .times, .times)
      state.isHinted = true
      return !state.isResting
    }
    if isHeard { signal.set() }
  }

  /// Hears no hints until the next rest has ended: the store has failed.
  func failed() { state.withLock { $0.isResting = true } }

  /// Leaves a store alone that has failed, until it is woken by more than a hint.
  func rest(until due: Duration, on timeline: Timeline) async {
    await signal.wait(until: due, on: timeline)
    state.withLock { $0.isResting = false }
  }

  /// Whether others may have done something since it looked last.
  func takeHint() -> Bool {
    state.withLock { state in
      defer { state.isHinted = false }
      return state.isHinted
    }
  }

  /// What it was woken for since it looked last; nil for nothing that the store knows of.
  func take() -> PromotionStateMachine.News? {
    state.withLock { state in
      defer { state.news = nil }
      return state.news
    }
  }
}

/// A time in which a drainer does nothing, unless it is woken.
struct DrainRest: Sendable {
  /// When it looks again; nil for never.
  let end: Duration?
}

extension Drainer {
  /// Whether nothing runs here, and nothing can begin before a moment unless something new happens:
  /// what may be ready is held back, such as by the limit of its worker.
  func isIdle(until end: Duration) -> Bool {
    guard running.isEmpty, let rest, wakes.signal.isAwaited else { return false }
    return rest.end.map { $0 > end } ?? true
  }

  /// Says that others may have changed something; never waits.
  nonisolated func hint() { wakes.hint() }

  /// Says that there may be something to do; never waits.
  nonisolated func wake(for what: PromotionStateMachine.News = .times) { wakes.set(for: what) }
}
