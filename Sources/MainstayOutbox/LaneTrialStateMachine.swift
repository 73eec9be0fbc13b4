// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// When a lane that waits for a person is tried again, as a value: nobody may ever say that they
/// have signed in, and whether they have is known only to the other side.
///
/// | Event | The next trial |
/// |---|---|
/// | the lane is found closed, as when the outbox is opened | at once |
/// | a run is refused, and closes the lane | after ``shortest`` |
/// | the trial is given back before it began | at once |
/// | the trial is refused as well | after twice the time of the last wait, up to ``longest`` |
/// | the trial ends otherwise, without an answer | after ``shortest`` |
/// | the trial is let in | none: the lane is open |
/// | somebody has signed in, or resumed it | none: the lane is open |
///
/// A trial is one operation, and no other one begins in its lane meanwhile.
package struct LaneTrialStateMachine: Sendable, Equatable {
  /// What the end of a run says about its lane.
  package enum End: Sendable, Equatable {
    /// It was refused for want of a person, and the lane is closed.
    case refused
    /// It was the trial, and the lane is open.
    case opened
    /// Nothing.
    case neutral
  }

  private struct Closure: Equatable {
    var next: Duration
    /// What was waited for the last trial; nil where there was no wait.
    var wait: Duration?
    /// The run that tries it out.
    var trial: Lease?
    var isTold = false
  }

  /// How long it takes until the first trial after a refusal.
  ///
  /// A person who is asked at once has signed in by then, and a trial costs the other side one
  /// request.
  package static let shortest = Duration.seconds(300)
  /// The longest wait for a trial.
  package static let longest = Duration.seconds(3600)

  private var closures: [Lane: Closure] = [:]

  /// No lane waits for a person.
  package init() {}

  /// The lanes that may be tried now.
  package func due(at now: Duration) -> Set<Lane> {
    Set(closures.filter { $1.next <= now }.keys)
  }

  /// When the next one may be tried that may not be yet; nil where there is none.
  package func nextLook(at now: Duration) -> Duration? {
    closures.values.map(\.next).filter { $0 > now }.min()
  }

  /// A lane was closed before anybody here knew of it.
  ///
  /// - Parameters:
  ///   - lane: The lane.
  ///   - first: When it is tried first.
  package mutating func found(_ lane: Lane, at first: Duration) {
    if closures[lane] == nil { closures[lane] = Closure(next: first) }
  }

  /// A run begins that tries a lane out.
  ///
  /// - Returns: False where another one does so already: it must not begin.
  package mutating func begins(_ lease: Lease, in lane: Lane, at now: Duration) -> Bool {
    guard var closure = closures[lane], closure.next <= now else { return false }
    // Where nobody hears of its end, another one has its turn.
    closure.next = now + (closure.wait ?? Self.shortest)
    closure.trial = lease
    closures[lane] = closure
    return true
  }

  /// A run that was to try its lane out is given back before it began.
  package mutating func gaveBack(_ lease: Lease, in lane: Lane, at now: Duration) {
    guard isTrial(lease, in: lane) else { return }
    closures[lane]?.trial = nil
    closures[lane]?.next = now
  }

  /// Whether a run tries its lane out.
  package func isTrial(_ lease: Lease, in lane: Lane) -> Bool { closures[lane]?.trial == lease }

  /// There was nothing to try a lane out with, and each look for that costs something.
  package mutating func foundNothing(in lane: Lane, at now: Duration) {
    closures[lane]?.next = now + Self.shortest
  }

  /// A run has ended.
  ///
  /// - Parameters:
  ///   - lease: Its lease.
  ///   - lane: Its lane.
  ///   - end: What that says.
  ///   - now: The time.
  /// - Returns: Whether that is news to tell: the lane is closed, or it is open again.
  package mutating func ended(
    _ lease: Lease, in lane: Lane, _ end: End, at now: Duration
  ) -> Bool {
    let isTrial = isTrial(lease, in: lane)
    switch end {
    case .opened: return opened(lane)
    case .neutral:
      guard isTrial else { return false }
      closures[lane]?.trial = nil
      closures[lane]?.next = now + Self.shortest
      return false
    case .refused:
      var closure = closures[lane] ?? Closure(next: now)
      let isFirst = !closure.isTold
      if isTrial || closures[lane] == nil {
        let wait = closure.wait.map { min($0 * 2, Self.longest) } ?? Self.shortest
        (closure.next, closure.wait, closure.trial) = (now + wait, wait, nil)
      }
      closure.isTold = true
      closures[lane] = closure
      return isFirst
    }
  }

  /// A lane waits for nobody any more.
  ///
  /// - Returns: Whether it was told that it does.
  package mutating func opened(_ lane: Lane) -> Bool {
    closures.removeValue(forKey: lane)?.isTold ?? false
  }

  /// The lanes that wait for a person, as far as that is known.
  package var lanes: Set<Lane> { Set(closures.keys) }
}

extension OperationVerdict {
  /// Whether the other side has let in who asked, whatever it said to that.
  ///
  /// - Parameter error: What the run ended with; one that never left says nothing about that.
  /// - Returns: Whether it has.
  func letsIn(_ error: AppError?) -> Bool {
    if error?.metadata["http.sent"] == "no" { return false }
    return switch next {
    case .done, .conflicted, .dropped: true
    case .dead(let reason, _): reason == .refused || reason == .keyReused
    case .ready, .scheduled, .waiting, .parked, .cancelled: false
    }
  }
}
