// SPDX-License-Identifier: Apache-2.0

/// What the kernel said so far, and what it means.
///
/// Only routes that can matter are kept: default routes, and those to the peers that the app named.
struct NetlinkTable: Sendable {
  /// Addresses of services that are reached without a default route.
  let peers: [[UInt8]]

  private var links: [Int32: NetlinkLink] = [:]
  private var addresses: [NetlinkAddress: Bool] = [:]
  private var routes: Set<NetlinkRoute> = []

  init(peers: [[UInt8]] = []) { self.peers = peers }

  /// Takes a notice in.
  ///
  /// - Parameter notice: The notice.
  /// - Returns: Whether the kernel may have changed more than it says: it does not tell of the
  ///   routes that go with an address or with a link that is switched off.
  mutating func apply(_ notice: NetlinkNotice) -> Bool {
    switch notice {
    case .link(let link):
      let wasUp = links.updateValue(link, forKey: link.index)?.isUp ?? false
      guard wasUp, !link.isUp else { return false }
      // Those of IPv4 are gone without a word.
      routes = routes.filter { !($0.key.family == 2 && $0.leads(through: link.index)) }
      return true
    case .linkGone(let index):
      guard links.removeValue(forKey: index) != nil else { return false }
      addresses = addresses.filter { $0.key.index != index }
      routes = routes.filter { !$0.leads(through: index) }
      return true
    case .address(let address, let isUsable):
      addresses[address] = isUsable
      return false
    case .addressGone(let address):
      return addresses.removeValue(forKey: address) != nil
    case .route(let route, let replaces):
      guard matters(route) else { return false }
      if replaces { routes = routes.filter { $0.key != route.key } }
      routes.insert(route)
      return false
    case .routeGone(let route):
      guard matters(route) else { return false }
      // One of several hops is told as a route of its own.
      return routes.remove(route) == nil
    case .done, .refused, .overrun:
      return false
    }
  }

  private func matters(_ route: NetlinkRoute) -> Bool {
    // Table 255 holds the addresses of this machine.
    guard route.key.table != 255 else { return false }
    return route.key.length == 0 || peers.contains { route.key.covers($0) }
  }

  /// What it all means.
  ///
  /// - Parameter kind: What an interface is.
  /// - Returns: The same for everything that means the same.
  func observation(
    kind: (NetlinkLink) -> Connectivity.Interface
  ) -> Connectivity.Observation {
    guard !links.isEmpty else { return Connectivity.Observation() }
    let usable = links.values.filter(\.isUsable).sorted { $0.index < $1.index }
    let ways = waysOut(Set(usable.map(\.index)))
    let carriers = ways.isEmpty ? usable : ways.compactMap { links[$0.hop.index] }
    var interfaces: [Connectivity.Interface] = []
    for link in carriers {
      let kind = kind(link)
      if !interfaces.contains(kind) { interfaces.append(kind) }
    }
    return Connectivity.Observation(
      link: usable.isEmpty ? .down : .up, route: ways.isEmpty ? .missing : .present,
      interfaces: interfaces, isExpensive: interfaces.first == .cellular,
      identity: identity(of: ways))
  }

  private typealias Way = (route: NetlinkRoute, hop: NetlinkRoute.Hop)

  /// The hops that lead out, the preferred one first.
  private func waysOut(_ usable: Set<Int32>) -> [Way] {
    guard !usable.isEmpty else { return [] }
    // A router may announce itself where nobody gives out addresses.
    let hasIPv6 = addresses.contains {
      $0.key.family == 10 && $0.value && usable.contains($0.key.index)
    }
    return
      routes
      .filter { $0.key.family != 10 || hasIPv6 }
      .flatMap { route in route.hops.map { (route, $0) } }
      .filter { usable.contains($0.1.index) }
      .sorted { ($0.0.key.metric, $0.1.index) < ($1.0.key.metric, $1.1.index) }
  }

  /// Tells one network from another by gateways and addresses.
  ///
  /// Addresses of IPv6 change by themselves within a prefix, for privacy; so the prefix counts.
  private func identity(of ways: [Way]) -> String {
    guard !ways.isEmpty else { return "" }
    let carriers = Set(ways.map(\.hop.index))
    let gateways = ways.map { "\($0.hop.index)>\(Self.hex($0.hop.gateway))" }
    let own = addresses.filter { $0.value && carriers.contains($0.key.index) }.keys.map {
      "\($0.index)@\(Self.hex($0.bytes.prefix($0.family == 10 ? 8 : 4)))"
    }
    return Set(gateways + own).sorted().joined(separator: " ")
  }

  private static func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String($0, radix: 16) }.joined(separator: ".")
  }
}

extension NetlinkRoute {
  func leads(through index: Int32) -> Bool { hops.contains { $0.index == index } }
}

extension NetlinkRoute.Key {
  /// Whether an address lies where the route leads to.
  func covers(_ address: [UInt8]) -> Bool {
    guard address.count == NetlinkMessage.addressSize(family), length > 0,
      destination.count == address.count
    else { return false }
    let (whole, bits) = (Int(length) / 8, Int(length) % 8)
    guard address.prefix(whole) == destination.prefix(whole) else { return false }
    guard bits > 0, whole < address.count else { return true }
    let mask = UInt8(truncatingIfNeeded: 0xff00 >> bits)
    return address[whole] & mask == destination[whole] & mask
  }
}

extension NetlinkLink {
  /// What it is.
  ///
  /// - Parameter deviceType: What the system calls it, such as `wlan`; nil where it says nothing.
  /// - Returns: The kind of interface.
  func interface(deviceType: String?) -> Connectivity.Interface {
    switch (deviceType, type) {
    case ("wlan", _): .wifi
    case ("wwan", _), (_, 519): .cellular
    // The end of a cable into a container is as good as one.
    case (nil, 1) where kind.isEmpty || kind == "veth": .wired
    default: .other
    }
  }
}
