// SPDX-License-Identifier: Apache-2.0

import Foundation

// What each finding does to the opinion, and how much it weighs.
extension ConnectivityStateMachine {
  /// A call that was answered.
  struct Success: Sendable, Equatable {
    let peer: String?
    let at: Duration
  }

  /// A call that was not.
  struct Failure: Sendable, Equatable {
    let peer: String?
    let kind: ErrorKind
    let at: Duration

    /// What the device itself found weighs more than silence.
    var weight: Int { kind.sign == .unreachable ? 2 : 1 }
  }

  /// How many failures are kept; more change nothing.
  static let failureLimit = 16
  /// What speaks against the connection has to weigh this much, and ``caution`` more.
  static let threshold = 3
  static let maximumCaution = 3

  /// Forgets what was found on this network.
  mutating func forget() {
    (internet, internetSource, internetAt) = (.unknown, .nobody, latest)
    successes = []
    lastSuccess = nil
    failures = []
    probeFinding = nil
    // Its answer would be about another network.
    probeRunning = nil
  }

  mutating func succeed(_ peer: String?, isOfBefore: Bool?) {
    // It was on its way when the network went or came, and says nothing about what is now.
    if isOfBefore ?? (network.isNegative && latest - networkSince < Self.grace) { return }
    if let claimedSince, latest - claimedSince >= Self.grace {
      falseClaims += 1
      caution = min(caution + 1, Self.maximumCaution)
      self.claimedSince = nil
    }
    failures = []
    lastSuccess = latest
    let success = Success(peer: peer, at: latest)
    if successes.last.map({ isIndependent($0, success) }) ?? true {
      successes = successes.suffix(1) + [success]
    }
    // The page of a portal may look like an answer: it takes two, or a probe.
    if case .portal = internet, !hasTwoSuccesses {
      wantProbe(.suspicion)
    } else {
      (internet, internetSource, internetAt) = (.validated, .traffic, latest)
    }
  }

  private func isIndependent(_ first: Success, _ second: Success) -> Bool {
    if let one = first.peer, let other = second.peer, one != other { return true }
    return second.at - first.at >= .seconds(1)
  }

  private var hasSuccess: Bool { lastSuccess.map { latest - $0 <= settings.halfLife } ?? false }

  private var hasTwoSuccesses: Bool {
    successes.count == 2 && successes.allSatisfy { latest - $0.at <= settings.halfLife }
  }

  mutating func fail(_ kind: ErrorKind, _ peer: String?, isOfBefore: Bool?) {
    let before = internet
    switch kind.sign {
    case .nothing: return
    case .answered: return succeed(peer, isOfBefore: isOfBefore)
    // It is about the network that it began on, and says nothing about this one.
    case .unreachable where isOfBefore == true, .silent where isOfBefore == true,
      .portal where isOfBefore == true:
      return
    case .suspicious: return wantProbe(.suspicion)
    case .portal:
      successes = []
      (internet, internetSource, internetAt) = (.portal(knownPortal), .traffic, latest)
    case .unreachable, .silent:
      failures = failures.suffix(Self.failureLimit - 1)
      failures.append(Failure(peer: peer, kind: kind, at: latest))
      if claimedSince != nil, !isClaimConfirmed {
        isClaimConfirmed = true
        caution = max(0, caution - 1)
      }
      if case .portal = internet { break }
      if failureScore >= 2 {
        (internet, internetSource, internetAt) = (.unvalidated, .traffic, latest)
      }
    }
    // It is not well any more, so the probe begins anew: else nobody finds out for minutes.
    if internet != before, let probing = settings.probing { probeInterval = probing.interval }
    wantProbe(.suspicion)
  }

  /// When a portal that a call met is forgotten, so that somebody tries again; nil where a probe
  /// finds out.
  var portalExpiry: Duration? {
    guard case .portal = internet, settings.probing == nil else { return nil }
    return internetAt + settings.halfLife
  }

  /// The address of the portal that was found before.
  private var knownPortal: URL? { if case .portal(let url) = internet { url } else { nil } }

  mutating func conclude(_ verdict: ConnectivityProbe.Verdict, _ random: inout SplitMix64) {
    let isSame = probeFinding?.verdict == verdict
    probeFinding = (verdict, latest)
    switch verdict {
    case .validated:
      failures = []
      (internet, internetSource, internetAt) = (.validated, .probe, latest)
    case .portal(let url):
      guard !hasTwoSuccesses else { break }
      successes = []
      (internet, internetSource, internetAt) = (.portal(url), .probe, latest)
    case .notDelivered:
      if case .portal = internet { break }
      guard !hasSuccess else { break }
      (internet, internetSource, internetAt) = (.unvalidated, .probe, latest)
    }
    planNextProbe(isSame: isSame, random: &random)
  }

