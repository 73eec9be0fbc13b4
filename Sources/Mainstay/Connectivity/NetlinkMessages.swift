// SPDX-License-Identifier: Apache-2.0

/// What the kernel tells about links, addresses and routes, read from the bytes of a datagram.
///
/// Each length is compared with what is there before it is believed: what does not fit is left out,
/// and nothing traps. Numbers are the kernel's, of `linux/rtnetlink.h`.
enum NetlinkNotice: Sendable, Equatable {
  case link(NetlinkLink)
  case linkGone(Int32)
  case address(NetlinkAddress, isUsable: Bool)
  case addressGone(NetlinkAddress)
  case route(NetlinkRoute, replaces: Bool)
  case routeGone(NetlinkRoute)
  /// A list is complete.
  case done
  /// A question was refused, with the number of the error; zero is none.
  case refused(Int32)
  /// Notices were lost.
  case overrun
}

/// A network interface.
struct NetlinkLink: Sendable, Hashable {
  let index: Int32
  /// What kind of hardware it is; 1 is Ethernet.
  let type: UInt16
  let flags: UInt32
  var name = ""
  /// What made it, such as `veth` or `wireguard`; empty for hardware.
  var kind = ""

  /// Whether it was switched on.
  var isUp: Bool { flags & 0x1 != 0 }

  /// Whether something can go through it: up, running, plugged in, and not loopback.
  var isUsable: Bool { flags & 0x8 == 0 && flags & 0x1_0041 == 0x1_0041 }
}

/// An address of an interface, without the flags that come and go.
struct NetlinkAddress: Sendable, Hashable {
  let index: Int32
  let family: UInt8
  let prefixLength: UInt8
  let bytes: [UInt8]
}

/// A way to somewhere.
struct NetlinkRoute: Sendable, Hashable {
  struct Hop: Sendable, Hashable {
    let index: Int32
    let gateway: [UInt8]
  }

  /// What a route that replaces another one has in common with it.
  struct Key: Sendable, Hashable {
    let family: UInt8
    let table: UInt32
    let metric: UInt32
    let service: UInt8
    let length: UInt8
    let destination: [UInt8]
  }

  let key: Key
  let hops: [Hop]
}

/// A message and what its header says.
struct NetlinkMessage {
  let sequence: UInt32
  /// Whether the list that it belongs to changed while it was written.
  let isInterrupted: Bool
  /// Nil for what is of no interest, or not whole.
  let notice: NetlinkNotice?

  /// Reads all messages of a datagram, as far as they are whole.
  static func all(in datagram: UnsafeRawBufferPointer) -> [NetlinkMessage] {
    var messages: [NetlinkMessage] = []
    var rest = NetlinkBytes(datagram[...])
    while let length = rest.integer(UInt32.self, at: 0), length >= 16,
      let type = rest.integer(UInt16.self, at: 4), let flags = rest.integer(UInt16.self, at: 6),
      let sequence = rest.integer(UInt32.self, at: 8), let body = rest.part(16, Int(length))
    {
      messages.append(
        NetlinkMessage(
          sequence: sequence, isInterrupted: flags & 0x10 != 0,
          notice: notice(of: type, flags: flags, body)))
      rest = rest.dropping(aligned: Int(length))
    }
    return messages
  }

  private static func notice(
    of type: UInt16, flags: UInt16, _ body: NetlinkBytes
  ) -> NetlinkNotice? {
    switch type {
    case 2: body.integer(Int32.self, at: 0).map { .refused($0 == .min ? .max : abs($0)) }
    case 3: .done
    case 4: .overrun
    case 16: link(body).map { .link($0) }
    case 17: link(body).map { .linkGone($0.index) }
    case 20: address(body).map { .address($0.address, isUsable: $0.isUsable) }
    case 21: address(body).map { .addressGone($0.address) }
    case 24: route(body).map { .route($0, replaces: flags & 0x100 != 0) }
    case 25: route(body).map { .routeGone($0) }
    default: nil
    }
  }

  private static func link(_ body: NetlinkBytes) -> NetlinkLink? {
    // Of another family it is about a port of a bridge, not about the link.
    guard body.integer(UInt8.self, at: 0) == 0, let type = body.integer(UInt16.self, at: 2),
      let index = body.integer(Int32.self, at: 4), index > 0,
      let flags = body.integer(UInt32.self, at: 8)
    else { return nil }
    var link = NetlinkLink(index: index, type: type, flags: flags)
    body.attributes(after: 16) { kind, value in
      switch kind {
      case 3: link.name = value.text
      case 18: value.attributes(after: 0) { if $0 == 1 { link.kind = $1.text } }
      default: break
      }
    }
    return link
  }

