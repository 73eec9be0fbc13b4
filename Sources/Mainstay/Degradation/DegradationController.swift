// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Knows what an app needs and has not, and says how much of it works.
///
/// A level that falls falls at once, and one that rises waits until more has been possible for a
/// while; between two changes there is always a time of rest. So nothing flaps in front of a
/// person.
///
/// ```swift
/// let controller = DegradationController(.standard)
/// controller.follow(connectivity)
/// controller.onEnter(.offline) { _ in await sync.pause() }
/// for await status in controller.updates { show(status) }
/// ```
public final class DegradationController: Sendable {
  /// How an app stands.
  public struct Status: Sendable, Hashable {
    /// How much of it works.
    public let level: FeatureLevel
    /// Why not everything does, the worst first; empty at ``FeatureLevel/full``.
    public let reasons: [DegradationPlan.Need]
    /// What a person can do.
    public let features: [DegradationPlan.FeatureStatus]
  }

  /// One change of level.
  public struct Change: Sendable, Hashable {
    /// The level before.
    public let from: FeatureLevel
    /// The level since.
    public let to: FeatureLevel
    /// Why not everything works, the worst first; empty at ``FeatureLevel/full``.
    public let reasons: [DegradationPlan.Need]
    /// When it was.
    public let time: Date

    /// Whether less works than before.
    public var isFall: Bool { to < from }
  }

  /// What is done at a change of level.
  public typealias Action = @Sendable (Change) async -> Void

  /// How many changes ``history`` keeps.
  public static let historyCapacity = 50

  private struct Guarded {
    var machine: DegradationStateMachine
    var history: [Change] = []
    var number: UInt64 = 0
    var listeners: [UInt64: AsyncStream<Change>.Continuation] = [:]
    var nextListener: UInt64 = 0
    var untold = Mailbox<Change>()
    var isEnded = false
    var entering: [FeatureLevel: [Action]] = [:]
    var leaving: [FeatureLevel: [Action]] = [:]
    /// The change whose actions were taken last, and how many were taken.
    var performed: (change: Change, number: UInt64)?
    var followers: [Task<Void, Never>] = []
  }

  /// What is done next.
  private enum Step: Sendable {
    case change(Change)
    /// An action for a level that had begun before; nothing where that has ended meanwhile.
    case late(Action, Change, number: UInt64)
  }

  private let guarded: Locked<Guarded>
  let timeline: Timeline
  private let statuses = Audience<Status>()
  private let actions: AsyncStream<Step>.Continuation
  private let wakeUp: WakeUp
  private let date: @Sendable () -> Date

  /// Makes a controller of an app that lacks nothing, from settings that stand in the code;
  /// settings that are not legal stop the program.
  ///
  /// - Parameters:
  ///   - plan: What the app needs.
  ///   - dwell: How long a level stays at least; more than zero, the default is five seconds.
  ///   - riseDelay: How long more has to be possible before it is offered; zero or more, the
  ///     default is three seconds.
  ///   - clock: The clock; the default is the continuous one.
  ///   - date: The time of day, for what is kept of changes; the default is that of the system.
  public init(
    _ plan: DegradationPlan, dwell: Duration = .seconds(5), riseDelay: Duration = .seconds(3),
    clock: some Clock<Duration> = ContinuousClock(),
    date: @escaping @Sendable () -> Date = { Date() }
  ) {
    precondition(
      dwell > .zero, "DegradationController(dwell: \(dwell)) is not legal: more than zero")
    precondition(
      riseDelay >= .zero,
      "DegradationController(riseDelay: \(riseDelay)) is not legal: zero or more")
    let settings = DegradationStateMachine.Settings(
      dwell: dwell.clamped, riseDelay: riseDelay.clamped)
    timeline = Timeline(clock)
    wakeUp = WakeUp(on: timeline)
    self.date = date
    guarded = Locked(
      Guarded(machine: DegradationStateMachine(plan, settings, now: timeline.now)))
    let (steps, continuation) = AsyncStream.makeStream(of: Step.self)
    actions = continuation
    // One after the other, in the order of the changes, and none twice at a time.
    Task { [weak self] in
      for await step in steps { await self?.perform(step) }
    }
  }

  deinit { end() }

  /// How the app stands by now.
  public var status: Status { read().value }

  /// The last changes of level, the oldest first; at most ``historyCapacity``.
  public var history: [Change] { guarded.withLock(\.history) }

  /// How the app stands, now and after each change of its level or of the reasons.
  ///
  /// Who listens slowly misses values in between, and never the newest.
  public var updates: AsyncStream<Status> { statuses.listen(first: read) }

  /// Each change of level from now on, and none left out.
  public var changes: AsyncStream<Change> {
    let (stream, continuation) = AsyncStream.makeStream(of: Change.self)
    let id = guarded.withLock { guarded -> UInt64? in
      guard !guarded.isEnded else { return nil }
      guarded.nextListener += 1
      guarded.listeners[guarded.nextListener] = continuation
      return guarded.nextListener
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.guarded.withLock { guarded in _ = guarded.listeners.removeValue(forKey: id) }
    }
    return stream
  }

  /// Says whether something that the app needs is there.
  ///
  /// - Parameters:
  ///   - need: Its name; one that the plan does not know takes features away, and no level.
  ///   - isMet: Whether it is there.
  public func report(_ need: DegradationPlan.NeedID, isMet: Bool) { report([need: isMet]) }

  /// Says of several things at once whether they are there, so that they make one change.
  public func report(_ facts: [DegradationPlan.NeedID: Bool]) {
    step { machine, now in
      var missing = machine.missing
      for (need, isMet) in facts {
        if isMet { missing.remove(need) } else { missing.insert(need) }
      }
      return machine.update(missing: missing, now: now)
    }
  }

