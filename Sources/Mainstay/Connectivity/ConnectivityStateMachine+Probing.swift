// SPDX-License-Identifier: Apache-2.0

// When a probe is sent: on change, on suspicion and on demand, and never for its own sake.
extension ConnectivityStateMachine {
  enum Occasion: Sendable {
    /// The system says that something has changed.
    case change
    /// Something does not fit what is known.
    case suspicion
    /// Somebody asked.
    case demand
  }

  mutating func wantProbe(_ occasion: Occasion) {
    guard let probing = settings.probing else { return }
    switch occasion {
    case .change:
      guard !network.isNegative else { return }
      probeInterval = probing.interval
      // A network that comes and goes is not asked each time.
      probeDue = max(latest, lastProbe.map { $0 + min(probing.interval, .seconds(1)) } ?? latest)
    case .suspicion:
      // Where the system says that there is no network, a probe finds out nothing.
      guard !network.isNegative else { return }
      let earliest = lastProbe.map { $0 + probeInterval } ?? latest
      probeDue = min(probeDue ?? earliest, max(latest, earliest))
    case .demand:
      // Whoever asks while one is on its way is answered by it.
      if probeRunning == nil { probeDue = latest }
    }
  }

  /// The number of the probe to be sent now, if one is due and none is on its way.
  mutating func startProbe() -> UInt64? {
    guard probeRunning == nil, let due = probeDue, latest >= due else { return nil }
    probeDue = nil
    lastProbe = latest
    probeCount += 1
    probeRunning = probeCount
    return probeCount
  }

  /// After an answer: a network that is well is left alone, one that is not is asked again, each
  /// time after twice as long.
  mutating func planNextProbe(isSame: Bool, random: inout SplitMix64) {
    guard let probing = settings.probing else { return }
    let grown = Duration.clamped(seconds: probeInterval.inSeconds * 2)
    probeInterval = isSame ? min(grown, probing.maximumInterval) : probing.interval
    guard internet != .validated, !network.isNegative else { return }
    // Only ever shortened, so that the longest interval is one.
    let wait = probeInterval.inSeconds * (1 - 0.2 * random.fraction())
    probeDue = min(probeDue ?? .seconds(Int64.max / 2), latest + .clamped(seconds: wait))
  }
}
