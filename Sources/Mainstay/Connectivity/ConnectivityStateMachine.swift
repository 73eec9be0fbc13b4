// SPDX-License-Identifier: Apache-2.0

/// What is known about the connection, and what follows from it.
///
/// It has no clock, no lock and no chance of its own. A reading that is not later than the latest
/// one means that no time has passed. Four things are put in: what the system says, what became of
/// the app's own calls, what a probe found, and that time has passed. Out comes what changed.
package struct ConnectivityStateMachine: Sendable {
  struct Settings: Sendable, Equatable {
    var window = Duration.milliseconds(50)
    var upDelay = Duration.seconds(2)
    var downDelay = Duration.seconds(3)
    var calmFlips = 4
    var maximumHold = Duration.seconds(60)
    var improvementDelay = Duration.seconds(1)
    var halfLife = Duration.seconds(60)
    /// How often a probe may ask; nil where there is no probe.
    var probing: Probing?
  }

  /// How often a probe may ask.
  struct Probing: Sendable, Equatable {
    var interval = Duration.seconds(5)
    var maximumInterval = Duration.seconds(600)
  }

  /// The opinion without its evidence; two that are equal mean the same.
  struct Opinion: Sendable, Equatable {
    var network = Connectivity.Observation()
    var networkID: UInt64 = 0
    var internet = Connectivity.Internet.unknown
    var standing = Connectivity.Standing.unknown
  }

  /// What the shell has to do after a step.
  struct Effects: Sendable, Equatable {
    var updates = false
    var presents = false
    var changesStatus = false
    var improves = false
    /// The number of the probe to be sent.
    var probe: UInt64?
  }

  /// How often each thing was told.
  struct Counts: Sendable, Equatable {
    var updates: UInt64 = 0
    var presentations: UInt64 = 0
    var statuses: UInt64 = 0
    var improvements: UInt64 = 0
  }

  let settings: Settings
  var latest: Duration

  // What was found.
  var network = Connectivity.Observation()
  var networkSince: Duration
  /// Since when what is found is about this network, in this state.
  var memorySince: Duration
  var networkID: UInt64 = 0
  private var lastIdentity: String?
  var internet = Connectivity.Internet.unknown
  /// Who said so, and when it was last confirmed.
  var internetSource = Connectivity.Source.nobody
  var internetAt: Duration
  /// The newest two successes that do not depend on each other.
  var successes: [Success] = []
  var lastSuccess: Duration?
  var failures: [Failure] = []
  var probeFinding: (verdict: ConnectivityProbe.Verdict, at: Duration)?

  // Claims that nothing would arrive.
  var claimedSince: Duration?
  var isClaimConfirmed = false
  /// How much more than usual has to speak against the connection.
  var caution = 0
  /// How many claims a call has disproved.
  var falseClaims = 0

  // What was told.
  /// How things stand.
  private(set) var actual = Opinion()
  /// Since when standing and internet are as they are.
  private(set) var since: Duration
  private(set) var published = Opinion()
  private(set) var publishedSince: Duration
  private(set) var shown = Opinion()
  private(set) var shownSince: Duration
  private(set) var status = ConnectionStatus.connected
  private(set) var counts = Counts()
  private var windowEnd: Duration
  private var damper: ConnectivityDamper
  private var improvementDue: Duration?
  /// Whether it seems to be back, while it is presented as gone.
  private var seemsBack = false
  /// When it no longer seems so, unless it comes back again.
  private var backUntil: Duration?

  // The probe.
  var probeDue: Duration?
  var probeRunning: UInt64?
  var probeCount: UInt64 = 0
  var probeInterval: Duration
  var lastProbe: Duration?

  init(_ settings: Settings = Settings(), now: Duration) {
    let now = Self.bounded(now)
    self.settings = settings
    (latest, networkSince, internetAt, since) = (now, now, now, now)
    memorySince = now
    (publishedSince, shownSince, windowEnd) = (now, now, now)
    damper = ConnectivityDamper(settings)
    probeInterval = settings.probing?.interval ?? .zero
  }

  // Readings beyond these bounds are cut to them, so that neither a sum nor a difference overflows.
  static func bounded(_ now: Duration) -> Duration {
    min(max(now, .seconds(Int64.min / 4)), .seconds(Int64.max / 4))
  }

  /// How long a call that was on its way may still be answered after the network has gone.
  static let grace = Duration.seconds(1)
}

// What is put in.
extension ConnectivityStateMachine {
  /// The system says how it is connected.
  mutating func observe(
    _ observation: Connectivity.Observation, now: Duration, random: inout SplitMix64
  ) -> Effects {
    advance(to: now)
    if observation != network {
      let (wasNegative, wasPositive) = (network.isNegative, network.isPositive)
      network = observation
      networkSince = latest
      let isOther = !observation.identity.isEmpty && observation.identity != lastIdentity
      // It was so before, and nobody knew it yet.
      let isFirst = lastIdentity == nil && wasNegative == observation.isNegative
      if isOther {
        if lastIdentity != nil { networkID += 1 }
        lastIdentity = observation.identity
      }
      // What was found on another network, or before the cut, says nothing any more.
      let isOtherwise = isOther || wasNegative != observation.isNegative
      if isOtherwise { forget() }
      if isOtherwise, !isFirst { memorySince = latest }
      if isOtherwise || wasPositive != observation.isPositive { wantProbe(.change) }
      if observation.isNegative { probeDue = nil }
    }
    return settle(&random)
  }

