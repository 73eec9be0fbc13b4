// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// Looks at everything once in an interval, and tells all pages that are open.
///
/// However many there are, there is one that looks. A page that takes its news slowly finds them
/// put together: none is kept for it but which parts have changed.
package final class Live: Sendable {
  /// How often an idle stream says that it is there.
  static let beat = Duration.seconds(15)
  /// How often what is drawn over time is drawn anew, though nothing changed.
  static let redraw = Duration.seconds(60)

  private struct State {
    var memory = Memory()
    var latest: Sample?
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
  private let state = Locked(State())
  private let tasks = Locked<[Task<Void, Never>]>([])

  package init(_ dashboard: Dashboard) { self.dashboard = dashboard }

  deinit { end() }

  /// Begins to look; it goes on until ``end()``, or until nobody holds this any more.
  func start() {
    let (timeline, interval) = (dashboard.timeline, dashboard.sampleInterval)
    let sampling = Task { [weak self] in
      while !Task.isCancelled {
        let start = timeline.now
        await self?.sample()
        // Counting a long queue takes its time: most of it is left to the work.
        let pause = max(interval, (timeline.now - start) * 4)
        guard (try? await timeline.sleep(until: start + pause)) != nil, self != nil else { return }
      }
    }
    let beating = Task { [weak self] in
      while !Task.isCancelled {
        guard (try? await timeline.sleep(until: timeline.now + Self.beat)) != nil else { return }
        guard let self else { return }
        self.ring { $0.isBeat = true }
      }
    }
    tasks.withLock { $0 += [sampling, beating] }
  }

  package func end() {
    let tasks = tasks.withLock { tasks in
      defer { tasks = [] }
      return tasks
    }
    for task in tasks { task.cancel() }
    let seats = state.withLock { state in
      state.isEnded = true
      defer { state.seats = [:] }
      return Array(state.seats.values)
    }
    for seat in seats { seat.bell.finish() }
  }

  /// Looks once, and tells who listens what has changed.
  package func sample() async {
    let sample = await dashboard.sample()
    let parts = state.withLock { state in
      var parts = sample.changes(since: state.latest)
      if state.drawn.map({ sample.reading - $0 >= Self.redraw }) ?? true {
        parts.insert(.plots)
        state.drawn = sample.reading
      }
      state.latest = sample
      state.memory.add(sample)
      return parts
    }
    if !parts.isEmpty { ring { $0.parts.formUnion(parts) } }
  }

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
