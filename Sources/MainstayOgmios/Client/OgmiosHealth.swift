// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import MainstayHTTP

/// How an Ogmios server and the node behind it are.
public struct OgmiosHealth: Sendable, Hashable {
  /// How far the node is.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// It is connected and has the whole chain.
    case synchronized
    /// It is connected and still catching up.
    case catchingUp
    /// The server has no connection to it.
    case disconnected
  }

  /// Who was asked: scheme, host and port.
  public let endpoint: String
  /// How far the node is.
  public let state: State
  /// The version of the server; nil where it does not say.
  public let version: String?
  /// The network, such as `mainnet`; nil where the server does not know.
  public let network: String?
  /// The end of the node's chain; nil where it is not known.
  public let tip: OgmiosTip?
  /// How much of the chain the node has, from 0 to 1; nil where it is not known, or no such number.
  public let synchronization: Double?
  /// The era; nil where it is not known.
  public let era: String?
  /// The epoch; nil where it is not known.
  public let epoch: UInt64?
  /// When the node's chain grew last; nil where it is not known.
  public let lastTipUpdate: Date?

  /// Reads an answer of `/health`, which is the same document for all three statuses.
  ///
  /// - Parameters:
  ///   - status: The status: 200, 202 or 500.
  ///   - body: The document.
  ///   - endpoint: Who was asked.
  /// - Throws: ``OgmiosError`` where it is no such answer.
  public init(status: Int, body: Data, endpoint: String) throws(OgmiosError) {
    guard let document = JSONValue(json: body), case .object = document else {
      // What stands in front of the server answers like that where the server is gone.
      let kind: OgmiosError.Kind = (200...299).contains(status) ? .invalidResponse : .http
      let error = HTTPError(status: status, method: "GET", url: endpoint, body: body)
      throw OgmiosError(
        kind, method: "health", endpoint: endpoint, cause: kind == .http ? error.appError : nil)
    }
    let reader = OgmiosReader(document, method: "health")
    switch (status, document["connectionStatus"]?.string) {
    case (_, "disconnected"), (500, _): state = .disconnected
    case (202, _): state = .catchingUp
    case (200, _): state = .synchronized
    default:
      let error = HTTPError(status: status, method: "GET", url: endpoint, body: body)
      throw OgmiosError(.http, method: "health", endpoint: endpoint, cause: error.appError)
    }
    self.endpoint = endpoint
    version = document["version"]?.string
    network = document["network"]?.string
    era = document["currentEra"]?.string
    epoch = try reader["currentEpoch"].optional { r throws(OgmiosError) in try r.natural() }
    tip = try reader["lastKnownTip"].optional { r throws(OgmiosError) in try OgmiosTip(r) }
    if case .number(let number)? = document["networkSynchronization"],
      let share = number.double, (0...1).contains(share)
    {
      synchronization = share
    } else {
      synchronization = nil
    }
    lastTipUpdate = try? reader["lastTipUpdate"].time()
  }
}
