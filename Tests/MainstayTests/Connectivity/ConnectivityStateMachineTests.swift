// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayTesting
import TestSupport
import Testing

@testable import Mainstay

/// A machine with a clock that is moved by hand.
struct ConnectivityBench {
  var machine: ConnectivityStateMachine
  var random = SplitMix64(seed: 8)
  var now = Duration.zero
  var told: [Connectivity.Standing] = []
  var toldAt: [Duration] = []
  var shown: [Connectivity.Standing] = []
  var statuses: [ConnectionStatus] = []
  var improvements = 0
  var probes: [UInt64] = []

  init(probing: Bool = false, _ observation: Connectivity.Observation? = .online) {
    var settings = ConnectivityStateMachine.Settings()
    if probing { settings.probing = .init() }
    machine = ConnectivityStateMachine(settings, now: .zero)
    guard let observation else { return }
    observe(observation)
    if probing { answered(nil) }
    pass(.seconds(100))
    (told, shown, statuses, improvements, probes) = ([], [], [], 0, [])
  }

  private mutating func note(_ effects: ConnectivityStateMachine.Effects) {
    if effects.updates {
      told.append(machine.published.standing)
      toldAt.append(machine.latest)
    }
    if effects.presents { shown.append(machine.shown.standing) }
    if effects.changesStatus { statuses.append(machine.status) }
    if effects.improves { improvements += 1 }
    if let probe = effects.probe { probes.append(probe) }
  }

  mutating func observe(_ observation: Connectivity.Observation) {
    note(machine.observe(observation, now: now, random: &random))
  }

  mutating func delivered(_ peer: String? = nil, lasting duration: Duration? = nil) {
    note(
      machine.record(.delivered, from: peer, lasting: duration, now: now, random: &random))
  }

  mutating func failed(_ kind: ErrorKind, _ peer: String? = nil, lasting duration: Duration? = nil)
  {
    note(
      machine.record(.failed(kind), from: peer, lasting: duration, now: now, random: &random))
  }

  /// The probe that was sent last is answered.
  mutating func answered(_ verdict: ConnectivityProbe.Verdict?) {
    note(machine.probed(verdict, run: machine.probeCount, now: now, random: &random))
  }

  mutating func suspect() { note(machine.suspect(now: now, random: &random)) }
  mutating func demand() { note(machine.demand(now: now, random: &random)) }

  /// Time passes, and the machine is woken whenever it asks for it.
  mutating func pass(_ duration: Duration) {
    let end = now + duration
    while let wake = machine.nextWake, wake <= end {
      now = max(now, wake)
      note(machine.wake(now: now, random: &random))
    }
    now = end
  }

  var standing: Connectivity.Standing { machine.actual.standing }
  var internet: Connectivity.Internet { machine.actual.internet }
}

@Suite struct ConnectivityStateMachineTests {
  @Test(.requirement("O15", "C16")) func `nothing known counts as online`() {
    var bench = ConnectivityBench(nil)
    #expect(bench.standing == .unknown && bench.standing.isWorthTrying)
    bench.observe(Connectivity.Observation())
    bench.pass(.seconds(100))
    #expect(bench.told.isEmpty && bench.machine.status == .connected)
    #expect(bench.machine.source == .nobody && bench.machine.confidence == 0)
  }

  @Test(.requirement("C16")) func `a link with a route is online, without one of them offline`() {
    var bench = ConnectivityBench()
    #expect(bench.standing == .online && bench.machine.source == .system)
    bench.observe(.init(link: .up, route: .missing, interfaces: [.wifi]))
    #expect(bench.standing == .offline && bench.machine.source == .system)
    bench.observe(.online)
    bench.observe(.offline)
    #expect(bench.standing == .offline)
  }

  @Test(.requirement("O13")) func `one flap is one down and one up`() {
    var bench = ConnectivityBench()
    bench.observe(.offline)
    bench.observe(.init(link: .up, route: .missing, interfaces: [.wifi]))
    bench.observe(.init(link: .up, route: .missing, interfaces: [.wifi], isExpensive: true))
    bench.pass(.milliseconds(20))
    bench.observe(.online)
    bench.pass(.seconds(1))
    #expect(bench.told == [.offline, .online], "six notices, two changes")
  }

