// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayTesting
import TestSupport
import Testing

@testable import Mainstay

/// What is told when, and when a probe is sent.
@Suite struct ConnectivityTellingTests {
  @Test(.requirement("C17")) func `a restored connection is told once it has lasted`() {
    var bench = ConnectivityBench()
    bench.observe(.offline)
    for _ in 0..<5 {
      bench.observe(.online)
      bench.pass(.milliseconds(900))
      bench.observe(.offline)
      bench.pass(.milliseconds(900))
    }
    #expect(bench.improvements == 0)
    bench.observe(.online)
    bench.pass(.milliseconds(999))
    #expect(bench.improvements == 0)
    bench.pass(.milliseconds(1))
    #expect(bench.improvements == 1)
    bench.pass(.seconds(600))
    #expect(bench.improvements == 1)
  }

  @Test(.requirement("O13")) func `what is shown follows later, up faster than down`() {
    var bench = ConnectivityBench()
    bench.observe(.offline)
    bench.pass(.milliseconds(2_999))
    #expect(bench.shown.isEmpty && bench.statuses.isEmpty)
    bench.pass(.milliseconds(2_002))
    #expect(bench.shown == [.offline] && bench.statuses == [.disconnected])
    bench.observe(.online)
    #expect(bench.statuses == [.disconnected, .reconnecting])
    bench.pass(.milliseconds(1_999))
    #expect(bench.shown == [.offline])
    bench.pass(.milliseconds(1))
    #expect(bench.shown == [.offline, .online])
    #expect(bench.statuses == [.disconnected, .reconnecting, .connected])
  }

  @Test(.requirement("O13")) func `a short cut is not shown at all`() {
    var bench = ConnectivityBench()
    bench.observe(.offline)
    bench.pass(.milliseconds(2_900))
    bench.observe(.online)
    bench.pass(.seconds(100))
    #expect(bench.shown.isEmpty && bench.statuses.isEmpty && bench.told == [.offline, .online])
  }

  @Test(.requirement("O13")) func `taking turns is shown later and later, up to a minute`() {
    var bench = ConnectivityBench()
    for _ in 0..<6 {
      bench.observe(.offline)
      bench.pass(.seconds(1))
      bench.observe(.online)
      bench.pass(.seconds(1))
    }
    bench.observe(.offline)
    bench.pass(.milliseconds(59_999))
    #expect(bench.shown.isEmpty, "thirteen changes in a minute")
    bench.pass(.milliseconds(1))
    #expect(bench.shown == [.offline])
    bench.pass(.seconds(1))
    bench.observe(.online)
    bench.pass(.seconds(2))
    #expect(bench.shown == [.offline, .online], "after a calm minute it is as before")
  }

  @Test(.requirement("T15")) func `reconnecting comes to an end`() {
    var bench = ConnectivityBench()
    bench.observe(.offline)
    bench.pass(.seconds(10))
    for _ in 0..<20 {
      bench.observe(.online)
      bench.pass(.milliseconds(500))
      #expect(bench.machine.status == .reconnecting)
      bench.observe(.offline)
      bench.pass(.milliseconds(500))
      #expect(bench.machine.status == .reconnecting)
    }
    #expect(bench.statuses == [.disconnected, .reconnecting], "it does not flicker")
    var back = bench
    back.observe(.online)
    back.pass(.seconds(60))
    #expect(back.statuses == [.disconnected, .reconnecting, .connected])
    bench.pass(.seconds(60))
    #expect(bench.statuses == [.disconnected, .reconnecting, .disconnected])
    #expect(bench.machine.nextWake == nil)
  }

  @Test func `what was back for a moment is gone after as long as any other`() {
    var bench = ConnectivityBench()
    bench.observe(.offline)
    bench.pass(.seconds(10))
    bench.observe(.online)
    bench.pass(.seconds(1))
    bench.observe(.offline)
    bench.pass(.milliseconds(2_900))
    #expect(bench.machine.status == .reconnecting)
    bench.pass(.milliseconds(200))
    #expect(bench.machine.status == .disconnected && bench.machine.nextWake == nil)
    #expect(bench.shown == [.offline])
  }

  @Test func `a portal that a call met is asked about soon, however well it was before`() {
    for kind in [ErrorKind.portal, .offline] {
      var bench = ConnectivityBench(probing: true)
      for _ in 0..<10 {
        let count = bench.probes.count
        bench.suspect()
        while bench.probes.count == count { bench.pass(.seconds(1)) }
        bench.answered(.validated)
      }
      let count = bench.probes.count
      bench.pass(.seconds(1))
      bench.failed(kind, "a")
      bench.pass(.seconds(5))
      #expect(bench.probes.count == count + 1, "\(kind)")
    }
  }

  @Test func `what gets through nowhere has failed, and so has a portal`() {
    var bench = ConnectivityBench()
    for peer in ["a", "a", "b", "b"] { bench.failed(.timeout, peer) }
    bench.pass(.seconds(5))
    #expect(bench.machine.status == .failed)
    var portal = ConnectivityBench()
    portal.failed(.portal)
    portal.pass(.seconds(5))
    #expect(portal.machine.status == .failed && portal.shown == [.portal])
  }

  @Test func `a probe asks on change, and a network that is well is left alone`() {
    var bench = ConnectivityBench(probing: true)
    bench.observe(.online(by: .wifi, identity: "train"))
    #expect(bench.probes.count == 1)
    bench.answered(.validated)
    bench.pass(.seconds(3_600))
    #expect(bench.probes.count == 1 && bench.machine.nextWake == nil)
    bench.observe(.offline)
    bench.suspect()
    #expect(bench.probes.count == 1, "without a network it finds out nothing")
  }

