// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayOutbox

/// Counts outboxes, each by one look at a time: its answer serves all who ask meanwhile, and for a
/// while after.
///
/// A count reads a whole table. So it is not cancelled with the page that asked for it, and an
/// outbox that does not answer is not asked again before it has.
final class Counts: Sendable {
  /// How long an answer serves at most, where the next look is far away and counting is cheap.
  private static let longest = Duration.seconds(20)
  /// How long an outbox that cannot be read is not asked again.
  private static let rest = Duration.seconds(2)

  /// What a look found.
  struct Look: Sendable {
    /// When it began, by the clock of the dashboard.
    let reading: Duration
    let took: Duration
    let result: Result<Sample.Queue, OutboxError>

    /// How long after it began the next one may begin: most of the time is left to the work.
    ///
    /// How long a failure took says nothing about that: it is asked again after an interval.
    func pause(atLeast interval: Duration) -> Duration {
      guard case .success = result else { return took + interval }
      return max(interval, took * 4)
    }

    /// How long after it began it serves; pages need not wait for the next one.
    func lifetime(every interval: Duration) -> Duration {
      guard case .success = result else { return took + Counts.rest }
      return max(min(interval * 2, Counts.longest), took * 8)
    }
  }

  private struct Entry {
    var latest: Look?
    /// The look that is under way, or waits for the one before it to end.
    var running: Running?
    /// Greater each time that what was known was forgotten.
    var generation = 0
  }

  private struct Running {
    let task: Task<Look, Never>
    /// Since when the outbox is expected to answer.
    var since: Duration
    /// The generation in which it began; nil while it waits.
    var generation: Int?
  }

  private let outboxes: [String: Outbox]
  private let timeline: Timeline
  private let interval: Duration
  private let entries = Locked<[String: Entry]>([:])

  init(_ dashboard: Dashboard) {
    outboxes = dashboard.outboxes
    timeline = dashboard.timeline
    interval = dashboard.sampleInterval
  }

  /// How an outbox stands, as it was found last, or as it is found now where that is too long ago.
  ///
  /// - Throws: ``OutboxError``.
  func queue(_ name: String) async throws -> Sample.Queue {
    if let look = fresh(name) { return try look.result.get() }
    guard let look = await look(at: name) else { throw Refusal.unknownPage }
    return try look.result.get()
  }

  /// What is known, where that is not too old.
  func fresh(_ name: String) -> Look? {
    let now = timeline.now
    return entries.withLock { entries in
      entries[name]?.latest.flatMap { look in
        now - look.reading <= look.lifetime(every: interval) ? look : nil
      }
    }
  }

  /// For how long the outbox has not answered; nil where nobody has asked.
  func waiting(_ name: String) -> Duration? {
    let now = timeline.now
    return entries.withLock { entries in entries[name]?.running.map { now - $0.since } }
  }

  /// Looks, or waits for the look that is under way; nil where there is no such outbox.
  func look(at name: String) async -> Look? {
    guard let outbox = outboxes[name] else { return nil }
    let now = timeline.now
    let task = entries.withLock { entries in
      var entry = entries[name] ?? Entry()
      let before = entry.running
      // One that has not begun will find what was changed meanwhile.
      if let before, before.generation ?? entry.generation == entry.generation {
        return before.task
      }
      // What bounds the page that asks bounds nobody else.
      let task = Task.detached { [self] in
        await Self.ended(before?.task)
        let (generation, start) = began(name)
        let look = await count(outbox, since: start)
        keep(look, of: name, generation)
        return look
      }
      entry.running = Running(task: task, since: before?.since ?? now)
      entries[name] = entry
      return task
    }
    return await task.value
  }

  /// Waits for a look whose result is of no use any more; who is asked to end passes that on.
  private static func ended(_ task: Task<Look, Never>?) async {
    await withTaskCancellationHandler {
      _ = await task?.value
    } onCancel: {
      task?.cancel()
    }
  }

  /// The look at an outbox begins.
  private func began(_ name: String) -> (generation: Int, start: Duration) {
    let now = timeline.now
    return entries.withLock { entries in
      var entry = entries[name] ?? Entry()
      entry.running?.since = now
      entry.running?.generation = entry.generation
      entries[name] = entry
      return (entry.generation, now)
    }
  }

  private func count(_ outbox: Outbox, since start: Duration) async -> Look {
    let result: Result<Sample.Queue, OutboxError>
    do throws(OutboxError) {
      let snapshot = try await outbox.snapshot()
      let tally = try await outbox.tally()
      let paused = try await outbox.pausedKinds()
      let closed = snapshot.hasClosedLanes ? try await outbox.closedLanes() : []
      result = .success(
        Sample.Queue(snapshot: snapshot, tally: tally.inOrder, paused: paused, closed: closed))
    } catch {
      result = .failure(error)
    }
    return Look(reading: start, took: timeline.now - start, result: result)
  }

  private func keep(_ look: Look, of name: String, _ generation: Int) {
    entries.withLock { entries in
      guard var entry = entries[name] else { return }
      // Another one may wait for this one.
      if entry.running?.generation == generation { entry.running = nil }
      if entry.generation == generation { entry.latest = look }
      entries[name] = entry
    }
  }

  /// Forgets what is known, since somebody has changed it, and what a look under way will find.
  ///
  /// That look goes on, and the next one begins once it has ended.
  func forget(_ name: String) {
    entries.withLock { entries in
      entries[name]?.latest = nil
      entries[name]?.generation += 1
    }
  }

  /// Asks what is under way to end.
  func end() {
    let tasks = entries.withLock { $0.values.compactMap(\.running?.task) }
    for task in tasks { task.cancel() }
  }
}

extension OutboxSnapshot {
  /// Whether something is held back that is ready, since its lane is closed.
  fileprivate var hasClosedLanes: Bool {
    causes.lanePaused + causes.laneNeedsUser + causes.laneThrottled > 0
  }
}

extension Outbox {
  /// The lanes that are closed, each with the strongest cause, by name.
  func closedLanes() async throws(OutboxError) -> [ClosedLane] {
    var found: [Lane: LaneClosure.Cause] = [:]
    for cause in [LaneClosure.Cause.paused, .needsUser, .throttled] {
      for lane in try await lanes(closedFor: cause) where found[lane] == nil {
        found[lane] = cause
      }
    }
    return found.map { ClosedLane(lane: $0.key, cause: $0.value) }
      .sorted { $0.lane.rawValue < $1.lane.rawValue }
  }
}

extension [OperationTally] {
  /// In an order that does not depend on the store.
  fileprivate var inOrder: Self {
    sorted { one, other in
      (one.kind.rawValue, one.lane.rawValue, one.state?.rawValue ?? "")
        < (other.kind.rawValue, other.lane.rawValue, other.state?.rawValue ?? "")
    }
  }
}