  @Test(.requirement("O13")) func `going down and up again within a window is told as it ends`() {
    var bench = ConnectivityBench()
    bench.observe(.offline)
    bench.observe(.online)
    bench.observe(.offline)
    bench.pass(.milliseconds(49))
    #expect(bench.told == [.offline])
    bench.pass(.seconds(1))
    #expect(bench.told == [.offline], "nothing has changed since it was told")
    bench.observe(.online)
    bench.pass(.seconds(1))
    #expect(bench.told == [.offline, .online])
  }

  @Test(.requirement("O16")) func `the same said again changes nothing`() {
    var bench = ConnectivityBench()
    for _ in 0..<100 {
      bench.observe(.online)
      bench.pass(.milliseconds(700))
    }
    #expect(bench.told.isEmpty && bench.shown.isEmpty && bench.improvements == 0)
    #expect(bench.machine.nextWake == nil)
  }

  @Test(.requirement("O15")) func `a success of real traffic outranks a failed probe`() {
    var bench = ConnectivityBench(probing: true)
    bench.demand()
    bench.answered(.notDelivered(.timeout))
    #expect(bench.internet == .unvalidated && bench.standing.isWorthTrying)
    bench.delivered("a")
    #expect(bench.internet == .validated && bench.standing == .online)
    bench.demand()
    bench.answered(.notDelivered(.timeout))
    #expect(bench.internet == .validated, "also one that comes later")
    bench.pass(.seconds(61))
    bench.demand()
    bench.answered(.notDelivered(.timeout))
    #expect(bench.internet == .unvalidated, "unless the success is old")
  }

  @Test(.requirement("O15")) func `two independent successes outrank any probe`() {
    var bench = ConnectivityBench(probing: true)
    bench.delivered("a")
    bench.demand()
    bench.answered(.portal(nil))
    #expect(bench.standing == .portal, "one success does not")
    bench.delivered("a")
    #expect(bench.standing == .portal, "its page may look like an answer")
    bench.delivered("a")
    #expect(bench.standing == .portal, "the same peer at once is no second opinion")
    bench.delivered("b")
    #expect(bench.standing == .online && bench.internet == .validated)
    bench.pass(.seconds(10))
    bench.demand()
    bench.answered(.portal(nil))
    #expect(bench.standing == .online, "nor is it fooled later")
  }

  @Test(.requirement("O15")) func `the same peer a second later is a second opinion`() {
    var bench = ConnectivityBench(probing: true)
    bench.demand()
    bench.answered(.portal(nil))
    bench.delivered("a")
    bench.pass(.milliseconds(999))
    bench.delivered("a")
    #expect(bench.standing == .portal)
    bench.pass(.milliseconds(1))
    bench.delivered("a")
    #expect(bench.standing == .online)
  }

  @Test(.requirement("O15")) func `a call that goes through while it says offline is believed`() {
    var bench = ConnectivityBench()
    bench.observe(.offline)
    bench.pass(.milliseconds(999))
    bench.delivered("a")
    #expect(bench.standing == .offline, "that one was on its way")
    #expect(bench.machine.falseClaims == 0)
    bench.pass(.milliseconds(1))
    bench.delivered("a")
    #expect(bench.standing == .online && bench.internet == .validated)
    #expect(bench.machine.falseClaims == 1, "the claim was wrong, and is counted")
  }

  @Test(.requirement("O15")) func `a claim that was wrong needs more to be made again`() {
    var bench = ConnectivityBench()
    bench.observe(.offline)
    bench.pass(.seconds(5))
    bench.delivered("a")
    bench.observe(.online)
    bench.observe(.offline)
    #expect(bench.standing == .unknown, "the system alone is not believed any more")
    bench.failed(.offline, "a")
    #expect(bench.standing == .offline, "a call that failed as well is")
    #expect(bench.machine.caution == 1)
    bench.failed(.offline, "a")
    #expect(bench.machine.caution == 0, "the claim was right: trust is won back")
    bench.observe(.online)
    bench.observe(.offline)
    #expect(bench.standing == .offline)
  }

