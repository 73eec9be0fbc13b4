// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// How the device is connected, as far as anybody knows, and what that opinion rests on.
///
/// It is an opinion, never a gate: what a person asks for is tried whatever stands here. Background
/// work reads ``isWorthTrying``, for which "unknown" counts as online. Get one from
/// ``ConnectivityMonitor``.
public struct Connectivity: Sendable, Hashable, Codable {
  /// Whether there is a network to speak of.
  public enum Link: String, Sendable, Hashable, Codable, CaseIterable {
    /// An interface other than loopback is up, and so is what it is plugged into.
    case up
    /// No interface is.
    case down
    /// The system does not say.
    case unknown
  }

  /// Whether there is a way out of the nearest network.
  public enum Route: String, Sendable, Hashable, Codable, CaseIterable {
    /// There is a default route, or one to the peers that the app named.
    case present
    /// There is none.
    case missing
    /// The system does not say.
    case unknown
  }

  /// Whether what is sent arrives.
  public enum Internet: Sendable, Hashable {
    /// A probe or real traffic was answered.
    case validated
    /// A page to sign in to the network answers instead; its address, where it is known.
    case portal(URL?)
    /// What was sent did not arrive.
    case unvalidated
    /// Nothing was sent yet on this network.
    case unknown
  }

  /// The opinion in one word.
  public enum Standing: String, Sendable, Hashable, Codable, CaseIterable {
    /// The device is connected.
    case online
    /// Nothing would arrive.
    case offline
    /// A person has to sign in to the network first.
    case portal
    /// Nobody knows; it counts as online.
    case unknown
  }

  /// What the device is connected by; more may come, so keep an `@unknown default`.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum Interface: String, Sendable, Hashable, Codable, CaseIterable {
    /// A wireless local network.
    case wifi
    /// A mobile network.
    case cellular
    /// A cable, or what looks like one inside of a virtual machine.
    case wired
    /// Something else, such as a tunnel.
    case other
    /// The system does not say.
    case unknown
  }

  /// Who says so.
  public enum Source: String, Sendable, Hashable, Codable, CaseIterable {
    /// Nobody.
    case nobody
    /// The system.
    case system
    /// A ``ConnectivityProbe``.
    case probe
    /// The app's own calls.
    case traffic
  }

  /// Whether there is a network to speak of.
  public var link: Link
  /// Whether there is a way out of it.
  public var route: Route
  /// Whether what is sent arrives.
  public var internet: Internet
  /// The opinion in one word.
  public var standing: Standing
  /// What the device is connected by, the preferred one first; empty where the link is not up.
  public var interfaces: [Interface]
  /// Whether each byte costs money, as far as the system says.
  public var isExpensive: Bool
  /// Whether the person asked to save data.
  public var isConstrained: Bool
  /// Which network it is, counted from 0 since the monitor was made: connections that were opened
  /// on another one are likely to be dead.
  public var network: UInt64
  /// How sure it is, 0 to 1; it falls with time where nothing confirms it.
  public var confidence: Double
  /// Who decided ``standing``.
  public var source: Source
  /// Since when ``standing`` and ``internet`` are as they are.
  public var since: Date
  /// What it rests on, the newest first.
  public var evidence: [Evidence]

  /// Makes a value, such as for a test or a preview.
  public init(
    link: Link = .unknown, route: Route = .unknown, internet: Internet = .unknown,
    standing: Standing = .unknown, interfaces: [Interface] = [], isExpensive: Bool = false,
    isConstrained: Bool = false, network: UInt64 = 0, confidence: Double = 0,
    source: Source = .nobody, since: Date, evidence: [Evidence] = []
  ) {
    self.link = link
    self.route = route
    self.internet = internet
    self.standing = standing
    self.interfaces = interfaces
    self.isExpensive = isExpensive
    self.isConstrained = isConstrained
    self.network = network
    self.confidence = confidence
    self.source = source
    self.since = since
    self.evidence = evidence
  }

  /// Whether work that nobody waits for should be begun; "unknown" counts as online.
  ///
  /// What a person asked for is tried in any case: a wrong "offline" does more harm than a call
  /// that fails.
  public var isWorthTrying: Bool { standing.isWorthTrying }
}

extension Connectivity.Standing {
  /// Whether work that nobody waits for should be begun.
  public var isWorthTrying: Bool { self == .online || self == .unknown }
}

extension Connectivity.Internet: Codable {
  private enum CodingKeys: CodingKey {
    case state, signIn
  }

  private enum State: String, Codable {
    case validated, portal, unvalidated, unknown
  }

  /// Decodes `{"state": "portal", "signIn": "https://…"}`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self =
      switch try values.decode(State.self, forKey: .state) {
      case .validated: .validated
      case .portal: .portal(try values.decodeIfPresent(URL.self, forKey: .signIn))
      case .unvalidated: .unvalidated
      case .unknown: .unknown
      }
  }

  /// Encodes the state and, for a portal, the address of its page.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    let state: State
    switch self {
    case .validated: state = .validated
    case .portal(let url):
      state = .portal
      try values.encodeIfPresent(url, forKey: .signIn)
    case .unvalidated: state = .unvalidated
    case .unknown: state = .unknown
    }
    try values.encode(state, forKey: .state)
  }
}
