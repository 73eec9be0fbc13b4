// SPDX-License-Identifier: Apache-2.0

import Mainstay

/// Whether something is said of the connection, by time: the pure part of ``ConnectionPresenter``.
struct ConnectionNotice: Sendable {
  enum Phase: Sendable, Equatable {
    case silent
    case shown
    case back(until: Duration)
    case putAway
  }

  private(set) var status = ConnectionStatus.connected
  private(set) var isPortal = false
  private(set) var phase = Phase.silent

  var isShown: Bool { phase != .silent && phase != .putAway }
  var isBack: Bool { if case .back = phase { true } else { false } }
  var nextChange: Duration? { if case .back(let until) = phase { until } else { nil } }

  /// The connection is so by now; the same again changes nothing.
  mutating func take(
    _ status: ConnectionStatus, isPortal: Bool, length: Duration, now: Duration
  ) {
    guard status != self.status || isPortal != self.isPortal else { return }
    let wasGone = self.status != .connected
    (self.status, self.isPortal) = (status, isPortal)
    guard status == .connected else { return phase = .shown }
    // Who put the banner away is told all the same that it is over, once.
    if wasGone { phase = .back(until: now + length) }
  }

  /// The person has read it.
  mutating func putAway() {
    switch phase {
    case .silent, .putAway: break
    case .back: phase = .silent
    case .shown: phase = .putAway
    }
  }

  mutating func advance(to now: Duration) {
    if case .back(let until) = phase, until <= now { phase = .silent }
  }
}