  @Test func `failures of one peer are its own fault, unless the device says so`() {
    var bench = ConnectivityBench()
    for _ in 0..<10 { bench.failed(.timeout, "a") }
    #expect(bench.internet == .unvalidated && bench.standing == .unknown)
    bench.failed(.network, "b")
    #expect(bench.standing == .offline && bench.machine.source == .traffic)
    var other = ConnectivityBench()
    other.failed(.offline, "a")
    other.failed(.offline, "a")
    #expect(other.standing == .offline)
  }

  @Test(.requirement("O13", "O15"), arguments: [ErrorKind.offline, .timeout, .network])
  func `a call that was lost with the network says nothing about the next one`(kind: ErrorKind) {
    var bench = ConnectivityBench(probing: true)
    bench.observe(.offline)
    bench.pass(.seconds(5))
    bench.observe(.online)
    let probes = bench.probes.count
    bench.pass(.seconds(2))
    for peer in ["a", "b", "c"] {
      bench.failed(kind, peer, lasting: .milliseconds(2_001))
      bench.failed(kind, peer, lasting: .seconds(Int64.max / 2))
    }
    #expect(bench.standing == .online && bench.told == [.offline, .online])
    #expect(bench.probes.count == probes, "only what the change itself caused")
    bench.failed(kind, "a", lasting: .seconds(2))
    bench.failed(kind, "a", lasting: .seconds(-1))
    bench.failed(kind, "b", lasting: .zero)
    #expect(bench.standing == .offline, "what began on this network does")
  }

  @Test(.requirement("O15")) func `an answer tells by its length which network it is about`() {
    var bench = ConnectivityBench()
    bench.observe(.offline)
    bench.pass(.milliseconds(500))
    bench.delivered("a", lasting: .milliseconds(501))
    #expect(bench.standing == .offline && bench.internet == .unknown, "it was on its way")
    bench.delivered("a", lasting: .milliseconds(400))
    #expect(bench.internet == .validated, "it began after the cut, and arrived")
    bench.observe(.online)
    bench.observe(.offline)
    bench.pass(.seconds(5))
    bench.delivered("a", lasting: .seconds(6))
    #expect(bench.internet == .unknown, "late as it is")
  }

  @Test(.requirement("T15")) func `what calls say is forgotten, so that somebody tries again`() {
    var bench = ConnectivityBench()
    bench.failed(.timeout, "a")
    bench.failed(.timeout, "a")
    bench.failed(.timeout, "b")
    #expect(bench.standing == .offline && bench.machine.nextWake != nil)
    bench.pass(.seconds(62))
    #expect(bench.standing == .online && bench.improvements == 1)
    #expect(bench.machine.nextWake == nil)
  }

  @Test func `a failure that is too old does not count with a new one`() {
    var bench = ConnectivityBench()
    bench.failed(.timeout, "a")
    bench.pass(.seconds(600))
    bench.failed(.timeout, "b")
    #expect(bench.internet == .unknown && bench.standing == .online)
    #expect(bench.machine.nextWake == nil)
  }

  @Test func `a doubt of calls alone ends with them, though nothing else happens`() {
    var bench = ConnectivityBench()
    bench.failed(.timeout, "a")
    bench.failed(.timeout, "a")
    #expect(bench.internet == .unvalidated && bench.standing == .unknown)
    bench.pass(.milliseconds(59_999))
    #expect(bench.internet == .unvalidated && bench.machine.nextWake == .seconds(160))
    bench.pass(.milliseconds(1))
    #expect(bench.internet == .unknown && bench.standing == .online)
  }

  @Test(arguments: [ErrorKind.server, .throttled, .unauthorized, .notFound, .conflict, .validation])
  func `whoever answers with an error has answered`(kind: ErrorKind) {
    var bench = ConnectivityBench()
    bench.failed(kind, "a")
    #expect(bench.internet == .validated)
  }

  @Test(arguments: [ErrorKind.cancelled, .rejected, .storage, .defect, .unknown])
  func `what never got to the network says nothing`(kind: ErrorKind) {
    var bench = ConnectivityBench(probing: true)
    bench.failed(kind, "a")
    #expect(bench.internet == .unknown && bench.probes.isEmpty)
  }

