// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Something that stands between an operation and its next run.
///
/// They are found by the rules by which operations are claimed. One without an obstacle is claimed
/// by the next free worker of its type, unless it has just expired: then it is about to be dropped.
/// Cases will be added, so a `switch` keeps an `@unknown default`.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
public enum Obstacle: Sendable, Hashable {
  /// A worker has it.
  case running
  /// Its time has not come: it was delayed, it failed, or the other side asked for it; and what
  /// went wrong last, where anything did.
  case notBefore(Date, after: FailureNote? = nil)
  /// An earlier operation with the same ordering key is not finished.
  case follows(OperationID)
  /// An earlier operation with the same ordering key was given up, and waits for a decision.
  case followsDeadLetter(OperationID)
  /// An operation that it needs is not finished.
  case needs(OperationID)
  /// An operation that it needs was given up, and waits for a decision.
  case needsDeadLetter(OperationID)
  /// Its lane is closed; nil until it is resumed.
  case lane(Lane, LaneClosure.Cause, until: Date?)
  /// Its kind is paused, until somebody resumes it.
  case kindPaused(OperationKind)
  /// Something does not hold that must hold while it is started.
  case constraint(OperationConstraint)
  /// This build has no worker for its kind and version.
  case noWorker(PayloadType)
  /// Its payload cannot be read.
  case unreadable
  /// Somebody else changed the same thing, and somebody has to decide.
  case conflict
  /// Its last run ended with the death of the process, so it is tried alone, once what runs has
  /// ended.
  case runsAlone
  /// Another one whose last run ended with the death of the process is tried alone first.
  case letsPass(OperationID)
  /// The whole outbox is paused.
  case paused
  /// A newer version has brought the store up to date, and this one may not work on it any more.
  case newerFormat
  /// As many operations of its type run as may run at once.
  case typeIsBusy(Int)
  /// The circuit of its worker is open; its name, which is that of the host where the worker names
  /// one, and for about how long, or nil until somebody who has isolated it lets go.
  case circuitIsOpen(String, Duration?)
  /// Another one tries out the circuit of its worker, which is not closed.
  case circuitIsProbed
  /// The limit of its worker is used up, or what its service takes; for about this long.
  case rateLimited(Duration)
  /// As many operations run as may run at once.
  case outboxIsBusy(Int)
  /// It was given up, and waits for a decision: why, in a word and in sentences, and when.
  case givenUp(DeadLetter.Reason, message: String, since: Date)
}

/// Why an operation does not run; see ``Outbox/explain(_:)``.
public struct OperationExplanation: Sendable, Hashable {
  /// The operation.
  public let id: OperationID
  /// Where it stands.
  public let state: OperationState
  /// All that stands in its way; empty where it is claimed by the next free worker.
  public let obstacles: [Obstacle]
  /// How long one attempt may take by its own wishes; nil where these name no limit.
  public let timeout: Duration?

  /// Makes an explanation; for tools.
  public init(
    id: OperationID, state: OperationState, obstacles: [Obstacle], timeout: Duration? = nil
  ) {
    self.timeout = timeout
    self.id = id
    self.state = state
    self.obstacles = obstacles
  }

  /// Why a dead letter does not run: it was given up.
  package init(_ letter: DeadLetter) {
    self.init(
      id: letter.id, state: .dead,
      obstacles: [.givenUp(letter.reason, message: letter.message, since: letter.since)],
      timeout: letter.operation.timeout)
  }

  /// The earliest time at which it can run; nil where no time alone lets it run.
  public var earliest: Date? {
    var earliest: Date?
    for obstacle in obstacles {
      switch obstacle {
      case .notBefore(let date, _), .lane(_, _, until: .some(let date)):
        earliest = max(earliest ?? date, date)
      // Its end has no date: it may be later than that of its lane, which it closed.
      case .circuitIsOpen(_, .some): break
      default: return nil
      }
    }
    return earliest
  }
}

extension Obstacle: CustomStringConvertible {
  /// A sentence, in English.
  public var description: String {
    switch self {
    case .running: "It is running."
    case .notBefore(let date, nil): "It runs at \(date.text) at the earliest."
    case .notBefore(let date, .some(let failure)):
      "It runs at \(date.text) at the earliest, since this went wrong: \(failure.message)"
    case .follows(let id): "It follows \(id), which is not finished."
    case .followsDeadLetter(let id): "It follows \(id), which was given up: \(Self.decision)."
    case .needs(let id): "It needs \(id), which is not finished."
    case .needsDeadLetter(let id): "It needs \(id), which was given up: \(Self.decision)."
    case .lane(let lane, let cause, let until): Self.text(lane, cause, until)
    case .kindPaused(let kind): "Its kind “\(kind)” is paused."
    case .constraint(let name): "“\(name)” does not hold now."
    case .noWorker(let type): "No worker is there for \(type.kind), version \(type.version)."
    case .unreadable: "Its payload can’t be read."
    case .conflict: "Somebody else changed the same thing: resolve the conflict."
    case .runsAlone: "Its last run ended with the app, so it is tried alone, after what runs now."
    case .letsPass(let id): "\(id), whose last run ended with the app, is tried alone first."
    case .paused: "The whole outbox is paused."
    case .newerFormat: "A newer version works on these changes now: update this one."
    case .typeIsBusy(let limit): "\(limit) of its kind run already, which is as many as may."
    case .circuitIsOpen(let name, .some(let wait)):
      "Calls of “\(name)” have failed, so it is left alone; the next try in \(wait)."
    case .circuitIsOpen(let name, nil): "Calls of “\(name)” are held back by hand."
    case .circuitIsProbed: "Another one tries out whether its service works again."
    case .rateLimited(let wait):
      "As many of its kind have begun as may begin in that time; the next in \(wait)."
    case .outboxIsBusy(let limit): "\(limit) operations run already, which is as many as may."
    case .givenUp(_, let message, let since):
      "It was given up at \(since.text). \(message) Redrive or discard it."
    }
  }

  private static let decision = "redrive or discard that"

  private static func text(_ lane: Lane, _ cause: LaneClosure.Cause, _ until: Date?) -> String {
    let why =
      switch cause {
      case .paused: "is paused"
      case .needsUser: "waits until somebody has signed in, or done what is asked for"
      case .throttled: "was asked to slow down"
      }
    return "Its lane “\(lane)” \(why)\(until.map { ", until \($0.text)" } ?? "")."
  }
}

extension Date {
  fileprivate var text: String { formatted(.iso8601) }
}