  /// What failed calls weigh; of one peer no more than it could know.
  private var failureScore: Int {
    var scores: [String?: Int] = [:]
    var strongest: [String?: Int] = [:]
    for failure in failures {
      strongest[failure.peer] = max(strongest[failure.peer] ?? 0, failure.weight)
      scores[failure.peer, default: 0] += failure.weight
    }
    return scores.reduce(0) { sum, score in
      sum + min(score.value, 1 + (strongest[score.key] ?? 1))
    }
  }

  /// How much speaks against the connection.
  private var score: Int {
    var score = failureScore
    if network.isNegative { score += Self.threshold }
    if internet == .unvalidated, case .notDelivered = probeFinding?.verdict { score += 1 }
    return score
  }

  /// The opinion in one word.
  var standing: Connectivity.Standing {
    switch internet {
    case .validated: .online
    case .portal: .portal
    case .unvalidated, .unknown:
      if score >= Self.threshold + caution {
        .offline
      } else if network.isPositive, internet == .unknown {
        .online
      } else {
        .unknown
      }
    }
  }

  /// Who decided the standing.
  var source: Connectivity.Source {
    switch actual.standing {
    case .online, .portal: internet == .unknown ? .system : internetSource
    case .offline:
      network.isNegative ? .system : internetSource == .nobody ? .traffic : internetSource
    case .unknown: internet == .unknown ? .nobody : internetSource
    }
  }

  /// How sure the opinion is.
  var confidence: Double { confidence(at: latest) }

  func confidence(at now: Duration) -> Double {
    switch source {
    case .nobody: 0
    case .system: actual.standing == .offline ? 0.9 - 0.2 * Double(caution) : 0.5
    case .probe: faded(0.9, since: internetAt, at: now)
    case .traffic:
      switch internet {
      case .validated: faded(hasTwoSuccesses ? 0.95 : 0.8, since: internetAt, at: now)
      case .portal: faded(0.8, since: internetAt, at: now)
      default:
        faded(1 - 1 / Double(1 + score), since: failures.last?.at ?? internetAt, at: now)
      }
    }
  }

  /// A weight after some time: half of it after each half-life.
  private func faded(_ weight: Double, since start: Duration, at now: Duration) -> Double {
    let age = max(.zero, now - start).inSeconds / settings.halfLife.inSeconds
    return weight * exp2(-age)
  }

  /// What the opinion rests on, the newest first.
  func evidence(
    at now: Duration, date: (Duration) -> Date
  ) -> [Connectivity.Evidence] {
    var found: [(at: Duration, evidence: Connectivity.Evidence)] = []
    func add(
      _ source: Connectivity.Source, _ finding: Connectivity.Evidence.Finding, _ at: Duration,
      _ weight: Double, kind: ErrorKind? = nil
    ) {
      found.append(
        (
          at,
          Connectivity.Evidence(
            source: source, finding: finding, kind: kind, date: date(at),
            confidence: source == .system ? weight : faded(weight, since: at, at: now))
        ))
    }
    let trust = 0.9 - 0.2 * Double(caution)
    switch network.link {
    case .up: add(.system, .linkUp, networkSince, 0.5)
    case .down: add(.system, .linkDown, networkSince, trust)
    case .unknown: break
    }
    switch network.route {
    case .present: add(.system, .routePresent, networkSince, 0.5)
    case .missing: add(.system, .routeMissing, networkSince, trust)
    case .unknown: break
    }
    switch probeFinding {
    case (.validated, let at)?: add(.probe, .answered, at, 0.9)
    case (.portal, let at)?: add(.probe, .portal, at, 0.9)
    case (.notDelivered(let kind), let at)?: add(.probe, .unanswered, at, 0.5, kind: kind)
    case nil: break
    }
    for success in successes { add(.traffic, .answered, success.at, 0.8) }
    if case .portal = internet, internetSource == .traffic {
      add(.traffic, .portal, internetAt, 0.8)
    }
    for failure in failures {
      add(
        .traffic, .unanswered, failure.at, failure.weight == 2 ? 0.7 : 0.5, kind: failure.kind)
    }
    // Of the same moment, what was found last stands first.
    return found.reversed().sorted { $0.at > $1.at }.map(\.evidence)
  }
}
