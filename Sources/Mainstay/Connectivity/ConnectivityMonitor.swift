// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Tells how the device is connected: an opinion with its evidence, never a gate.
///
/// It listens to the system, to what becomes of the app's own calls, and to a probe where there is
/// one. Make one when the app starts, and hand it down:
///
/// ```swift
/// let monitor = ConnectivityMonitor()
/// for await connectivity in monitor.updates { print(connectivity.standing) }
/// ```
///
/// What a person asks for is tried whatever it says. It is read by work that nobody waits for, by
/// banners, and by whoever retries: see <doc:KnowingTheConnection>.
public final class ConnectivityMonitor: Sendable {
  private let source: (any ConnectivitySource)?
  private let probe: ConnectivityProbe?
  private let timeline: Timeline
  private let date: @Sendable () -> Date
  private let guarded: Locked<Guarded>
  private let wakeUp: WakeUp
  private let listeners = Listeners()

  /// Makes a monitor from settings that stand in the code and begins to listen; settings that are
  /// not legal stop the program.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - source: What the system says; the default, nil, is netlink on Linux and the path monitor
  ///     on Apple's systems.
  ///   - probe: What asks an address; the default, nil, is that nothing is ever sent.
  ///   - clock: The clock; the default is the continuous one.
  ///   - seed: Makes chance repeatable, for tests; the default is a new seed.
  ///   - date: The time of day, for what is shown to people; the default is that of the system.
  public convenience init(
    _ configuration: Configuration = Configuration(), source: (any ConnectivitySource)? = nil,
    probe: ConnectivityProbe? = nil, clock: some Clock<Duration> = ContinuousClock(),
    seed: UInt64? = nil, date: @escaping @Sendable () -> Date = { Date() }
  ) {
    do throws(ConfigurationError) {
      try self.init(
        validating: configuration, source: source, probe: probe, clock: clock, seed: seed,
        date: date)
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// Makes a monitor from settings that come from outside, and begins to listen.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - source: What the system says; the default, nil, is netlink on Linux and the path monitor
  ///     on Apple's systems.
  ///   - probe: What asks an address; the default, nil, is that nothing is ever sent.
  ///   - clock: The clock; the default is the continuous one.
  ///   - seed: Makes chance repeatable, for tests; the default is a new seed.
  ///   - date: The time of day, for what is shown to people; the default is that of the system.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  public init(
    validating configuration: Configuration, source: (any ConnectivitySource)? = nil,
    probe: ConnectivityProbe? = nil, clock: some Clock<Duration> = ContinuousClock(),
    seed: UInt64? = nil, date: @escaping @Sendable () -> Date = { Date() }
  ) throws(ConfigurationError) {
    let settings = try configuration.checked(hasProbe: probe != nil)
    let source = source ?? Self.systemSource
    self.source = source
    self.probe = probe
    self.date = date
    timeline = Timeline(clock)
    wakeUp = WakeUp(on: timeline)
    guarded = Locked(
      Guarded(
        machine: ConnectivityStateMachine(settings, now: timeline.now),
        random: SplitMix64(seed: seed ?? .random(in: .min ... .max))))
    source?.start { [weak self] observation in self?.heard(observation) }
  }

  private static var systemSource: (any ConnectivitySource)? {
    #if os(Linux)
      NetlinkSource()
    #elseif canImport(Network)
      PathSource()
    #else
      nil
    #endif
  }

  deinit { shutDown() }

  /// How the device is connected by now.
  public var current: Connectivity {
    let (now, date) = (timeline.now, date())
    return guarded.withLock { $0.machine.connectivity(of: .actual, now: now, date: date) }
  }

  /// What is to be presented by now, which does not flicker.
  public var presented: Connectivity {
    let (now, date) = (timeline.now, date())
    return guarded.withLock { $0.machine.connectivity(of: .shown, now: now, date: date) }
  }

  /// What is to be presented by now, in one of four words.
  public var status: ConnectionStatus { guarded.withLock { $0.machine.status } }

  /// How many times it said "offline" and a call went through all the same.
  ///
  /// Each time more has to speak against the connection before it says so again.
  public var falseClaims: Int { guarded.withLock { $0.machine.falseClaims } }

  /// How the device is connected, now and after each change of meaning, at most once in a window.
  ///
  /// It is ahead of ``presentation``, for whoever tries. A listener that is slow misses values in
  /// between, and never the newest.
  public var updates: AsyncStream<Connectivity> {
    listeners.updates.listen(first: readPublished)
  }

  /// What is to be presented, now and after each change: what is better after a while, what is
  /// worse after a longer one, and both later and later where they take turns.
  public var presentation: AsyncStream<Connectivity> {
    listeners.presentation.listen(first: readShown)
  }

  /// The presentation in one of four words, now and after each change.
  public var statuses: AsyncStream<ConnectionStatus> {
    listeners.statuses.listen(first: readStatus)
  }

  /// Told each time the connection has become better and has stayed so for a while: whoever waits
  /// because of the network may go on, slowly.
  ///
  /// Nothing is told at the beginning. What the server asked to wait for is not over.
  public var improvements: AsyncStream<Connectivity> {
    listeners.improvements.listen(first: nil, since: readImprovement().number)
  }
}

// What is put in.
extension ConnectivityMonitor {
  /// A call of the app's own has ended: the best evidence there is.
  ///
  /// - Parameters:
  ///   - traffic: What became of it; delivered means that the answer was understood.
  ///   - peer: Whom it was sent to, such as a host; calls to two of them do not depend on each
  ///     other.
  ///   - duration: How long it took, since what began before the network went or came says nothing
  ///     about how things are now; the default, nil, is that nobody knows.
  public func record(
    _ traffic: Connectivity.Traffic, from peer: String? = nil, lasting duration: Duration? = nil
  ) {
    step { $0.record(traffic, from: peer, lasting: duration, now: $1, random: &$2) }
  }

