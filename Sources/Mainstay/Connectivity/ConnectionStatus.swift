// SPDX-License-Identifier: Apache-2.0

/// How the connection is shown to a person, in one of four words.
///
/// It is read from the damped presentation of a ``ConnectivityMonitor``, so that it does not
/// flicker; see ``ConnectivityMonitor/statuses``.
public enum ConnectionStatus: String, Sendable, Hashable, Codable, CaseIterable {
  /// All is well, or nothing speaks against it.
  case connected
  /// It was gone and seems to be back; it becomes one of the others within a minute after it has
  /// stopped coming and going.
  case reconnecting
  /// There is no network.
  case disconnected
  /// There is a network, and nothing gets through it: somebody has to do something.
  case failed
}

extension ConnectionStatus {
  /// Reads the status.
  ///
  /// - Parameters:
  ///   - shown: What is presented.
  ///   - actual: How things stand, which may be ahead of what is presented.
  ///   - seemsBack: Whether it was well since it is presented as gone, and may still be.
  init(
    shown: ConnectivityStateMachine.Opinion, actual: ConnectivityStateMachine.Opinion,
    seemsBack: Bool
  ) {
    switch shown.standing {
    case .online, .unknown: self = .connected
    case .portal, .offline:
      if seemsBack {
        self = .reconnecting
      } else if actual.standing == .portal || actual.network.isPositive {
        self = .failed
      } else {
        self = .disconnected
      }
    }
  }
}