  /// A call of the app's own has ended.
  ///
  /// - Parameters:
  ///   - traffic: What became of it.
  ///   - peer: Whom it was sent to.
  ///   - duration: How long it took; nil where nobody knows.
  ///   - now: The reading of the clock.
  ///   - random: The source of chance.
  /// - Returns: What follows.
  mutating func record(
    _ traffic: Connectivity.Traffic, from peer: String?, lasting duration: Duration? = nil,
    now: Duration, random: inout SplitMix64
  ) -> Effects {
    advance(to: now)
    let isOfBefore = duration.map { Self.bounded($0) > latest - memorySince }
    switch traffic {
    case .delivered: succeed(peer, isOfBefore: isOfBefore)
    case .failed(let kind): fail(kind, peer, isOfBefore: isOfBefore)
    }
    return settle(&random)
  }

  /// A probe has an answer.
  ///
  /// - Parameters:
  ///   - verdict: What it found; nil where it was cancelled.
  ///   - run: Its number; an answer from another network, or one that comes twice, is not heeded.
  ///   - now: The reading of the clock.
  ///   - random: The source of chance.
  /// - Returns: What follows.
  mutating func probed(
    _ verdict: ConnectivityProbe.Verdict?, run: UInt64, now: Duration, random: inout SplitMix64
  ) -> Effects {
    advance(to: now)
    if run == probeRunning {
      probeRunning = nil
      if let verdict {
        conclude(verdict, &random)
      } else if case .portal = internet {
        // Nobody else finds out when it is over.
        planNextProbe(isSame: true, random: &random)
      }
    }
    return settle(&random)
  }

  /// Somebody suspects that things are not as they are said to be.
  mutating func suspect(now: Duration, random: inout SplitMix64) -> Effects {
    advance(to: now)
    wantProbe(.suspicion)
    return settle(&random)
  }

  /// Somebody wants to know now.
  mutating func demand(now: Duration, random: inout SplitMix64) -> Effects {
    advance(to: now)
    wantProbe(.demand)
    return settle(&random)
  }

  /// Time has passed, at least up to ``nextWake``.
  mutating func wake(now: Duration, random: inout SplitMix64) -> Effects {
    advance(to: now)
    return settle(&random)
  }

  /// When it has to be woken at the latest; nil where nothing depends on time, as most of the time.
  var nextWake: Duration? {
    let expiry = isHeldByFailures ? failures.map { $0.at + settings.halfLife }.min() : nil
    return [
      actual == published ? nil : windowEnd, damper.nextWake, improvementDue, backUntil,
      probeRunning == nil ? probeDue : nil, expiry, portalExpiry,
    ].compactMap(\.self).min()
  }

  /// Whether it is the app's own calls that say that nothing arrives, or may not.
  private var isHeldByFailures: Bool {
    if failures.isEmpty { return false }
    if internet == .unvalidated, internetSource == .traffic { return true }
    return actual.standing == .offline && !network.isNegative
  }
}

// What comes out.
extension ConnectivityStateMachine {
  /// Time has passed; what is too old is forgotten before anything is added to it.
  private mutating func advance(to now: Duration) {
    latest = max(latest, Self.bounded(now))
    failures.removeAll { latest - $0.at >= settings.halfLife }
    let isOver = portalExpiry.map { latest >= $0 } ?? false
    if isOver || failures.isEmpty && internet == .unvalidated && internetSource == .traffic {
      (internet, internetSource, internetAt) = (.unknown, .nobody, latest)
    }
  }

  private mutating func settle(_ random: inout SplitMix64) -> Effects {
    var effects = Effects()
    let new = Opinion(
      network: network, networkID: networkID, internet: internet, standing: standing)
    if new != actual { change(to: new) }
    if actual != published, latest >= windowEnd {
      published = actual
      publishedSince = since
      windowEnd = latest + settings.window
      counts.updates += 1
      effects.updates = true
    }
    damper.step(.init(published.standing), now: latest, random: &random)
    if damper.shown == .init(published.standing), shown != published {
      shown = published
      shownSince = publishedSince
      counts.presentations += 1
      effects.presents = true
    }
    lookBack()
    let status = ConnectionStatus(shown: shown, actual: published, seemsBack: seemsBack)
    if status != self.status {
      self.status = status
      counts.statuses += 1
      effects.changesStatus = true
    }
    if let due = improvementDue, latest >= due {
      improvementDue = nil
      counts.improvements += 1
      effects.improves = true
    }
    effects.probe = startProbe()
    return effects
  }

  /// Looks whether it seems to be back.
  ///
  /// That is shown at once, and lasts for as long as something worse has to last before it is
  /// presented. So whoever reads it does not see each coming and going.
  private mutating func lookBack() {
    guard !shown.standing.isWorthTrying else {
      (seemsBack, backUntil) = (false, nil)
      return
    }
    if published.standing.isWorthTrying {
      (seemsBack, backUntil) = (true, nil)
    } else if seemsBack {
      let end = backUntil ?? latest + damper.hold
      backUntil = end
      if latest >= end { (seemsBack, backUntil) = (false, nil) }
    }
  }

  private mutating func change(to new: Opinion) {
    let old = actual
    actual = new
    if old.standing != new.standing || old.internet != new.internet { since = latest }
    if new.standing != .offline {
      claimedSince = nil
    } else if old.standing != .offline {
      claimedSince = latest
      isClaimConfirmed = false
    }
    guard new.standing.isWorthTrying else {
      improvementDue = nil
      return
    }
    let hasRisen = !old.standing.isWorthTrying
    let hasMoved = old.networkID != new.networkID
    let isConfirmed = old.internet == .unvalidated && new.internet == .validated
    if hasRisen || hasMoved || isConfirmed { improvementDue = latest + settings.improvementDelay }
  }
}
