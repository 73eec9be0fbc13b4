// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension Diagnostics.Section {
  /// How the device is connected, who says so, since when, and what that rests on.
  ///
  /// Neither the name of a network nor the address of a page to sign in is in it.
  ///
  /// - Parameter monitor: Who knows.
  /// - Returns: The section `connectivity`.
  public static func connectivity(_ monitor: ConnectivityMonitor) -> Self {
    Self("connectivity") { [weak monitor] in monitor.map(Connection.init) }
  }

  private struct Connection: Encodable {
    let status: ConnectionStatus
    let standing: Connectivity.Standing
    let link: Connectivity.Link
    let route: Connectivity.Route
    let internet: String
    let interfaces: [Connectivity.Interface]
    let isExpensive: Bool
    let isConstrained: Bool
    let confidence: Double
    let source: Connectivity.Source
    let since: Date
    /// How often it said "offline" and a call went through all the same.
    let falseClaims: Int
    let evidence: [Connectivity.Evidence]

    init(_ monitor: ConnectivityMonitor) {
      let current = monitor.current
      status = monitor.status
      standing = current.standing
      link = current.link
      route = current.route
      internet =
        switch current.internet {
        case .validated: "validated"
        case .portal: "portal"
        case .unvalidated: "unvalidated"
        case .unknown: "unknown"
        }
      interfaces = current.interfaces
      isExpensive = current.isExpensive
      isConstrained = current.isConstrained
      confidence = current.confidence
      source = current.source
      since = current.since
      falseClaims = monitor.falseClaims
      evidence = current.evidence
    }
  }
}
