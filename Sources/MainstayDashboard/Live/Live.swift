// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayOutbox

/// Looks at everything once in an interval, and tells all pages that are open.
///
/// However many there are, there is one that looks. Each outbox is counted by itself, so that one
/// that does not answer keeps no news of anything else. A page that takes its news slowly finds
/// them put together: none is kept for it but which parts have changed.
package final class Live: Sendable {
  /// How often an idle stream says that it is there.
  static let beat = Duration.seconds(15)
  /// How often all pages are brought up to date, though nothing changed.
  static let redraw = Duration.seconds(60)
  /// How long a page that shows all outboxes waits for one of them.
  static let patience = Duration.seconds(2)

  private struct State {
    var memory = Memory()
    var latest: Sample?
    /// What was found of each outbox last; nil for one that cannot be read.
    var queues: [String: Sample.Queue?] = [:]
    var drawn: Duration?
    var seats: [UInt64: Seat] = [:]
    var nextSeat: UInt64 = 0
    var isEnded = false
  }

  /// A page that listens.
  private struct Seat {
    let bell: AsyncStream<Void>.Continuation
    var parts: LiveParts = []
    var isBeat = false
  }

  private let dashboard: Dashboard
  private let counts: Counts
  private let state = Locked(State())
  private let tasks = Locked<[Task<Void, Never>]>([])

  package init(_ dashboard: Dashboard) {
    self.dashboard = dashboard
    counts = Counts(dashboard)
  }

  deinit { end() }

  /// Begins to look; it goes on until ``end()``, or until nobody holds this any more.
  func start() {
    let (timeline, interval) = (dashboard.timeline, dashboard.sampleInterval)
    let sampling = Task { [weak self] in
      while !Task.isCancelled {
        let start = timeline.now
        self?.look()
        guard (try? await timeline.sleep(until: start + interval)) != nil, self != nil else {
          return
        }
      }
    }
    let beating = Task { [weak self] in
      while !Task.isCancelled {
        guard (try? await timeline.sleep(until: timeline.now + Self.beat)) != nil else { return }
        guard let self else { return }
        self.ring { $0.isBeat = true }
      }
    }
    let others = dashboard.outboxes.keys.map { counting($0) }
    tasks.withLock { $0 += [sampling, beating] + others }
  }

  /// Counts an outbox for as long as this is there, which one that does not answer keeps not alive.
  private func counting(_ name: String) -> Task<Void, Never> {
    let (timeline, interval) = (dashboard.timeline, dashboard.sampleInterval)
    return Task { [weak self, counts] in
      while !Task.isCancelled {
        guard let look = await counts.look(at: name) else { return }
        self?.take(look, of: name)
        let next = look.reading + look.pause(atLeast: interval)
        guard (try? await timeline.sleep(until: next)) != nil, self != nil else { return }
      }
    }
  }

  package func end() {
    let tasks = tasks.withLock { tasks in
      defer { tasks = [] }
      return tasks
    }
    for task in tasks { task.cancel() }
    counts.end()
    let seats = state.withLock { state in
      state.isEnded = true
      defer { state.seats = [:] }
      return Array(state.seats.values)
    }
    for seat in seats { seat.bell.finish() }
  }

  /// Looks once, and tells who listens what has changed.
  package func sample() async {
    look()
    await withTaskGroup(of: Void.self) { group in
      for name in dashboard.outboxes.keys {
        group.addTask { [self] in
          if let look = await counts.look(at: name) { take(look, of: name) }
        }
      }
    }
  }

  private func look() {
    let sample = dashboard.sample()
    let parts = state.withLock { state in
      var parts = sample.changes(since: state.latest)
      if state.drawn.map({ sample.reading - $0 >= Self.redraw }) ?? true {
        parts.insert(.plots)
        state.drawn = sample.reading
      }
      state.latest = sample
      return parts
    }
    if !parts.isEmpty { ring { $0.parts.formUnion(parts) } }
  }

  private func take(_ look: Counts.Look, of name: String) {
    let queue = try? look.result.get()
    let isNews = state.withLock { state in
      let earlier = state.queues.updateValue(queue, forKey: name)
      if let queue { state.memory.add(Memory.Point(reading: look.reading, queue), of: name) }
      return earlier != .some(queue)
    }
    if isNews { ring { $0.parts.insert(.outboxes) } }
  }

  /// How an outbox stands, as the one who looks has found it, or as it is found now.
  ///
  /// - Throws: ``OutboxError``.
  func counts(of name: String) async throws -> Sample.Queue { try await counts.queue(name) }

  /// How an outbox stands, for a page that shows others as well and does not wait for long.
  ///
  /// - Throws: ``OutboxError``.
  func countsInTime(of name: String) async throws -> Sample.Queue {
    if let look = counts.fresh(name) { return try look.result.get() }
    let silent = OutboxError(.unavailable, details: "no answer within \(Self.patience)")
    // Whoever comes later does not wait for it once more.
    guard counts.waiting(name).map({ $0 < Self.patience }) ?? true else { throw silent }
    do {
      return try await dashboard.countingPatience.runSendable { [counts] in
        try await counts.queue(name)
      }
    } catch is TimedOut {
      throw silent
    }
  }

  /// Forgets how an outbox stands, since somebody has changed it from here.
  func forgetCounts(of name: String) { counts.forget(name) }

  private func ring(_ change: (inout Seat) -> Void) {
    let bells = state.withLock { state in
      state.seats = state.seats.mapValues { seat in
        var seat = seat
        change(&seat)
        return seat
      }
      return state.seats.values.map(\.bell)
    }
    for bell in bells { bell.yield() }
  }

  /// The samples of an outbox, the oldest first.
  func points(of name: String) -> [Memory.Point] { state.withLock { $0.memory.points(of: name) } }

  /// How many pages listen.
  package var count: Int { state.withLock { $0.seats.count } }

  /// A place for one more page; nil where as many listen as may.
  package func listener() -> Listener? {
    let (stream, bell) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state -> UInt64? in
      guard state.seats.count < dashboard.maximumStreams, !state.isEnded else { return nil }
      state.nextSeat += 1
      state.seats[state.nextSeat] = Seat(bell: bell)
      return state.nextSeat
    }
    return id.map { Listener(live: self, id: $0, bell: stream) }
  }

  /// What a page has to be told, which is nothing to be told any more then.
  fileprivate func take(_ id: UInt64) -> (parts: LiveParts, isBeat: Bool)? {
    state.withLock { state in
      guard let seat = state.seats[id] else { return nil }
      state.seats[id]?.parts = []
      state.seats[id]?.isBeat = false
      return (seat.parts, seat.isBeat)
    }
  }

  fileprivate func leave(_ id: UInt64) { state.withLock { $0.seats[id] = nil } }

  /// The place of a page that listens; it is given up when nobody holds it any more.
  package final class Listener: Sendable {
    /// Rings when there is something to take; several times may be one.
    package let bell: AsyncStream<Void>
    private let live: Live
    private let id: UInt64

    fileprivate init(live: Live, id: UInt64, bell: AsyncStream<Void>) {
      (self.live, self.id, self.bell) = (live, id, bell)
    }

    deinit { leave() }

    /// Gives up the place at once.
    package func leave() { live.leave(id) }

    package func take() -> (parts: LiveParts, isBeat: Bool)? { live.take(id) }
  }
}
