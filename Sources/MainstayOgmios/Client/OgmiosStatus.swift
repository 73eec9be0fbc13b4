// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// How a client of Ogmios stands.
public struct OgmiosStatus: Sendable, Equatable {
  /// How one endpoint stands.
  public struct Endpoint: Sendable, Equatable {
    /// Scheme, host and port; the second endpoint of one host ends with `#2`, and so on.
    public let name: String
    /// How its own calls ended last.
    public let connection: ConnectionStatus
    /// What its breaker does.
    public let breaker: CircuitBreaker.State
    /// Whether it failed a short time ago, so that the others are asked first.
    public let isResting: Bool
    /// The last error of a call to it; nil where there was none.
    public let lastError: OgmiosError?
  }

  /// The endpoint that answered last; nil before the first answer.
  public let endpointInUse: String?
  /// How that endpoint stands, or the first one before the first answer.
  public let connection: ConnectionStatus
  /// All endpoints, in their order.
  public let endpoints: [Endpoint]
}