  private static func address(
    _ body: NetlinkBytes
  ) -> (address: NetlinkAddress, isUsable: Bool)? {
    guard let family = body.integer(UInt8.self, at: 0),
      let length = body.integer(UInt8.self, at: 1),
      let shortFlags = body.integer(UInt8.self, at: 2),
      let scope = body.integer(UInt8.self, at: 3), let index = body.integer(Int32.self, at: 4)
    else { return nil }
    var flags = UInt32(shortFlags)
    var (peer, local) = ([UInt8](), [UInt8]())
    body.attributes(after: 8) { kind, value in
      switch kind {
      case 1: peer = value.array
      case 2: local = value.array
      case 8: flags = value.integer(UInt32.self, at: 0) ?? flags
      default: break
      }
    }
    // Those of a link alone lead nowhere; those that are still being tried out may be refused.
    guard scope == 0, let size = addressSize(family) else { return nil }
    let bytes = local.isEmpty ? peer : local
    guard bytes.count == size, Int(length) <= size * 8 else { return nil }
    return (
      NetlinkAddress(index: index, family: family, prefixLength: length, bytes: bytes),
      flags & 0x48 == 0
    )
  }

  private static func route(_ body: NetlinkBytes) -> NetlinkRoute? {
    guard let family = body.integer(UInt8.self, at: 0), let size = addressSize(family),
      let length = body.integer(UInt8.self, at: 1), Int(length) <= size * 8,
      let service = body.integer(UInt8.self, at: 3),
      let shortTable = body.integer(UInt8.self, at: 4),
      // Only those that lead somewhere, not those that refuse, and no copies of a cache.
      body.integer(UInt8.self, at: 7) == 1, let flags = body.integer(UInt32.self, at: 8),
      flags & 0x200 == 0
    else { return nil }
    var (table, metric) = (UInt32(shortTable), UInt32(0))
    var (destination, gateway, index) = ([UInt8](), [UInt8](), Int32(0))
    var hops: [NetlinkRoute.Hop] = []
    body.attributes(after: 12) { kind, value in
      switch kind {
      case 1: destination = value.array
      case 4: index = value.integer(Int32.self, at: 0) ?? 0
      case 5: gateway = value.array
      case 6: metric = value.integer(UInt32.self, at: 0) ?? 0
      case 9: hops = self.hops(value)
      case 15: table = value.integer(UInt32.self, at: 0) ?? table
      case 18: gateway = Array(value.array.dropFirst(2))
      default: break
      }
    }
    guard destination.count == size || length == 0 && destination.isEmpty else { return nil }
    if hops.isEmpty { hops = [.init(index: index, gateway: gateway)] }
    let key = NetlinkRoute.Key(
      family: family, table: table, metric: metric, service: service, length: length,
      destination: length == 0 ? [] : destination)
    return NetlinkRoute(key: key, hops: hops)
  }

  private static func hops(_ list: NetlinkBytes) -> [NetlinkRoute.Hop] {
    var hops: [NetlinkRoute.Hop] = []
    var rest = list
    while let length = rest.integer(UInt16.self, at: 0), length >= 8,
      let index = rest.integer(Int32.self, at: 4), let hop = rest.part(0, Int(length))
    {
      var gateway: [UInt8] = []
      hop.attributes(after: 8) { kind, value in
        if kind == 5 { gateway = value.array }
        if kind == 18 { gateway = Array(value.array.dropFirst(2)) }
      }
      hops.append(.init(index: index, gateway: gateway))
      rest = rest.dropping(aligned: Int(length))
    }
    return hops
  }

  /// How long an address of a family is; nil for families other than IPv4 and IPv6.
  static func addressSize(_ family: UInt8) -> Int? { family == 2 ? 4 : family == 10 ? 16 : nil }
}

/// Bytes that nobody vouches for.
struct NetlinkBytes {
  private let bytes: Slice<UnsafeRawBufferPointer>

  init(_ bytes: Slice<UnsafeRawBufferPointer>) { self.bytes = bytes }

  /// A number in the order of this machine; nil where the bytes end before.
  func integer<T: FixedWidthInteger>(_ type: T.Type, at offset: Int) -> T? {
    guard offset >= 0, bytes.count - offset >= MemoryLayout<T>.size else { return nil }
    return UnsafeRawBufferPointer(rebasing: bytes).loadUnaligned(fromByteOffset: offset, as: type)
  }

  /// What lies between two offsets; nil where the bytes end before.
  func part(_ start: Int, _ end: Int) -> NetlinkBytes? {
    guard start <= end, end <= bytes.count else { return nil }
    return NetlinkBytes(bytes.dropFirst(start).prefix(end - start))
  }

  /// What comes after so many bytes and those that fill them up to a multiple of four.
  func dropping(aligned length: Int) -> NetlinkBytes {
    NetlinkBytes(bytes.dropFirst((length + 3) & ~3))
  }

  /// The attributes after a header, as far as they are whole.
  func attributes(after header: Int, _ body: (_ kind: UInt16, NetlinkBytes) -> Void) {
    guard var rest = part(header, bytes.count) else { return }
    while let length = rest.integer(UInt16.self, at: 0), length >= 4,
      let kind = rest.integer(UInt16.self, at: 2), let value = rest.part(4, Int(length))
    {
      body(kind & 0x3fff, value)
      rest = rest.dropping(aligned: Int(length))
    }
  }

  var array: [UInt8] { Array(bytes) }

  /// A text up to its zero.
  var text: String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
}
