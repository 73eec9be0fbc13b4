// SPDX-License-Identifier: Apache-2.0

extension CapabilityRegistry {
  private enum Word: Sendable {
    case statuses([ID: Status])
    case improved
    case time
  }

  /// Finds out again, by itself, about each capability that does not work, until the task that runs
  /// this is cancelled.
  ///
  /// Each one waits longer with each time that it still does not work. Where a monitor is given,
  /// all of them are looked at as soon as the network has become better. What needs a person is
  /// left alone: call ``revalidate()`` when the app comes to the front.
  ///
  /// ```swift
  /// Task { await registry.keepRevalidating(on: monitor) }
  /// ```
  ///
  /// - Parameters:
  ///   - backoff: How long each waits, one second at least; the default grows from 5 seconds to 5
  ///     minutes, with full jitter. A `retryAfter` of the error counts where it is longer.
  ///   - monitor: What knows about the network; nil, the default, is nothing.
  public func keepRevalidating(
    backoff: Backoff = .exponential(from: .seconds(5), to: .seconds(300)),
    on monitor: ConnectivityMonitor? = nil
  ) async {
    await keepRevalidating(backoff, monitor, Self.timeline(of: clock))
  }

  private static func timeline(of clock: some Clock<Duration>) -> Timeline { Timeline(clock) }

  private func keepRevalidating(
    _ backoff: Backoff, _ monitor: ConnectivityMonitor?, _ timeline: Timeline
  ) async {
    let (words, word) = AsyncStream.makeStream(of: Word.self)
    // Begun at once: nothing that becomes known from now on is missed.
    let (statuses, improvements) = (updates, monitor?.improvements)
    let told = Task { for await all in statuses { word.yield(.statuses(all)) } }
    let better = improvements.map { improvements in
      Task { for await _ in improvements { word.yield(.improved) } }
    }
    var timer: Task<Void, Never>?
    defer {
      told.cancel()
      better?.cancel()
      timer?.cancel()
    }
    var machine = CapabilityRecheckStateMachine(backoff: backoff)
    var random = SplitMix64(seed: .random(in: .min ... .max))
    for await next in words {
      switch next {
      case .statuses(let all): machine.heard(all, now: timeline.now, random: &random)
      case .improved: machine.improved(now: timeline.now)
      case .time: break
      }
      let due = machine.next(at: timeline.now)
      for (id, status) in await validated(due) {
        machine.found(id, status, now: timeline.now, random: &random)
      }
      timer?.cancel()
      timer = machine.nextWake.map { end in
        Task {
          try? await timeline.sleep(until: end)
          if !Task.isCancelled { word.yield(.time) }
        }
      }
    }
  }

  /// Looks at several at the same time, in the order of their names.
  private func validated(_ ids: [ID]) async -> [(ID, Status)] {
    await withTaskGroup(of: (Int, Status).self) { group in
      for (index, id) in ids.enumerated() {
        group.addTask { (index, await self.validate(id)) }
      }
      var found: [(Int, Status)] = []
      for await answer in group { found.append(answer) }
      return found.sorted { $0.0 < $1.0 }.map { (ids[$0.0], $0.1) }
    }
  }
}
