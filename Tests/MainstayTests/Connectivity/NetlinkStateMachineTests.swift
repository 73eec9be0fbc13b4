// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayTesting
import TestSupport
import Testing

@testable import Mainstay

/// Messages as the kernel writes them, byte by byte.
enum Netlink {
  static func bytes<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
    withUnsafeBytes(of: value) { Array($0) }
  }

  static func attribute(_ kind: UInt16, _ value: [UInt8]) -> [UInt8] {
    padded(bytes(UInt16(value.count + 4)) + bytes(kind) + value)
  }

  static func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
  }

  static func message(
    _ type: UInt16, flags: UInt16 = 0, sequence: UInt32 = 0, _ body: [UInt8]
  ) -> [UInt8] {
    padded(
      bytes(UInt32(body.count + 16)) + bytes(type) + bytes(flags) + bytes(sequence)
        + bytes(UInt32(0)) + body)
  }

  /// Up, running and plugged in; a broadcast network.
  static let well: UInt32 = 0x1_1043

  static func link(
    _ index: Int32, _ name: String, flags: UInt32 = well, family: UInt8 = 0, kind: String? = nil,
    type: UInt16 = 1, isGone: Bool = false
  ) -> [UInt8] {
    var body: [UInt8] = [family, 0]
    body += bytes(type) + bytes(index) + bytes(flags) + bytes(UInt32.max)
    body += attribute(3, Array(name.utf8) + [0])
    if let kind { body += attribute(18, attribute(1, Array(kind.utf8) + [0])) }
    return message(isGone ? 17 : 16, body)
  }

  static func address(
    _ index: Int32, _ address: [UInt8], prefix: UInt8 = 24, flags: UInt32 = 0x80,
    scope: UInt8 = 0, isGone: Bool = false
  ) -> [UInt8] {
    let family: UInt8 = address.count == 4 ? 2 : 10
    var body: [UInt8] = [family, prefix, UInt8(truncatingIfNeeded: flags), scope]
    body += bytes(index) + attribute(1, address) + attribute(8, bytes(flags))
    return message(isGone ? 21 : 20, body)
  }

  static func route(
    _ index: Int32?, to destination: [UInt8] = [], length: UInt8 = 0, gateway: [UInt8] = [],
    metric: UInt32 = 0, family: UInt8 = 2, table: UInt32 = 254, type: UInt8 = 1,
    hops: [UInt8]? = nil, replaces: Bool = false, isGone: Bool = false
  ) -> [UInt8] {
    var body: [UInt8] = [family, length, 0, 0, UInt8(truncatingIfNeeded: table), 3, 0, type]
    body += bytes(UInt32(0)) + attribute(15, bytes(table))
    if !destination.isEmpty { body += attribute(1, destination) }
    if let index { body += attribute(4, bytes(index)) }
    if !gateway.isEmpty { body += attribute(5, gateway) }
    if metric > 0 { body += attribute(6, bytes(metric)) }
    if let hops { body += attribute(9, hops) }
    return message(isGone ? 25 : 24, flags: replaces ? 0x100 : 0, body)
  }

  static func hop(_ index: Int32, _ gateway: [UInt8]) -> [UInt8] {
    let rest = attribute(5, gateway)
    return bytes(UInt16(8 + rest.count)) + [0, 0] + bytes(index) + rest
  }

  static func messages(_ bytes: [UInt8]) -> [NetlinkMessage] {
    bytes.withUnsafeBytes { NetlinkMessage.all(in: $0) }
  }
}

extension NetlinkTable {
  /// Takes a datagram in; says whether the kernel has to be asked.
  @discardableResult
  mutating func take(_ datagram: [UInt8]) -> Bool {
    Netlink.messages(datagram).compactMap(\.notice).map { apply($0) }.contains(true)
  }

  var now: Connectivity.Observation { observation { $0.interface(deviceType: nil) } }
}