  @Test(.requirement("O13")) func `a network that comes and goes is asked once a second`() {
    var bench = ConnectivityBench(probing: true)
    for _ in 0..<50 {
      bench.observe(.offline)
      bench.pass(.milliseconds(50))
      bench.observe(.online)
      bench.pass(.milliseconds(50))
    }
    #expect((4...6).contains(bench.probes.count), "in five seconds")
    let before = bench.probes.count
    bench.pass(.seconds(10))
    bench.answered(.validated)
    for isExpensive in [true, false, true, false] {
      var same = Connectivity.Observation.online
      same.isExpensive = isExpensive
      bench.observe(same)
      bench.pass(.seconds(2))
    }
    #expect(bench.probes.count <= before + 1, "the same network with another price")
  }

  @Test func `what stays bad is asked again, each time after twice as long`() {
    var bench = ConnectivityBench(probing: true)
    bench.demand()
    var (times, count) = ([bench.now], 1)
    while times.count < 12 {
      bench.answered(.notDelivered(.timeout))
      while bench.probes.count == count, let wake = bench.machine.nextWake {
        bench.pass(wake - bench.now)
      }
      guard bench.probes.count > count else { break }
      count = bench.probes.count
      times.append(bench.now)
    }
    let waits = zip(times, times.dropFirst()).map { $1 - $0 }
    let longest: [Double] = [5, 10, 20, 40, 80, 160, 320, 600, 600, 600, 600]
    #expect(waits.count == longest.count)
    for (wait, limit) in zip(waits, longest) {
      #expect(wait <= .seconds(limit) && wait >= .seconds(limit * 0.8))
    }
    #expect(Set(waits.suffix(4)).count == 4, "chance spreads them")
  }

  @Test func `suspicion is not asked about more often than the interval`() {
    var bench = ConnectivityBench(probing: true)
    for _ in 0..<50 {
      bench.suspect()
      if bench.machine.probeRunning != nil { bench.answered(.validated) }
      bench.pass(.milliseconds(100))
    }
    #expect(bench.probes.count <= 2)
  }

  @Test func `a portal is asked about again after a question that came to nothing`() {
    var bench = ConnectivityBench(probing: true)
    bench.demand()
    bench.answered(.portal(nil))
    bench.pass(.seconds(5))
    #expect(bench.probes.count == 2)
    bench.answered(nil)
    #expect(bench.standing == .portal && bench.machine.nextWake != nil)
    bench.pass(.seconds(10))
    #expect(bench.probes.count == 3)
    bench.answered(.validated)
    #expect(bench.standing == .online)
  }

  @Test func `an answer from another network is not heeded`() {
    var bench = ConnectivityBench(probing: true)
    bench.demand()
    let run = bench.machine.probeCount
    bench.observe(.online(by: .wifi, identity: "train"))
    _ = bench.machine.probed(.portal(nil), run: run, now: bench.now, random: &bench.random)
    #expect(bench.internet == .unknown)
    bench.pass(.seconds(1))
    bench.answered(.validated)
    #expect(bench.internet == .validated)
    bench.answered(.portal(nil))
    #expect(bench.internet == .validated, "nor is one that comes twice")
  }

  @Test(arguments: [true, false])
  func `what a call met on the network before is not what this one is`(probing: Bool) {
    var bench = ConnectivityBench(probing: probing)
    bench.observe(.online(by: .wifi, identity: "train"))
    if probing { bench.answered(nil) }
    bench.pass(.seconds(2))
    for kind in [ErrorKind.portal, .server, .timeout] {
      bench.failed(kind, "a", lasting: .seconds(3))
    }
    bench.delivered("b", lasting: .seconds(3))
    #expect(bench.internet == .unknown && bench.standing == .online)
    bench.failed(.timeout, "a", lasting: .seconds(1))
    bench.failed(.timeout, "a", lasting: .seconds(1))
    bench.delivered("b", lasting: .seconds(3))
    #expect(bench.internet == .unvalidated, "nor does it take back what was found here")
    bench.failed(.portal, "a", lasting: .seconds(2))
    #expect(bench.standing == .portal, "what began on this network says how it is")
    bench.delivered("b", lasting: .seconds(1))
    bench.delivered("c", lasting: .seconds(1))
    #expect(bench.internet == .validated)
  }

  @Test func `a call that began before the network was heard of tells how that is`() {
    var bench = ConnectivityBench(nil)
    bench.pass(.seconds(1))
    bench.observe(.online)
    bench.delivered("a", lasting: .milliseconds(500))
    #expect(bench.internet == .validated)
  }

  @Test(.requirement("T8")) func `clocks that jump by ages trap nowhere`() {
    var bench = ConnectivityBench(probing: true)
    let jumps: [Duration] = [
      .seconds(Int64.max), .seconds(Int64.min), .zero, .seconds(-365 * 86_400), .nanoseconds(1),
      Duration(attoseconds: .max), Duration(attoseconds: .min),
    ]
    for jump in jumps {
      bench.now = jump
      bench.observe(.offline)
      bench.failed(.timeout, "a")
      bench.delivered("b")
      bench.observe(.online)
      bench.answered(.notDelivered(.network))
      _ = bench.machine.nextWake
      _ = bench.machine.connectivity(of: .shown, now: jump, date: Date(timeIntervalSince1970: 0))
    }
  }
}
