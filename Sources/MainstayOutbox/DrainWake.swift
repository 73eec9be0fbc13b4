// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// Wakes a drainer, and keeps what for until it looks.
final class DrainWake: Sendable {
  let signal = WakeSignal()
  private let news = Locked<PromotionStateMachine.News?>(nil)

  /// Wakes it for something that the store knows of.
  func set(for what: PromotionStateMachine.News) {
    news.withLock { $0 = max($0 ?? what, what) }
    signal.set()
  }

  /// What it was woken for since it looked last; nil for nothing that the store knows of.
  func take() -> PromotionStateMachine.News? {
    news.withLock { news in
      defer { news = nil }
      return news
    }
  }
}
