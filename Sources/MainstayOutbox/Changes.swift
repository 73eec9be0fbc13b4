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
  /// How long a store that cannot be read is left alone.
  private static let rest = Duration.milliseconds(500)
  /// The machine's own time, whatever clock the outbox has: it measures what counting costs.
  private let timeline = Timeline.live
  private let read: @Sendable () async -> OutboxSnapshot?

  init(read: @escaping @Sendable () async -> OutboxSnapshot?) { self.read = read }

  /// A stream that begins with how things stand now.
  func subscribe() -> AsyncStream<OutboxSnapshot> {
    let stream = register(\.subscribers).stream
    changed()
    return stream
  }

  /// A stream that begins at once and rings after each change; several may be one.
  func bell() -> AsyncStream<Void> {
    let (stream, continuation) = register(\.bells)
    continuation.yield()
    return stream
  }

  /// Makes a stream that is told until its reader leaves; after the end it is empty.
  private func register<Element: Sendable>(
    _ place: any WritableKeyPath<State, [UInt64: AsyncStream<Element>.Continuation]> & Sendable
  ) -> (stream: AsyncStream<Element>, continuation: AsyncStream<Element>.Continuation) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state -> UInt64? in
      guard !state.isEnded else { return nil }
      state.nextID += 1
      state[keyPath: place][state.nextID] = continuation
      return state.nextID
    }
    if let id {
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { $0[keyPath: place][id] = nil }
      }
    } else {
      continuation.finish()
    }
    return (stream, continuation)
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
        // Nobody may say that something changed for long, and some have been told nothing yet.
        let isUnread = snapshot == nil && !state.subscribers.isEmpty
        state.isReading = state.isAgain || isUnread
        return (Array(state.subscribers.values), state.isReading)
      }
      isMore = again
      guard let snapshot else {
        if again { try? await timeline.sleep(until: timeline.now + Self.rest) }
        continue
      }
      for subscriber in subscribers { subscriber.yield(snapshot) }
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