  /// Does something whenever a level begins.
  ///
  /// Actions run one after the other, those of the level that is left first, and delay no change:
  /// one that never returns holds up later actions, and nothing else. Where a change has led into
  /// the level already, the action runs for that one too: an app may begin offline, and say later
  /// what is to be done then.
  public func onEnter(_ level: FeatureLevel, _ action: @escaping Action) {
    let performed = guarded.withLock { guarded in
      guarded.entering[level, default: []].append(action)
      return guarded.performed
    }
    guard let performed, performed.change.to == level else { return }
    actions.yield(.late(action, performed.change, number: performed.number))
  }

  /// Does something whenever a level ends; see ``onEnter(_:_:)``.
  public func onLeave(_ level: FeatureLevel, _ action: @escaping Action) {
    guarded.withLock { $0.leaving[level, default: []].append(action) }
  }

  /// Hears of ``DegradationPlan/NeedID/network`` from a monitor from now on.
  ///
  /// It is missing while the monitor presents the device as offline or behind a portal. Once the
  /// monitor is shut down nothing is known any more, which counts as online.
  public func follow(_ monitor: ConnectivityMonitor) {
    follow(monitor.presentation) { controller, connectivity, _ in
      let isMet = connectivity.standing != .offline && connectivity.standing != .portal
      controller.report(.network, isMet: isMet)
    } atEnd: { controller, _ in
      controller.report(.network, isMet: true)
    }
  }

  /// Hears facts from a sequence from now on, until it or the controller ends.
  ///
  /// - Parameters:
  ///   - facts: The sequence.
  ///   - take: Is given each fact, and the one before it; nil for the first one.
  ///   - end: Is given the last fact where the sequence ends first; the default does nothing.
  func follow<Fact: Sendable>(
    _ facts: AsyncStream<Fact>,
    _ take: @escaping @Sendable (DegradationController, _ fact: Fact, _ before: Fact?) -> Void,
    atEnd end: @escaping @Sendable (DegradationController, _ last: Fact?) -> Void = { _, _ in }
  ) {
    let task = Task { [weak self] in
      var before: Fact?
      for await fact in facts {
        guard let self else { return }
        take(self, fact, before)
        before = fact
      }
      guard !Task.isCancelled, let self else { return }
      end(self, before)
    }
    let isEnded = guarded.withLock { guarded in
      if !guarded.isEnded { guarded.followers.append(task) }
      return guarded.isEnded
    }
    if isEnded { task.cancel() }
  }

  /// Whether something is among the needs of the plan.
  func needs(_ id: DegradationPlan.NeedID) -> Bool {
    guarded.withLock { guarded in guarded.machine.plan.needs.contains { $0.id == id } }
  }

  /// Ends what is told, and hears of nothing any more.
  public func end() {
    let (followers, listeners) = guarded.withLock { guarded in
      guarded.isEnded = true
      defer { (guarded.followers, guarded.listeners) = ([], [:]) }
      return (guarded.followers, guarded.listeners.values.map(\.self))
    }
    setAlarm()
    for follower in followers { follower.cancel() }
    actions.finish()
    statuses.finish()
    for listener in listeners { listener.finish() }
  }
}

// The lock is held for a few instructions; listeners are told outside of it, in order.
extension DegradationController {
  @Sendable private func read() -> (value: Status, number: UInt64) {
    guarded.withLock { guarded in
      let machine = guarded.machine
      let status = Status(
        level: machine.level, reasons: machine.reasons,
        features: machine.plan.features(missing: machine.missing, at: machine.level))
      return (status, guarded.number)
    }
  }

  private func step(
    _ change: (inout DegradationStateMachine, Duration) -> (from: FeatureLevel, to: FeatureLevel)?
  ) {
    let (now, date) = (timeline.now, date())
    let isNews = guarded.withLock { guarded -> Bool in
      guard !guarded.isEnded else { return false }
      let before = guarded.machine.missing
      let made = change(&guarded.machine, now)
      if let made {
        let change = Change(
          from: made.from, to: made.to, reasons: guarded.machine.reasons, time: date)
        guarded.untold.post(change)
        guarded.history = guarded.history.suffix(Self.historyCapacity - 1) + [change]
      }
      let isNews = made != nil || guarded.machine.missing != before
      if isNews { guarded.number += 1 }
      return isNews
    }
    setAlarm()
    guard isNews else { return }
    statuses.tell(read)
    tellChanges()
  }

  private func tellChanges() {
    guarded.deliver(\.untold) { change in
      // First, so that whoever knows of a change adds no action for the level before it.
      actions.yield(.change(change))
      for listener in guarded.withLock({ Array($0.listeners.values) }) { listener.yield(change) }
    }
  }

  /// Sees to it that the machine is woken when it has to be.
  private func setAlarm() {
    wakeUp.adjust {
      guarded.withLock { $0.isEnded ? nil : $0.machine.nextWake }
    } then: { [weak self] in
      self?.step { $0.wake(now: $1) }
    }
  }

  private func perform(_ step: Step) async {
    switch step {
    case .change(let change):
      let (leaving, entering) = guarded.withLock { guarded in
        guarded.performed = (change, (guarded.performed?.number ?? 0) + 1)
        return (guarded.leaving[change.from] ?? [], guarded.entering[change.to] ?? [])
      }
      for action in leaving + entering { await action(change) }
    case .late(let action, let change, let number):
      guard guarded.withLock({ $0.performed?.number }) == number else { return }
      await action(change)
    }
  }
}
