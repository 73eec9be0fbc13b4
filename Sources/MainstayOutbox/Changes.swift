// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// Tells subscribers how an outbox stands: each gets the newest snapshot, and may miss older ones.
final class Changes: Sendable {
  private struct State {
    var nextID: UInt64 = 0
    var subscribers: [UInt64: AsyncStream<OutboxSnapshot>.Continuation] = [:]
    var bells: [UInt64: AsyncStream<Void>.Continuation] = [:]
    var isReading = false
    var isAgain = false
    var isEnded = false
  }

  private let state = Locked(State())
  /// The machine's own time, whatever clock the outbox has: it measures what counting costs.
  private let timeline = Timeline.live
  private let read: @Sendable () async -> OutboxSnapshot?

  init(read: @escaping @Sendable () async -> OutboxSnapshot?) { self.read = read }

  /// A stream that begins with how things stand now.
  func subscribe() -> AsyncStream<OutboxSnapshot> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: OutboxSnapshot.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state -> UInt64? in
      guard !state.isEnded else { return nil }
      state.nextID += 1
      state.subscribers[state.nextID] = continuation
      return state.nextID
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { state in _ = state.subscribers.removeValue(forKey: id) }
    }
    changed()
    return stream
  }

  /// A stream that begins at once and rings after each change; several may be one.
  func bell() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    continuation.yield()
    let id = state.withLock { state -> UInt64? in
      guard !state.isEnded else { return nil }
      state.nextID += 1
      state.bells[state.nextID] = continuation
      return state.nextID
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { state in _ = state.bells.removeValue(forKey: id) }
    }
    return stream
  }

  /// Something changed that no snapshot shows.
  func ring() {
    let bells = state.withLock { Array($0.bells.values) }
    for bell in bells { bell.yield() }
  }

  /// Something changed: it is read once, however often that is said meanwhile, and read again when
  /// it was said after the reading began.
  func changed() {
    ring()
    let mustRead = state.withLock { state in
      guard !state.subscribers.isEmpty else { return false }
      if state.isReading {
        state.isAgain = true
        return false
      }
      state.isReading = true
      return true
    }
    if mustRead { Task { await publish() } }
  }

  private func publish() async {
    var isMore = true
    while isMore {
      let start = timeline.now
      let snapshot = await read()
      let spent = timeline.now - start
      let (subscribers, again) = state.withLock { state in
        defer { state.isAgain = false }
        if !state.isAgain { state.isReading = false }
        return (Array(state.subscribers.values), state.isAgain)
      }
      if let snapshot {
        for subscriber in subscribers { subscriber.yield(snapshot) }
      }
      isMore = again
      // Counting a long queue takes its time: most of it is left to the work.
      if again, spent > .milliseconds(1) {
        try? await timeline.sleep(until: timeline.now + spent.clamped * 4)
      }
    }
  }

  func end() {
    let (subscribers, bells) = state.withLock { state in
      state.isEnded = true
      defer { (state.subscribers, state.bells) = ([:], [:]) }
      return (Array(state.subscribers.values), Array(state.bells.values))
    }
    for subscriber in subscribers { subscriber.finish() }
    for bell in bells { bell.finish() }
  }
}