  @Test(.requirement("O14"), arguments: [ErrorKind.insecure, .decoding, .denied])
  func `what a portal would cause is worth a probe`(kind: ErrorKind) {
    var bench = ConnectivityBench(probing: true)
    bench.failed(kind, "a")
    #expect(bench.internet == .unknown && bench.probes.count == 1)
  }

  @Test(.requirement("O14")) func `a portal that a call met is a state with its address`() throws {
    let url = try #require(URL(string: "http://login.example/"))
    var bench = ConnectivityBench(probing: true)
    bench.failed(.portal, "a")
    #expect(bench.internet == .portal(nil) && !bench.standing.isWorthTrying)
    bench.answered(.portal(url))
    #expect(bench.internet == .portal(url))
    bench.failed(.portal, "a")
    #expect(bench.internet == .portal(url), "the address is kept")
    bench.pass(.seconds(5))
    bench.answered(.validated)
    #expect(bench.standing == .online)
  }

  @Test func `a portal that no probe asks about is forgotten after a minute`() {
    var bench = ConnectivityBench()
    bench.failed(.portal, "a")
    bench.pass(.seconds(30))
    // Met again: the minute begins anew.
    bench.failed(.portal, "a")
    bench.pass(.milliseconds(59_999))
    #expect(bench.standing == .portal && bench.improvements == 0)
    bench.pass(.milliseconds(1))
    #expect(bench.standing == .online && bench.machine.source == .system)
    bench.pass(.seconds(10))
    #expect(bench.improvements == 1 && bench.machine.nextWake == nil)
    var nobodyKnows = ConnectivityBench(nil)
    nobodyKnows.failed(.portal)
    nobodyKnows.pass(.seconds(60))
    #expect(nobodyKnows.standing == .unknown && nobodyKnows.standing.isWorthTrying)
    // Where there is a probe, that says so.
    var probed = ConnectivityBench(probing: true)
    probed.failed(.portal, "a")
    probed.answered(.portal(nil))
    probed.pass(.seconds(70))
    #expect(probed.standing == .portal && probed.probes.count == 2)
  }

  @Test(.requirement("O13")) func `another network begins without evidence, and is told`() {
    var bench = ConnectivityBench()
    bench.delivered("a")
    bench.delivered("b")
    bench.pass(.seconds(1))
    bench.told = []
    bench.observe(.online(by: .wifi, identity: "train"))
    #expect(bench.internet == .unknown && bench.machine.actual.networkID == 1)
    bench.pass(.seconds(2))
    #expect(bench.told == [.online] && bench.improvements == 1)
    bench.observe(.offline)
    bench.observe(.online(by: .wifi, identity: "train"))
    #expect(bench.machine.actual.networkID == 1, "the same one again")
  }

  @Test func `confidence falls with time, and what confirms raises it`() {
    var bench = ConnectivityBench()
    bench.delivered("a")
    #expect(bench.machine.confidence(at: bench.now) == 0.8)
    bench.delivered("b")
    #expect(bench.machine.confidence(at: bench.now) == 0.95)
    let later = bench.machine.confidence(at: bench.now + .seconds(60))
    #expect(abs(later - 0.475) < 0.001)
    #expect(bench.machine.nextWake == nil, "nobody has to be woken for it")
  }

  @Test func `evidence stands in the order of time, the newest first`() {
    var bench = ConnectivityBench(probing: true)
    bench.demand()
    bench.answered(.notDelivered(.timeout))
    bench.pass(.seconds(1))
    bench.failed(.network, "a")
    let found = bench.machine.evidence(at: bench.now) { Date(timeIntervalSince1970: $0.inSeconds) }
    #expect(found.map(\.source) == [.traffic, .probe, .system, .system])
    #expect(found.map(\.kind) == [.network, .timeout, nil, nil])
    #expect(found.map(\.date) == found.map(\.date).sorted(by: >))
    #expect(found.allSatisfy { (0...1).contains($0.confidence) })
  }
}
