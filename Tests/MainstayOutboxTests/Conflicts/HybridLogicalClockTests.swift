// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

private typealias Stamp = HybridLogicalClock.Stamp
private typealias Node = HybridLogicalClock.Node

private func date(_ milliseconds: Int) -> Date {
  Date(timeIntervalSince1970: Double(milliseconds) / 1000)
}

private func stamp(_ milliseconds: UInt64, _ counter: UInt16, _ node: UInt64 = 2) throws -> Stamp {
  try #require(
    Stamp(milliseconds: milliseconds, counter: counter, node: Node(rawValue: node)))
}

private func parts(_ stamp: Stamp?) -> [UInt64] {
  stamp.map { [$0.milliseconds, UInt64($0.counter), $0.node.rawValue] } ?? []
}

@Suite(.requirement("C21")) struct HybridLogicalClockTests {
  private func clock(_ rule: HybridLogicalClock.SkewRule = .refuse) -> HybridLogicalClock {
    HybridLogicalClock(
      node: Node(rawValue: 1), .init(maximumSkew: .milliseconds(100), skewRule: rule))
  }

  @Test func `a new clock has no stamp, and begins with the time of day`() {
    var clock = clock()
    #expect(clock.latest == nil)
    #expect(parts(clock.tick(at: date(5000))) == [5000, 0, 1])
    #expect(parts(clock.latest) == [5000, 0, 1])
  }

  @Test func `the counter tells stamps of one millisecond apart`() {
    var clock = clock()
    _ = clock.tick(at: date(5000))
    #expect(parts(clock.tick(at: date(5000))) == [5000, 1, 1])
    #expect(parts(clock.tick(at: date(5001))) == [5001, 0, 1])
  }

  @Test(.requirement("P12")) func `a clock that is set back a year goes on counting`() {
    var clock = clock()
    _ = clock.tick(at: date(40_000_000_000))
    #expect(parts(clock.tick(at: date(5000))) == [40_000_000_000, 1, 1])
    #expect(clock.lead(at: date(5000)) == .milliseconds(39_999_995_000))
    #expect(clock.lead(at: date(40_000_000_000)) == .zero)
    #expect(clock.lead(at: date(50_000_000_000)) == .zero)
  }

  @Test func `a full counter carries into the milliseconds`() throws {
    var clock = clock()
    #expect(clock.receive(try stamp(5000, .max), at: date(5000)).stamp != nil)
    #expect(parts(clock.latest) == [5001, 0, 1])
  }

  struct Meeting: Sendable, CustomTestStringConvertible {
    let own: (UInt64, UInt16)
    let remote: (UInt64, UInt16)
    let physical: Int
    let expected: [UInt64]

    var testDescription: String { "\(own), \(remote) at \(physical)" }
  }

  /// Physical, own and remote time, each in front once, and each two of them equal.
  static let meetings = [
    Meeting(own: (5000, 3), remote: (5010, 7), physical: 5005, expected: [5010, 8, 1]),
    Meeting(own: (5010, 3), remote: (5000, 7), physical: 5005, expected: [5010, 4, 1]),
    Meeting(own: (5000, 3), remote: (5005, 7), physical: 5010, expected: [5010, 0, 1]),
    Meeting(own: (5010, 3), remote: (5010, 7), physical: 5005, expected: [5010, 8, 1]),
    Meeting(own: (5010, 9), remote: (5010, 7), physical: 5005, expected: [5010, 10, 1]),
    Meeting(own: (5010, 3), remote: (5000, 7), physical: 5010, expected: [5010, 4, 1]),
    Meeting(own: (5000, 3), remote: (5010, 7), physical: 5010, expected: [5010, 8, 1]),
    Meeting(own: (5010, 3), remote: (5010, 7), physical: 5010, expected: [5010, 8, 1]),
  ]

  @Test(arguments: meetings)
  func `receiving takes the furthest, and counts on from it`(meeting: Meeting) throws {
    var clock = clock()
    _ = clock.receive(
      try stamp(meeting.own.0, meeting.own.1 - 1), at: date(Int(meeting.own.0)))
    #expect(parts(clock.latest) == [meeting.own.0, UInt64(meeting.own.1), 1])
    let reception = clock.receive(
      try stamp(meeting.remote.0, meeting.remote.1), at: date(meeting.physical))
    #expect(parts(reception.stamp) == meeting.expected)
    #expect(reception == clock.latest.map(HybridLogicalClock.Reception.accepted))
  }

  @Test func `a stamp as far ahead as is believable is taken`() throws {
    var clock = clock()
    let reception = clock.receive(try stamp(5100, .max), at: date(5000))
    #expect(parts(reception.stamp) == [5101, 0, 1])
  }

  @Test func `a stamp further ahead is refused, and says by how much`() throws {
    var clock = clock()
    _ = clock.tick(at: date(5000))
    let reception = clock.receive(try stamp(5101, 0), at: date(5000))
    #expect(reception == .refused(ahead: .milliseconds(101)))
    #expect(reception.stamp == nil)
    #expect(parts(clock.latest) == [5000, 0, 1])
  }

  @Test func `a stamp further ahead leads the clock no further than is believable`() throws {
    var clock = clock(.clamp)
    let remote = try stamp(9_000_000, 4)
    let reception = clock.receive(remote, at: date(5000))
    #expect(
      reception == .clamped(try stamp(5101, 0, 1), ahead: .milliseconds(9_000_000 - 5000)))
    // Now and again it moves on by one, never by more.
    #expect(parts(clock.receive(remote, at: date(5000)).stamp) == [5101, 1, 1])
  }

  @Test func `what the clock is past already is never too far ahead`() throws {
    var clock = clock()
    _ = clock.tick(at: date(9_000_000))
    let reception = clock.receive(try stamp(9_000_000, 0), at: date(5000))
    #expect(parts(reception.stamp) == [9_000_000, 1, 1])
    #expect(reception == clock.latest.map(HybridLogicalClock.Reception.accepted))
  }

  @Test func `another device with the same identity is noticed`() throws {
    var clock = clock()
    let own = clock.tick(at: date(5000))
    guard case .accepted = clock.receive(own, at: date(5000)) else {
      Issue.record("its own stamp is no anomaly")
      return
    }
    let reception = clock.receive(try stamp(5050, 0, 1), at: date(5000))
    #expect(reception == .sameNode(try stamp(5050, 1, 1)))
    #expect(reception.stamp != nil)
    clock.adopt(Node(rawValue: 9))
    #expect(parts(clock.tick(at: date(5000))) == [5050, 2, 9])
    #expect(clock.node.rawValue == 9)
  }

  @Test func `a clock goes on after the latest stamp of one before it`() throws {
    var clock = clock()
    _ = clock.tick(at: date(5000))
    let latest = try #require(clock.latest)
    var again = try #require(HybridLogicalClock(resuming: latest))
    #expect(again.latest == clock.latest && again.node == clock.node)
    #expect(parts(again.tick(at: date(3000))) == [5000, 1, 1])
    let end: UInt64 = 253_402_300_799_999 + 2 * 365 * 86_400_000
    #expect(HybridLogicalClock(resuming: try stamp(end, 0)) == nil)
    #expect(HybridLogicalClock(resuming: try stamp(end - 1, 0)) != nil)
    #expect(HybridLogicalClock(resuming: try stamp((1 << 48) - 1, .max)) == nil)
  }

  @Test func `dates that are no dates count as the nearest`() {
    for (seconds, milliseconds) in [
      (-1.0, 0), (-.infinity, 0), (.nan, 0), (1e300, 253_402_300_799_999),
      (.infinity, 253_402_300_799_999), (0.0006, 1), (0.0014, 1), (0.0016, 2),
    ] as [(Double, UInt64)] {
      var clock = clock()
      _ = clock.tick(at: Date(timeIntervalSince1970: seconds))
      #expect(clock.latest?.milliseconds == milliseconds)
    }
  }

  @Test func `settings that are not legal are listed`() {
    let settings = HybridLogicalClock.Configuration(
      maximumSkew: .zero, reservation: .microseconds(999))
    let error = #expect(throws: ConfigurationError.self) {
      _ = try HybridLogicalClock(node: .random(), validating: settings)
    }
    #expect(error?.violations.map(\.option) == ["maximumSkew", "reservation"])
    for reservation in [Duration.milliseconds(1), .seconds(60)] {
      #expect(throws: Never.self) {
        try HybridLogicalClock(node: .random(), validating: .init(reservation: reservation))
      }
    }
    #expect(throws: ConfigurationError.self) {
      try HybridLogicalClock(
        node: .random(), validating: .init(reservation: .seconds(60) + .nanoseconds(1)))
    }
  }

  @Test func `a literal that is not legal stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = HybridLogicalClock(node: .random(), .init(maximumSkew: .zero))
    }
  }

  @Test func `settings come from JSON, and go back to it`() throws {
    let json = Data(#"{"maximumSkew": 60, "skewRule": "clamp"}"#.utf8)
    let settings = try JSONDecoder().decode(HybridLogicalClock.Configuration.self, from: json)
    #expect(settings == .init(maximumSkew: .seconds(60), skewRule: .clamp))
    let back = try JSONDecoder().decode(
      HybridLogicalClock.Configuration.self, from: JSONEncoder().encode(settings))
    #expect(back == settings)
  }

  @Test func `a skew of less than a millisecond is one, and one of ages a year`() throws {
    var short = HybridLogicalClock(node: .random(), .init(maximumSkew: .nanoseconds(1)))
    #expect(short.receive(try stamp(5001, 0), at: date(5000)).stamp != nil)
    var long = HybridLogicalClock(node: .random(), .init(maximumSkew: .seconds(Int64.max)))
    let year: UInt64 = 365 * 86_400_000
    #expect(long.receive(try stamp(5000 + year + 1, 0), at: date(5000)).stamp == nil)
    #expect(long.receive(try stamp(5000 + year, 0), at: date(5000)).stamp != nil)
  }
}

@Suite(.requirement("C21")) struct HybridLogicalClockStampTests {
  @Test func `the text has 34 characters, and reads back`() throws {
    let stamp = try stamp(0x0191_f0a3_b2c4, 7, 0x9f1c_33d2_a0b4_e567)
    #expect(stamp.description == "0191f0a3b2c4-0007-9f1c33d2a0b4e567")
    #expect(Stamp(stamp.description) == stamp)
    #expect(Node(rawValue: 0xa).description == "000000000000000a")
  }

  @Test(arguments: [
    "", "0191f0a3b2c4-0007-9f1c33d2a0b4e56", "0191f0a3b2c4-0007-9f1c33d2a0b4e5670",
    "0191F0A3b2c4-0007-9f1c33d2a0b4e567", "0191f0a3b2c4_0007-9f1c33d2a0b4e567",
    "0191f0a3b2c4-0007_9f1c33d2a0b4e567", "0191f0a3b2cg-0007-9f1c33d2a0b4e567",
    "0191f0a3b2c4-000 -9f1c33d2a0b4e567", "0191f0a3b2c4-0007-9f1c33d2a0b4e5é",
    "0191f0a3b2c4-0007-9f1c33d2a0b4e56x",
  ])
  func `any other text is an error`(text: String) throws {
    #expect(Stamp(text) == nil)
    #expect(Stamp(text + String(repeating: "0", count: 1_000_000)) == nil)
    let json = try JSONEncoder().encode([text])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([Stamp].self, from: json) }
  }

  @Test func `no stamp is made of too many milliseconds`() {
    #expect(Stamp(milliseconds: 1 << 48, counter: 0, node: .random()) == nil)
    #expect(Stamp(milliseconds: (1 << 48) - 1, counter: 0, node: .random()) != nil)
  }

  @Test func `texts sort as stamps do, and JSON keeps them`() throws {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<RandomDose.cases {
      let stamps = try (0..<2).map { _ in
        try stamp(
          UInt64.random(in: 0...3, using: &generator) << 40,
          UInt16.random(in: 0...2, using: &generator) << 12,
          UInt64.random(in: 0...2, using: &generator) << 60)
      }
      let (left, right) = (stamps[0], stamps[1])
      #expect((left < right) == (left.description < right.description))
      #expect((left == right) == (left.description == right.description))
      let back = try JSONDecoder().decode([Stamp].self, from: JSONEncoder().encode(stamps))
      #expect(back == stamps)
    }
  }

  @Test func `stamps are compared by time, counter and node`() throws {
    let ordered = [
      try stamp(1, 5, 5), try stamp(2, 1, 9), try stamp(2, 2, 1), try stamp(2, 2, 2),
    ]
    #expect(ordered.shuffled().sorted() == ordered)
    #expect(ordered[0].date == Date(timeIntervalSince1970: 0.001))
  }

  @Test func `an updatedAt makes a stamp, for those who have nothing else`() {
    let stamp = Stamp(discouragedUpdatedAt: date(5000), node: Node(rawValue: 3))
    #expect(parts(stamp) == [5000, 0, 3])
    #expect(parts(Stamp(discouragedUpdatedAt: .distantPast, node: stamp.node)) == [0, 0, 3])
  }

  @Test func `nodes are random, and seeded where asked`() {
    var (one, two) = (SeededGenerator(seed: 3), SeededGenerator(seed: 3))
    #expect(Node.random(using: &one) == Node.random(using: &two))
    #expect(Node.random() != Node.random())
  }
}

/// Law 2, on devices that send each other messages while their clocks jump.
@Suite(.requirement("C21")) struct HybridLogicalClockLawTests {
  private struct Device {
    var clock: HybridLogicalClock
    var offset: Int
    var given: [Stamp] = []
  }

  @Test func `stamps rise on each device and along each message, and stay near the time of day`() {
    for seed in 0..<UInt64(RandomDose.cases) {
      var generator = SeededGenerator(seed: seed)
      let skew = 500
      var now = 1_000_000
      var devices = (0..<4).map { index in
        Device(
          clock: HybridLogicalClock(
            node: Node(rawValue: UInt64(index)), .init(maximumSkew: .milliseconds(2 * skew))),
          offset: Int.random(in: -skew...skew, using: &generator))
      }
      for _ in 0..<60 {
        now += Int.random(in: 0...3, using: &generator)
        let (from, to) = (
          Int.random(in: 0..<4, using: &generator), Int.random(in: 0..<4, using: &generator)
        )
        // Clocks are set again, also backwards, within what is believable.
        if Bool.random(using: &generator) {
          devices[from].offset = Int.random(in: -skew...skew, using: &generator)
        }
        let sent = devices[from].clock.tick(at: date(now + devices[from].offset))
        devices[from].given.append(sent)
        #expect(Int(sent.milliseconds) <= now + skew, "seed \(seed)")
        guard from != to else { continue }
        let reception = devices[to].clock.receive(sent, at: date(now + devices[to].offset))
        guard case .accepted(let received) = reception else {
          Issue.record("\(reception), seed \(seed)")
          continue
        }
        #expect(received > sent, "seed \(seed)")
        #expect(Int(received.milliseconds) >= now + devices[to].offset, "seed \(seed)")
        devices[to].given.append(received)
      }
      for device in devices {
        #expect(zip(device.given, device.given.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
      }
    }
  }

  @Test(.requirement("O4")) func `no clock follows one that is a year ahead`() throws {
    for seed in 0..<UInt64(RandomDose.cases) {
      var generator = SeededGenerator(seed: seed)
      let rule = HybridLogicalClock.SkewRule.allCases[Int(seed % 2)]
      var sane = HybridLogicalClock(node: Node(rawValue: 1), .init(skewRule: rule))
      var mad = HybridLogicalClock(node: Node(rawValue: 2))
      var now = 1_800_000_000_000
      var last = sane.tick(at: date(now))
      for _ in 0..<40 {
        now += Int.random(in: 0...100, using: &generator)
        let ahead = Int.random(in: 0...31_536_000_000, using: &generator)
        let reception = sane.receive(mad.tick(at: date(now + ahead)), at: date(now))
        #expect(sane.lead(at: date(now)) <= .milliseconds(300_001), "seed \(seed)")
        if let stamp = reception.stamp { #expect(stamp > last, "seed \(seed)") }
        last = sane.tick(at: date(now))
      }
    }
  }
}
