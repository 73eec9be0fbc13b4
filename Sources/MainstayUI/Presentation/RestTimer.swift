// SPDX-License-Identifier: Apache-2.0

import Mainstay

/// Wakes something on the main actor; there is a task only while there is something to wait for.
@MainActor
final class RestTimer {
  private let timeline: Timeline
  private var pending: (task: Task<Void, Never>, until: Duration)?

  init(on timeline: Timeline) { self.timeline = timeline }

  isolated deinit { pending?.task.cancel() }

  /// Waits until a reading of the clock, or for nothing.
  ///
  /// A timer that rings earlier than this is left alone: whoever is woken sets it again.
  ///
  /// - Parameters:
  ///   - due: The reading; nil for nothing.
  ///   - ring: What is done then; it holds what it wakes weakly.
  func set(_ due: Duration?, _ ring: @escaping @MainActor () -> Void) {
    guard let due else {
      pending?.task.cancel()
      return pending = nil
    }
    guard pending.map({ due < $0.until }) ?? true else { return }
    pending?.task.cancel()
    let task = Task { [weak self, timeline] in
      do { try await timeline.sleep(until: due) } catch { return }
      self?.pending = nil
      ring()
    }
    pending = (task, due)
  }
}