  /// A call of the app's own has failed; a cancellation, or a policy that refused, says nothing.
  ///
  /// - Parameters:
  ///   - error: What it failed with, read by the current ``ErrorMapping``.
  ///   - peer: Whom it was sent to, such as a host.
  ///   - duration: How long it took; the default, nil, is that nobody knows.
  public func record(
    _ error: any Error, from peer: String? = nil, lasting duration: Duration? = nil
  ) {
    guard !error.isCancellation else { return }
    record(.failed(ErrorMapping.kind(of: error)), from: peer, lasting: duration)
  }

  /// Something does not fit, such as a page where data was expected: a probe is sent soon, if there
  /// is one.
  public func suspect() { step { $0.suspect(now: $1, random: &$2) } }

  /// Looks at everything anew: it waits until the system has said how things stand, for a second at
  /// most, and then for the probe, if there is one.
  ///
  /// - Returns: How the device is connected then.
  @discardableResult
  public func refresh() async -> Connectivity {
    await lookAnew()
    step { $0.demand(now: $1, random: &$2) }
    // One that was asked on another network has no answer, and the next one has.
    while let running = guarded.withLock({ $0.running?.task }) { await running.value }
    return current
  }

  /// Looks at everything anew, since notices may have been lost, such as after a suspension.
  public func resume() {
    source?.resync()
    step { $0.suspect(now: $1, random: &$2) }
  }

  /// Ends: it listens no longer, and its sequences end.
  public func shutDown() {
    let (running, waiting) = guarded.withLock { guarded in
      guarded.isEnded = true
      defer { (guarded.running, guarded.waiting) = (nil, [:]) }
      return (guarded.running?.task, guarded.waiting.values.map(\.self))
    }
    for waiter in waiting { waiter.finish() }
    source?.stop()
    setAlarm()
    running?.cancel()
    listeners.finish()
  }
}

// The shell: what follows from a step is done after unlocking.
extension ConnectivityMonitor {
  private struct Guarded {
    var machine: ConnectivityStateMachine
    var random: SplitMix64
    var running: (run: UInt64, task: Task<Void, Never>)?
    var isEnded = false
    /// How often the system has said something, and who waits until it does.
    var heard: UInt64 = 0
    var waiting: [UInt64: AsyncStream<Void>.Continuation] = [:]
    var lastWaiter: UInt64 = 0
  }