@Suite(.requirement("O16")) struct NetlinkStateMachineTests {
  /// A cable with an address and a way out.
  private func office(peers: [[UInt8]] = []) -> NetlinkTable {
    var table = NetlinkTable(peers: peers)
    table.take(Netlink.link(1, "lo", flags: 0x1_0049, type: 772))
    table.take(Netlink.link(2, "eth0"))
    table.take(Netlink.address(2, [10, 0, 0, 2]))
    table.take(Netlink.route(2, gateway: [10, 0, 0, 1]))
    return table
  }

  @Test(.requirement("C16")) func `a cable with a default route is a way out`() {
    let now = office().now
    #expect(now.link == .up && now.route == .present && now.interfaces == [.wired])
    #expect(now.identity == "2>a.0.0.1 2@a.0.0.2")
    var empty = NetlinkTable()
    #expect(empty.now == Connectivity.Observation(), "nothing was told: nothing is known")
    empty.take(Netlink.link(1, "lo", flags: 0x1_0049, type: 772))
    #expect(empty.now.link == .down, "loopback alone is no network")
  }

  @Test(arguments: [UInt32(0x1_1042), 0x1003, 0x1_1003, 0x1_104b])
  func `a link that is down, not plugged in, not running or loopback leads nowhere`(
    flags: UInt32
  ) {
    var table = office()
    table.take(Netlink.link(2, "eth0", flags: flags))
    #expect(table.now.link == .down && table.now.route == .missing)
  }

  @Test func `notices without a change of meaning change nothing`() {
    var table = office()
    table.take(Netlink.address(2, [0x20, 1, 0xd, 0xb8] + [UInt8](repeating: 7, count: 12)))
    let before = table.now
    let noise: [[UInt8]] = [
      Netlink.link(2, "eth0"),
      // A wireless notice: the same flags, and an attribute that changes all the time.
      Netlink.message(
        16,
        [0, 0] + Netlink.bytes(UInt16(1)) + Netlink.bytes(Int32(2))
          + Netlink.bytes(Netlink.well) + Netlink.bytes(UInt32(0))
          + Netlink.attribute(3, Array("eth0\0".utf8))
          + Netlink.attribute(11, [1, 2, 3])),
      // Deprecated, and preferred again.
      Netlink.address(
        2, [0x20, 1, 0xd, 0xb8] + [UInt8](repeating: 7, count: 12), flags: 0x20),
      Netlink.address(2, [0x20, 1, 0xd, 0xb8] + [UInt8](repeating: 7, count: 12), flags: 0),
      // Another one of the same prefix, for privacy.
      Netlink.address(
        2, [0x20, 1, 0xd, 0xb8, 7, 7, 7, 7] + [UInt8](repeating: 9, count: 8), flags: 1),
      // Of the link alone, and one that is being tried out.
      Netlink.address(2, [0xfe, 0x80] + [UInt8](repeating: 1, count: 14), scope: 253),
      Netlink.address(2, [10, 0, 0, 99], flags: 0x40),
      // Interfaces that carry no route: those of containers come and go.
      Netlink.link(9, "veth9", kind: "veth"), Netlink.link(8, "docker0", kind: "bridge"),
      Netlink.address(8, [172, 17, 0, 1]), Netlink.link(9, "veth9", isGone: true),
      // A port leaves a bridge: the link itself stays.
      Netlink.link(2, "eth0", family: 7, isGone: true),
      // Routes that do not matter.
      Netlink.route(2, to: [10, 0, 0, 0], length: 24), Netlink.route(2, table: 255),
      Netlink.route(2, metric: 9, type: 7),
    ]
    for datagram in noise {
      table.take(datagram)
      #expect(table.now == before)
    }
  }

  @Test func `what the kernel does not tell is asked for`() {
    var table = office()
    let goes = table.take(Netlink.link(2, "eth0", flags: 0x1_1042))
    let comes = table.take(Netlink.link(2, "eth0"))
    #expect(goes && !comes, "routes are gone with it")
    #expect(table.now.link == .up && table.now.route == .missing, "IPv4 has forgotten the route")
    var other = office()
    let first = other.take(Netlink.address(2, [10, 0, 0, 2], isGone: true))
    let second = other.take(Netlink.address(2, [10, 0, 0, 2], isGone: true))
    #expect(first && !second)
    let unknown = other.take(Netlink.route(3, gateway: [10, 0, 0, 1], isGone: true))
    #expect(unknown, "it may be one hop of one that is known")
    let gone = other.take(Netlink.link(2, "eth0", isGone: true))
    #expect(gone && other.now.link == .down)
  }

  @Test func `a cable that is pulled and put back keeps its route`() {
    var table = office()
    let before = table.now
    let asks = table.take(Netlink.link(2, "eth0", flags: 0x1003))
    #expect(!asks && table.now.link == .down && table.now.interfaces.isEmpty)
    table.take(Netlink.link(2, "eth0"))
    #expect(table.now == before)
  }

  @Test func `a route that replaces another one takes its place`() {
    var table = office()
    table.take(Netlink.route(2, gateway: [10, 0, 0, 254], replaces: true))
    #expect(table.now.identity == "2>a.0.0.fe 2@a.0.0.2")
    let asks = table.take(Netlink.route(2, gateway: [10, 0, 0, 254], isGone: true))
    #expect(!asks && table.now.route == .missing)
  }

  @Test func `the preferred interface stands first`() {
    var table = office()
    table.take(Netlink.link(5, "wwan0", type: 519))
    table.take(Netlink.route(5, metric: 700))
    #expect(table.now.interfaces == [.wired, .cellular] && !table.now.isExpensive)
    table.take(Netlink.link(2, "eth0", flags: 0x1003))
    #expect(table.now.interfaces == [.cellular] && table.now.isExpensive)
  }

  @Test func `one of several hops is enough`() {
    var table = NetlinkTable()
    table.take(Netlink.link(2, "eth0", flags: 0x1003))
    table.take(Netlink.link(3, "eth1"))
    let hops = Netlink.hop(2, [10, 0, 0, 1]) + Netlink.hop(3, [10, 1, 0, 1])
    table.take(Netlink.route(nil, hops: hops))
    #expect(table.now.route == .present && table.now.identity == "3>a.1.0.1")
  }

  @Test func `a router of IPv6 alone is no way out without an address`() {
    var table = NetlinkTable()
    table.take(Netlink.link(2, "eth0"))
    table.take(Netlink.route(2, family: 10))
    #expect(table.now.route == .missing)
    let address: [UInt8] = [0x20, 1, 0xd, 0xb8] + [UInt8](repeating: 1, count: 12)
    table.take(Netlink.address(2, address, flags: 0x40))
    #expect(table.now.route == .missing, "it is being tried out")
    table.take(Netlink.address(2, address))
    #expect(table.now.route == .present)
  }

  @Test(arguments: [
    ([UInt8]([192, 168, 1, 10]), [UInt8]([192, 168, 1, 0]), UInt8(24), true),
    ([192, 168, 2, 10], [192, 168, 1, 0], 24, false),
    ([10, 31, 255, 255], [10, 16, 0, 0], 12, true), ([10, 32, 0, 0], [10, 16, 0, 0], 12, false),
    ([192, 168, 1, 10], [192, 168, 1, 10], 32, true),
  ])
  func `a route to a named peer is a way out`(
    peer: [UInt8], destination: [UInt8], length: UInt8, isWay: Bool
  ) {
    var table = NetlinkTable(peers: [peer])
    table.take(Netlink.link(2, "eth0"))
    table.take(Netlink.route(2, to: destination, length: length))
    #expect((table.now.route == .present) == isWay)
  }

  @Test(arguments: [
    ("wlan" as String?, UInt16(1), "", Connectivity.Interface.wifi), ("wwan", 1, "", .cellular),
    (nil, 519, "", .cellular), (nil, 1, "", .wired), (nil, 1, "veth", .wired),
    ("bridge", 1, "bridge", .other), (nil, 65_534, "wireguard", .other), (nil, 1, "dummy", .other),
  ])
  func `an interface is what the system calls it`(
    device: String?, type: UInt16, kind: String, interface: Connectivity.Interface
  ) {
    let link = NetlinkLink(index: 2, type: type, flags: 0, name: "x", kind: kind)
    #expect(link.interface(deviceType: device) == interface)
  }
}

