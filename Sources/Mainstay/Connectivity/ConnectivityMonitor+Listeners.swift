// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ConnectivityMonitor {
  /// Who listens to which sequence.
  struct Listeners: Sendable {
    let updates = Audience<Connectivity>()
    let presentation = Audience<Connectivity>()
    let statuses = Audience<ConnectionStatus>()
    let improvements = Audience<Connectivity>()

    func finish() {
      updates.finish()
      presentation.finish()
      statuses.finish()
      improvements.finish()
    }
  }
}

extension ConnectivityStateMachine {
  /// Which of the opinions.
  enum View {
    case actual
    case published
    case shown
  }

  /// An opinion as others see it.
  ///
  /// - Parameters:
  ///   - view: Which one.
  ///   - now: The reading of the clock.
  ///   - date: The time of day at that reading.
  /// - Returns: The opinion with its evidence.
  func connectivity(of view: View, now: Duration, date: Date) -> Connectivity {
    let now = max(latest, Self.bounded(now))
    func moment(_ reading: Duration) -> Date {
      date.addingTimeInterval(-(now - reading).clamped.inSeconds)
    }
    let (opinion, since) =
      switch view {
      case .actual: (actual, since)
      case .published: (published, publishedSince)
      case .shown: (shown, shownSince)
      }
    return Connectivity(
      link: opinion.network.link, route: opinion.network.route, internet: opinion.internet,
      standing: opinion.standing, interfaces: opinion.network.interfaces,
      isExpensive: opinion.network.isExpensive, isConstrained: opinion.network.isConstrained,
      network: opinion.networkID, confidence: confidence(at: now), source: source,
      since: moment(since),
      evidence: evidence(at: now, date: moment))
  }
}
