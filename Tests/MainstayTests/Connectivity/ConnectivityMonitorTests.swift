// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 5)) struct ConnectivityMonitorTests {
  private let clock = ManualClock()
  private let source = ScriptedConnectivitySource(.online)
  private let start = Date(timeIntervalSince1970: 1_700_000_000)

  private func monitor(_ probe: ConnectivityProbe? = nil) -> ConnectivityMonitor {
    let (clock, start) = (clock, start)
    return ConnectivityMonitor(source: source, probe: probe, clock: clock, seed: 3) {
      start.addingTimeInterval(clock.now.offset.inSeconds)
    }
  }

  /// A probe whose answers stand in a list; the last one is given again and again.
  private func probe(
    _ verdicts: [ConnectivityProbe.Response], _ log: Log = Log()
  ) throws -> ConnectivityProbe {
    let url = try #require(URL(string: "https://api.example/alive"))
    let counter = Locked(0)
    return ConnectivityProbe(url, clock: clock, nonce: { "n" }) { _ in
      log.add("asked")
      let turn = counter.withLock { turn in
        defer { turn += 1 }
        return turn
      }
      return verdicts[min(turn, verdicts.count - 1)]
    }
  }

  private static let right = ConnectivityProbe.Response(
    status: 204, headers: ["Probe-Nonce": "n"])

  @Test(.requirement("C16")) func `it says by what and since when the device is connected`() {
    let monitor = monitor()
    clock.advance(by: .seconds(60))
    source.say(.online(by: .cellular, identity: "mobile"))
    var current = monitor.current
    #expect(current.interfaces == [.cellular] && current.isExpensive && !current.isConstrained)
    #expect(current.standing == .online && current.link == .up && current.route == .present)
    #expect(current.network == 1 && current.source == .system)
    clock.advance(by: .seconds(60))
    source.say(.offline)
    clock.advance(by: .seconds(7))
    current = monitor.current
    #expect(current.interfaces.isEmpty && current.standing == .offline)
    #expect(current.since == start.addingTimeInterval(120))
    #expect(current.evidence.map(\.finding) == [.routeMissing, .linkDown])
    #expect(current.evidence.allSatisfy { $0.date == start.addingTimeInterval(120) })
  }

  @Test(.requirement("O15", "T20")) func `it is never asked before an attempt, only told after`()
    async throws
  {
    let monitor = monitor()
    source.say(.offline)
    clock.advance(by: .seconds(5))
    #expect(!monitor.current.isWorthTrying)
    monitor.record(.delivered, from: "api.example")
    #expect(monitor.current.isWorthTrying && monitor.current.source == .traffic)
    #expect(monitor.falseClaims == 1)
  }

  @Test func `an error is read by its kind, and a cancellation says nothing`() {
    let monitor = monitor()
    monitor.record(CancellationError(), from: "a")
    monitor.record(URLError(.cancelled), from: "a")
    monitor.record(Rejection(policy: "p", reason: .circuitOpen), from: "a")
    #expect(monitor.current.evidence.allSatisfy { $0.source == .system })
    monitor.record(URLError(.notConnectedToInternet), from: "a")
    #expect(monitor.current.evidence.first?.kind == .offline)
    monitor.record(AppError.http(status: 503, isRepeatable: true), from: "a")
    #expect(monitor.current.internet == .validated)
  }

  @Test(.requirement("O13")) func `updates begin with how it is, and end with the monitor`()
    async throws
  {
    let monitor = monitor()
    var updates = monitor.updates.makeAsyncIterator()
    #expect(await updates.next()?.standing == .online)
    clock.advance(by: .seconds(1))
    source.say(.offline)
    #expect(await updates.next()?.standing == .offline)
    clock.advance(by: .seconds(1))
    source.say(.online)
    #expect(await updates.next()?.standing == .online)
    monitor.shutDown()
    #expect(await updates.next() == nil)
    #expect(source.isStopped)
    var late = monitor.updates.makeAsyncIterator()
    #expect(await late.next() == nil)
  }

  @Test func `who is slow misses values in between, and never the newest`() async throws {
    let monitor = monitor()
    var updates = monitor.updates.makeAsyncIterator()
    for number in 0..<20 {
      clock.advance(by: .seconds(1))
      source.say(.online(by: .wifi, identity: "\(number)"))
    }
    #expect(await updates.next()?.network == 20)
  }

  @Test(.requirement("O13")) func `within a window changes are told together`() async throws {
    let monitor = monitor()
    clock.advance(by: .seconds(1))
    var updates = monitor.updates.makeAsyncIterator()
    _ = await updates.next()
    source.say(.offline)
    #expect(await updates.next()?.standing == .offline)
    source.say(.online(by: .wired, identity: "desk"))
    source.say(.online(by: .wifi, identity: "desk"))
    clock.advance(by: .milliseconds(50))
    let told = await updates.next()
    #expect(told?.interfaces == [.wifi] && told?.standing == .online)
  }

  @Test(.requirement("O13", "C17")) func `banners and improvements follow by the clock`()
    async throws
  {
    let monitor = monitor()
    var presentation = monitor.presentation.makeAsyncIterator()
    var statuses = monitor.statuses.makeAsyncIterator()
    var improvements = monitor.improvements.makeAsyncIterator()
    #expect(await presentation.next()?.standing == .online)
    #expect(await statuses.next() == .connected)
    clock.advance(by: .seconds(1))
    source.say(.offline)
    #expect(monitor.presented.standing == .online && monitor.status == .connected)
    clock.advance(by: .seconds(6))
    #expect(await presentation.next()?.standing == .offline)
    #expect(await statuses.next() == .disconnected)
    source.say(.online)
    #expect(await statuses.next() == .reconnecting)
    clock.advance(by: .seconds(3))
    #expect(await improvements.next()?.standing == .online)
    #expect(await presentation.next()?.standing == .online)
    #expect(await statuses.next() == .connected)
  }

  @Test func `a probe is sent on demand, and waited for`() async throws {
    let log = Log()
    let monitor = monitor(try probe([Self.right], log))
    await log.lines(atLeast: 1)
    let current = await monitor.refresh()
    #expect(current.internet == .validated && current.source == .probe)
    #expect(source.resyncs == 1)
    #expect((1...2).contains(log.lines.count))
  }

  /// A clock at whose next reading something happens.
  private final class WatchedClock: Clock {
    let hands = ManualClock()
    private let watcher = Locked<(@Sendable () -> Void)?>(nil)

    var minimumResolution: Duration { .zero }
    var now: ManualClock.Instant {
      watcher.withLock { $0.take() }?()
      return hands.now
    }

    func watch(_ watcher: @escaping @Sendable () -> Void) {
      self.watcher.withLock { $0 = watcher }
    }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
      try await hands.sleep(until: deadline)
    }
  }

  @Test func `whoever looks anew while an answer comes in waits until it is taken in`()
    async throws
  {
    let (clock, gate, asked) = (WatchedClock(), BreakerBench.Gate(), Log())
    let (looks, look) = AsyncStream.makeStream(of: Task<Connectivity, Never>.self)
    let late = Locked<ConnectivityMonitor?>(nil)
    let url = try #require(URL(string: "https://api.example/alive"))
    let probe = ConnectivityProbe(url, clock: self.clock, nonce: { "n" }) { _ in
      await gate.pass()
      asked.add("asked")
      guard asked.lines.count == 1, let monitor = late.withLock({ $0 }) else { return Self.right }
      // Who reads the clock next takes the answer in.
      clock.watch {
        if #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) {
          look.yield(Task.immediate { await monitor.refresh() })
        } else {
          look.yield(Task { await monitor.refresh() })
        }
      }
      return Self.right
    }
    let monitor = ConnectivityMonitor(source: source, probe: probe, clock: clock, seed: 3)
    late.withLock { $0 = monitor }
    gate.open()
    for await look in looks {
      let current = await look.value
      #expect(current.internet == .validated && current.source == .probe)
      break
    }
    late.withLock { $0 = nil }
    monitor.shutDown()
  }

  @Test(.requirement("O14")) func `a portal is told with its address`() async throws {
    let portal = ConnectivityProbe.Response(
      status: 302, headers: ["Location": "http://login.example/"])
    let monitor = monitor(try probe([portal]))
    var updates = monitor.updates.makeAsyncIterator()
    while let update = await updates.next(), update.standing != .portal {
      clock.advance(by: .milliseconds(50))
    }
    let current = monitor.current
    #expect(current.internet == .portal(URL(string: "http://login.example/")))
    #expect(!current.isWorthTrying && current.evidence.first?.finding == .portal)
  }

  @Test func `without a probe a refresh looks at the system alone`() async {
    let monitor = monitor()
    #expect(await monitor.refresh().internet == .unknown)
    monitor.suspect()
    monitor.resume()
    #expect(source.resyncs == 2)
  }

  /// A source that says something when a test wants it, and not when it is asked.
  private final class LateSource: ConnectivitySource {
    let asked = Log()
    private let tell = Locked<(@Sendable (Connectivity.Observation) -> Void)?>(nil)

    func start(_ tell: @escaping @Sendable (Connectivity.Observation) -> Void) {
      self.tell.withLock { $0 = tell }
    }

    func resync() { asked.add("asked") }
    func stop() { tell.withLock { $0 = nil } }
    func say(_ observation: Connectivity.Observation) { tell.withLock { $0 }?(observation) }
  }

  @Test(arguments: [false, true])
  func `a refresh waits until the system has answered`(isProbing: Bool) async throws {
    let late = LateSource()
    let monitor = ConnectivityMonitor(
      source: late, probe: isProbing ? try probe([Self.right]) : nil, clock: clock, seed: 3)
    late.say(.offline)
    let look = Task { await monitor.refresh() }
    await late.asked.lines(atLeast: 1)
    late.say(.online)
    let current = await look.value
    #expect(current.link == .up && current.standing == .online)
    #expect(current.internet == (isProbing ? .validated : .unknown))
    monitor.shutDown()
  }

  @Test func `and no longer than a second where it has nothing to say`() async throws {
    let late = LateSource()
    let monitor = ConnectivityMonitor(source: late, clock: clock, seed: 3)
    let look = Task { await monitor.refresh() }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    #expect(await look.value.standing == .unknown)
    let other = Task { await monitor.refresh() }
    await late.asked.lines(atLeast: 2)
    monitor.shutDown()
    #expect(await other.value.standing == .unknown)
    #expect(await monitor.refresh().standing == .unknown, "after the end nobody waits")
  }

  @Test func `it lives no longer than whoever made it`() async throws {
    weak var gone: ConnectivityMonitor?
    do {
      let monitor = monitor()
      gone = monitor
      source.say(.offline)
      #expect(gone != nil)
    }
    // Whoever was being woken lets go of it soon.
    while gone != nil, !Task.isCancelled { await Task.yield() }
    #expect(source.isStopped)
    source.say(.online)
  }

  @Test func `an opinion survives JSON`() throws {
    let monitor = monitor()
    monitor.record(.failed(.portal), from: "a")
    var connectivity = monitor.current
    #expect(
      try JSONDecoder().decode(Connectivity.self, from: JSONEncoder().encode(connectivity))
        == connectivity)
    for internet in [
      Connectivity.Internet.validated, .unvalidated, .unknown,
      .portal(URL(string: "http://login.example/")),
    ] {
      connectivity.internet = internet
      #expect(
        try JSONDecoder().decode(Connectivity.self, from: JSONEncoder().encode(connectivity))
          == connectivity)
    }
  }
}

