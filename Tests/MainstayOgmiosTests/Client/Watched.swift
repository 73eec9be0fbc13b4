// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTPTesting
import MainstayJSONRPC
import MainstayOgmios
import TestSupport

/// A client whose events are written down, and that does not repeat by itself.
///
/// It gives up nothing that a test does not limit, however busy the machine is.
struct Watched: Sendable {
  let client: OgmiosClient
  let log: Log

  init(
    _ endpoints: [String], retry: Retry? = nil, clock: some Clock<Duration> = ContinuousClock(),
    _ change: (inout OgmiosClient.Options) -> Void = { _ in }
  ) throws {
    let log = Log()
    self.log = log
    var options = OgmiosClient.Options()
    options.retry = retry
    options.timeout = .patience
    options.webSocket.openTimeout = .patience
    options.webSocket.pingInterval = nil
    options.observer = { log.add(Self.told($0)) }
    change(&options)
    client = try OgmiosClient(endpoints: endpoints, options: options, clock: clock)
  }

  private static func told(_ event: OgmiosEvent) -> String {
    switch event {
    case .switched: "switched"
    case .failed(_, let kind): "failed \(kind.rawValue)"
    case .fellBackToHTTP: "fell back"
    case .restored: "restored"
    case .acquiredAgain: "acquired again"
    }
  }
}

/// The error of Ogmios that an operation ends with; nil for any other ending.
func failure<T>(_ operation: () async throws -> T) async -> OgmiosError? {
  do {
    _ = try await operation()
    return nil
  } catch {
    return error as? OgmiosError
  }
}

extension OgmiosChainStep {
  /// The step in two words.
  var told: String {
    switch self {
    case .forward(let block, _): "block \(block.slot ?? 0)"
    case .backward(.origin, _): "back to the beginning"
    case .backward(.block(let slot, _), _): "back \(slot)"
    }
  }
}
