// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// Tells subscribers how an outbox stands: each gets the newest snapshot, and may miss older ones.
final class Changes: Sendable {
  private struct State {
    var nextID: UInt64 = 0
    var subscribers: [UInt64: AsyncStream<OutboxSnapshot>.Continuation] = [:]
    var bells: [UInt64: AsyncStream<Void>.Continuation] = [:]
    /// Those that are rung for one operation.
    var bellsOfOne: [OperationID: Set<UInt64>] = [:]
    /// Whether all were rung not long ago, and are to be rung again after that.
    var isResting = false
    var mustRing = false
    var isReading = false
    var isAgain = false
    /// When the store may be read again, by the machine's own time.
    var nextReading = Duration.zero
    /// The task that reads, and its wait for `nextReading`.
    var publishing: Task<Void, Never>?
    var waiting: Task<Void, Never>?
    /// Whether the end is near: what is owed is read at once.
    var isSettling = false
    var isEnded = false
  }

  private let state = Locked(State())
  /// How many are too many to be rung each time.
  private static let many = 8
  /// How long nothing is read after a reading: no screen shows more, and a store that works off
  /// thousands in a second would be read all the time.
  private static let pause = Duration.milliseconds(5)
  /// How long a store that cannot be read is left alone.
  private static let failureRest = Duration.milliseconds(500)
  /// The machine's own time, whatever clock the outbox has: it measures what counting costs.
  private let timeline = Timeline.live
  private let read: @Sendable () async -> OutboxSnapshot?

  init(read: @escaping @Sendable () async -> OutboxSnapshot?) { self.read = read }

  /// A stream that begins with how things stand now.
  func subscribe() -> AsyncStream<OutboxSnapshot> {
    let stream = register(\.subscribers).stream
    state.withLock { $0.nextReading = .zero }
    changed()
    return stream
  }

  /// A stream that begins at once and rings after each change; several may be one.
  ///
  /// - Parameter id: The operation that its reader looks at; nil, the default, for one that looks
  ///   at many. What is known to be about another one rings for nobody else.
  /// - Returns: The stream.
  func bell(for id: OperationID? = nil) -> AsyncStream<Void> {
    let (stream, continuation) = register(\.bells, about: id)
    continuation.yield()
    return stream
  }

  /// Makes a stream that is told until its reader leaves; after the end it is empty.
  private func register<Element: Sendable>(
    _ place: any WritableKeyPath<State, [UInt64: AsyncStream<Element>.Continuation]> & Sendable,
    about subject: OperationID? = nil
  ) -> (stream: AsyncStream<Element>, continuation: AsyncStream<Element>.Continuation) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state -> UInt64? in
      guard !state.isEnded else { return nil }
      state.nextID += 1
      state[keyPath: place][state.nextID] = continuation
      if let subject { state.bellsOfOne[subject, default: []].insert(state.nextID) }
      return state.nextID
    }
    if let id {
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { state in
          state[keyPath: place][id] = nil
          guard let subject else { return }
          state.bellsOfOne[subject]?.remove(id)
          if state.bellsOfOne[subject]?.isEmpty == true { state.bellsOfOne[subject] = nil }
        }
      }
    } else {
      continuation.finish()
    }
    return (stream, continuation)
  }

  /// Something changed about these operations: those are rung that look at one of them.
  func ring(_ ids: [OperationID]) {
    let bells = state.withLock { state -> [AsyncStream<Void>.Continuation] in
      guard !state.bellsOfOne.isEmpty else { return [] }
      return ids.flatMap { state.bellsOfOne[$0] ?? [] }.compactMap { state.bells[$0] }
    }
    for bell in bells { bell.yield() }
  }

  /// Something changed, and nobody knows what: all are rung, each of whom looks at the store.
  ///
  /// Where there are many, they have time between two rings, a thousandth of a second for each:
  /// else the store would do nothing but answer that nothing is new.
  private func ringAll() {
    let (bells, mustRest) = state.withLock { state in
      guard !state.isResting else {
        state.mustRing = true
        return ([AsyncStream<Void>.Continuation](), false)
      }
      state.isResting = state.bells.count >= Self.many
      return (Array(state.bells.values), state.isResting)
    }
    for bell in bells { bell.yield() }
    if mustRest { Task { await rest() } }
  }

  /// Rings again after a while, as long as somebody asks for that meanwhile.
  private func rest() async {
    while true {
      let count = state.withLock { $0.bells.count }
      try? await timeline.sleep(until: timeline.now + .milliseconds(min(count, 1_000)))
      let bells = state.withLock { state -> [AsyncStream<Void>.Continuation] in
        defer { state.mustRing = false }
        state.isResting = state.mustRing && !state.bells.isEmpty
        return state.isResting ? Array(state.bells.values) : []
      }
      guard !bells.isEmpty else { return }
      for bell in bells { bell.yield() }
    }
  }

  /// Something changed: it is read once, however often that is said meanwhile, and read again when
  /// it was said after the reading began.
  func changed() {
    ringAll()
    state.withLock { state in
      guard !state.subscribers.isEmpty else { return }
      guard !state.isReading else {
        state.isAgain = true
        return
      }
      state.isReading = true
      state.publishing = Task { await publish() }
    }
  }

  private func publish() async {
    var isMore = true
    while isMore {
      await waitToRead()
      let start = timeline.now
      // Whoever comes while it is read may have changed something before that, and waits for the
      // next one.
      let latest = state.withLock { state in
        state.isAgain = false
        return state.nextID
      }
      let snapshot = await read()
      let end = timeline.now
      let subscribers = state.withLock { state in
        state.nextReading = end + Self.rest(after: end - start, isRead: snapshot != nil)
        // Nobody may say that something changed for long, and some have been told nothing yet.
        let isUnread = snapshot == nil && !state.subscribers.isEmpty
        // In the end, a store that cannot be read keeps nobody.
        let isDone = state.isSettling && snapshot == nil
        state.isReading = !isDone && (state.isAgain || isUnread)
        let told = state.subscribers.filter { $0.key <= latest }
        return (told: Array(told.values), isMore: state.isReading)
      }
      isMore = subscribers.isMore
      guard let snapshot else { continue }
      for subscriber in subscribers.told { subscriber.yield(snapshot) }
    }
  }

  /// Waits until the store may be read again, unless the end is near.
  private func waitToRead() async {
    let waiting = state.withLock { state -> Task<Void, Never>? in
      let next = state.nextReading
      guard !state.isSettling, next > timeline.now else { return nil }
      state.waiting = Task { [timeline] in _ = try? await timeline.sleep(until: next) }
      return state.waiting
    }
    await waiting?.value
  }

  /// Tells at once what is still to be told, before the end.
  func settle() async {
    let (publishing, waiting) = state.withLock { state in
      state.isSettling = true
      return (state.publishing, state.waiting)
    }
    waiting?.cancel()
    await publishing?.value
  }

  /// How long the store is left alone after it was read for a time.
  private static func rest(after spent: Duration, isRead: Bool) -> Duration {
    guard isRead else { return failureRest }
    // Counting a long queue takes its time: most of it is left to the work.
    return spent > .milliseconds(1) ? max(spent.clamped * 4, pause) : pause
  }

  func end() {
    let (subscribers, bells) = state.withLock { state in
      state.isEnded = true
      defer { (state.subscribers, state.bells, state.bellsOfOne) = ([:], [:], [:]) }
      return (Array(state.subscribers.values), Array(state.bells.values))
    }
    for subscriber in subscribers { subscriber.finish() }
    for bell in bells { bell.finish() }
  }
}