@Suite(.requirement("T8")) struct ConnectivityConfigurationTests {
  private typealias Configuration = ConnectivityMonitor.Configuration

  @Test func `everything that is wrong is said at once`() throws {
    let wrong = Configuration(
      window: .seconds(-1), upDelay: .seconds(-1), downDelay: .seconds(-1), calmFlips: 0,
      maximumHold: .seconds(-2), improvementDelay: .seconds(-1), halfLife: .zero,
      probeInterval: .zero, maximumProbeInterval: .seconds(-1))
    let error = try #require(throws: ConfigurationError.self) {
      try ConnectivityMonitor(validating: wrong, source: ScriptedConnectivitySource())
    }
    #expect(
      error.violations.map(\.option) == [
        "window", "upDelay", "downDelay", "calmFlips", "maximumHold", "improvementDelay",
        "halfLife", "probeInterval", "maximumProbeInterval",
      ])
  }

  @Test(.requirement("P18")) func `settings at the edge of what is legal are legal`() throws {
    let endless = Duration(secondsComponent: .max, attosecondsComponent: 0)
    for span in [Duration(attoseconds: 1), endless] {
      let edge = Configuration(
        window: span, upDelay: span, downDelay: span, calmFlips: .max, maximumHold: span,
        improvementDelay: span, halfLife: span, probeInterval: span, maximumProbeInterval: span)
      let source = ScriptedConnectivitySource(.online)
      let monitor = try ConnectivityMonitor(validating: edge, source: source)
      source.say(.offline)
      monitor.record(.failed(.timeout))
      source.say(.online)
      #expect(monitor.current.isWorthTrying)
    }
  }

  @Test func `settings survive JSON, and missing keys get their defaults`() throws {
    let short = try JSONDecoder().decode(
      Configuration.self, from: Data(#"{"upDelay": 1.5}"#.utf8))
    #expect(short == Configuration(upDelay: .milliseconds(1_500)))
    let long = Configuration(
      window: .seconds(1), upDelay: .seconds(2), downDelay: .seconds(3), calmFlips: 5,
      maximumHold: .seconds(6), improvementDelay: .seconds(7), halfLife: .seconds(8),
      probeInterval: .seconds(9), maximumProbeInterval: .seconds(10))
    #expect(
      try JSONDecoder().decode(Configuration.self, from: JSONEncoder().encode(long)) == long)
  }

  @Test func `calm flips of zero in the code stop the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = ConnectivityMonitor(.init(calmFlips: 0), source: ScriptedConnectivitySource())
    }
  }
}
