// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// What has come and was not taken yet; it says when that is too much.
final class Inbox<Element: Sendable>: Sendable {
  private struct State {
    var elements: [(element: Element, cost: Int)] = []
    var cost = 0
    var isFinished = false
    var isFull = false
    var nextID: UInt64 = 0
    var takers: [(id: UInt64, continuation: CheckedContinuation<Element?, Never>)] = []
    var leftEarly: Set<UInt64> = []
    var room: (@Sendable () -> Void)?

    /// What is taken now, whether there is nothing to wait for, and who has to hear of room.
    mutating func take(
      _ id: UInt64, _ continuation: CheckedContinuation<Element?, Never>, _ limit: Int
    ) -> (Element?, Bool, (@Sendable () -> Void)?) {
      if leftEarly.contains(id) { return (nil, true, nil) }
      guard !elements.isEmpty else {
        if !isFinished { takers.append((id, continuation)) }
        return (nil, isFinished, nil)
      }
      let (element, cost) = elements.removeFirst()
      self.cost -= cost
      guard isFull, self.cost <= limit / 2 else { return (element, true, nil) }
      isFull = false
      return (element, true, room)
    }
  }

  private let state = Locked(State())
  private let limit: Int

  /// - Parameter limit: The cost of all that waits beyond which it is full.
  init(limit: Int) { self.limit = limit }

  /// What is called as soon as it is full no more.
  func whenThereIsRoom(_ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.room = action }
  }

  /// Something comes.
  ///
  /// - Parameters:
  ///   - element: What comes.
  ///   - cost: What it costs to keep it.
  /// - Returns: Whether it is full now.
  func add(_ element: Element, cost: Int) -> Bool {
    let (taker, isFull) = state.withLock { state in
      guard !state.isFinished else { return (nil as CheckedContinuation<Element?, Never>?, false) }
      guard state.takers.isEmpty else { return (state.takers.removeFirst().continuation, false) }
      state.elements.append((element, cost))
      state.cost += cost
      state.isFull = state.isFull || state.cost > limit
      return (nil, state.isFull)
    }
    taker?.resume(returning: element)
    return isFull
  }

  /// Nothing more will come; what is there can still be taken.
  func finish() {
    let takers = state.withLock { state in
      state.isFinished = true
      state.room = nil
      defer { state.takers = [] }
      return state.takers
    }
    for taker in takers { taker.continuation.resume(returning: nil) }
  }

  /// Takes what came first, and waits for it.
  ///
  /// - Returns: Nil once nothing more will come, or where the task is cancelled.
  func take() async -> Element? {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let element = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (element, isOver, room) = state.withLock { state in state.take(id, continuation, limit)
        }
        room?()
        if isOver { continuation.resume(returning: element) }
      }
    } onCancel: {
      let taker = state.withLock { state in
        guard let index = state.takers.firstIndex(where: { $0.id == id }) else {
          state.leftEarly.insert(id)
          return nil as CheckedContinuation<Element?, Never>?
        }
        return state.takers.remove(at: index).continuation
      }
      taker?.resume(returning: nil)
    }
    state.withLock { _ = $0.leftEarly.remove(id) }
    return element
  }
}