// Bytes that nobody vouches for.
extension NetlinkStateMachineTests {
  private static var whole: [[UInt8]] {
    let hops = Netlink.hop(2, [10, 0, 0, 1]) + Netlink.hop(3, [10, 1, 0, 1])
    return [
      Netlink.link(2, "eth0", kind: "veth"), Netlink.address(2, [10, 0, 0, 2]),
      Netlink.address(2, [UInt8](repeating: 9, count: 16), prefix: 64),
      Netlink.route(2, gateway: [10, 0, 0, 1], metric: 4), Netlink.route(nil, hops: hops),
      Netlink.message(2, flags: 0, sequence: 4, Netlink.bytes(Int32(-16))),
      Netlink.message(3, flags: 0x10, sequence: 4, []),
    ]
  }

  @Test func `a message that is cut anywhere traps nowhere, and what came before is read`() {
    for message in Self.whole {
      for end in 0..<message.count {
        let datagram = Self.whole[0] + message.prefix(end)
        let read = Netlink.messages(Array(datagram))
        #expect(
          read.first?.notice
            == .link(
              .init(
                index: 2, type: 1, flags: Netlink.well, name: "eth0", kind: "veth")))
        #expect(read.count == 1, "half a message is none")
      }
    }
  }

  @Test func `any byte may be any other one`() {
    for (number, message) in Self.whole.enumerated() {
      for place in message.indices {
        for value in [UInt8(0), 1, 3, 4, 7, 0x7f, 0x80, 0xff] {
          var broken = message
          broken[place] = value
          var table = office()
          table.take(broken + message)
          _ = table.now
        }
      }
      #expect(!Netlink.messages(message).isEmpty, "message \(number)")
    }
  }

  @Test func `random bytes trap nowhere`() {
    for seed in 0..<RandomDose.schedules {
      var random = SplitMix64(seed: seed)
      var table = office(peers: [[10, 0, 0, 9]])
      let datagram = (0..<Int.random(in: 0...200, using: &random)).map { place in
        // A length that fits, now and then, so that more is read.
        place % 4 == 0 && Bool.random(using: &random)
          ? UInt8.random(in: 0...60, using: &random)
          : UInt8.random(in: .min ... .max, using: &random)
      }
      table.take(datagram)
      let now = table.now
      #expect(table.now == now)
    }
  }

  @Test func `an error has its number, whatever its sign`() {
    func notice(_ number: Int32) -> NetlinkNotice? {
      Netlink.messages(Netlink.message(2, sequence: 4, Netlink.bytes(number))).first?.notice
    }
    #expect(notice(-16) == .refused(16) && notice(0) == .refused(0))
    #expect(notice(.min) == .refused(.max))
  }

  @Test func `a list that changed while it was written says so`() {
    let message = Netlink.messages(Netlink.message(3, flags: 0x12, sequence: 4, [0, 0, 0, 0]))
    #expect(message.first?.isInterrupted == true && message.first?.sequence == 4)
    #expect(message.first?.notice == .done)
    #expect(Netlink.messages(Netlink.message(4, [])).first?.notice == .overrun)
  }
}