  private typealias Move =
    @Sendable (inout ConnectivityStateMachine, Duration, inout SplitMix64) ->
    ConnectivityStateMachine.Effects

  private func step(_ move: Move) {
    let now = timeline.now
    let effects = guarded.withLock { guarded in
      guard !guarded.isEnded else { return ConnectivityStateMachine.Effects() }
      return move(&guarded.machine, now, &guarded.random)
    }
    setAlarm()
    if effects.updates { listeners.updates.tell(readPublished) }
    if effects.presents { listeners.presentation.tell(readShown) }
    if effects.changesStatus { listeners.statuses.tell(readStatus) }
    if effects.improves { listeners.improvements.tell(readImprovement) }
    if let run = effects.probe { send(run) }
  }

  /// How long the system may take to say how things stand.
  private static let patience = Duration.seconds(1)

  private func heard(_ observation: Connectivity.Observation) {
    step { $0.observe(observation, now: $1, random: &$2) }
    // Not before: whoever waits for it finds it taken in.
    let waiting = guarded.withLock { guarded in
      guarded.heard += 1
      defer { guarded.waiting = [:] }
      return guarded.waiting.values.map(\.self)
    }
    for waiter in waiting { waiter.finish() }
  }

  /// Asks the system how things stand, and waits until it has said so.
  private func lookAnew() async {
    guard let source else { return }
    let (answers, waiter) = AsyncStream.makeStream(of: Void.self)
    let (id, before) = guarded.withLock { guarded in
      guarded.lastWaiter += 1
      if !guarded.isEnded { guarded.waiting[guarded.lastWaiter] = waiter }
      return (guarded.lastWaiter, guarded.heard)
    }
    source.resync()
    guard guarded.withLock({ !$0.isEnded && $0.heard == before }) else { return }
    let end = timeline.now + Self.patience
    await withTaskGroup { [timeline] group in
      group.addTask { for await _ in answers {} }
      group.addTask { try? await timeline.sleep(until: end) }
      await group.next()
      group.cancelAll()
    }
    guarded.withLock { $0.waiting[id] = nil }
  }

  private func read(
    _ view: ConnectivityStateMachine.View,
    _ number: @Sendable (ConnectivityStateMachine.Counts) -> UInt64
  ) -> (value: Connectivity, number: UInt64) {
    let (now, date) = (timeline.now, date())
    return guarded.withLock { guarded in
      let machine = guarded.machine
      return (machine.connectivity(of: view, now: now, date: date), number(machine.counts))
    }
  }

  @Sendable private func readPublished() -> (value: Connectivity, number: UInt64) {
    read(.published, \.updates)
  }

  @Sendable private func readShown() -> (value: Connectivity, number: UInt64) {
    read(.shown, \.presentations)
  }

  @Sendable private func readImprovement() -> (value: Connectivity, number: UInt64) {
    read(.actual, \.improvements)
  }

  @Sendable private func readStatus() -> (value: ConnectionStatus, number: UInt64) {
    guarded.withLock { ($0.machine.status, $0.machine.counts.statuses) }
  }

  /// Sees to it that the machine is woken when it has to be.
  private func setAlarm() {
    wakeUp.adjust {
      guarded.withLock { $0.isEnded ? nil : $0.machine.nextWake }
    } then: { [weak self] in
      self?.step { $0.wake(now: $1, random: &$2) }
    }
  }

  private func send(_ run: UInt64) {
    guard let probe else { return }
    // Whoever caused it has limits of its own, which are not the probe's.
    let task = Task.detached { [weak self] in
      let verdict = await probe.check()
      self?.answered(verdict, run)
    }
    guarded.withLock { if $0.machine.probeRunning == run { $0.running = (run, task) } }
  }

  private func answered(_ verdict: ConnectivityProbe.Verdict?, _ run: UInt64) {
    step { $0.probed(verdict, run: run, now: $1, random: &$2) }
    // Not before: whoever waits for the probe waits until its answer has been taken in.
    guarded.withLock { if $0.running?.run == run { $0.running = nil } }
  }
}
