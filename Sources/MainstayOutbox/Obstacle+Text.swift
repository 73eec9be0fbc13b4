// SPDX-License-Identifier: Apache-2.0

public import Mainstay

extension Obstacle {
  /// What the change waits for, in a few words for the person who made it, in six languages.
  ///
  /// Unlike the sentence of ``description``, which is for support, it names neither operations nor
  /// moments: "Waits for you to sign in". What a person can do nothing about is one text.
  public var text: LocalizableText {
    switch self {
    case .running: Self.text("running", "Being sent")
    case .notBefore(_, nil): Self.text("later", "Will be sent later")
    case .notBefore(_, .some): Self.text("again", "Will be tried again")
    case .follows, .needs, .runsAlone, .letsPass, .typeIsBusy, .rateLimited, .outboxIsBusy:
      Self.text("turn", "Waits for its turn")
    case .followsDeadLetter, .needsDeadLetter:
      Self.text("other", "Waits for another change that was not accepted")
    case .lane(_, .needsUser, _):
      Self.text("person", "Waits for you to sign in or do what is asked")
    case .lane(_, .throttled, _), .circuitIsOpen, .circuitIsProbed:
      Self.text("service", "Waits for the service")
    case .lane(_, .paused, _), .kindPaused, .paused: Self.text("paused", "Paused")
    case .constraint: Self.text("conditions", "Waits for what it needs, such as a network")
    case .noWorker, .unreadable, .newerFormat: Self.text("update", "Waits for an update of the app")
    case .conflict: Self.text("conflict", "Waits for you to choose a version")
    case .givenUp: Self.text("given-up", "Could not be sent")
    }
  }

  private static func text(_ name: String, _ english: LocalizableText) -> LocalizableText {
    LocalizableText(key: "error.outbox.waiting.\(name).title", english: english)
  }
}

extension OperationExplanation {
  /// What stands in its way first of all, in a few words for the person who made the change; nil
  /// where it is about to be sent.
  ///
  /// What waits for a person comes before what time mends.
  public var text: LocalizableText? {
    (obstacles.first(where: \.isForPerson) ?? obstacles.first)?.text
  }
}

extension Obstacle {
  /// Whether it stays until a person does something.
  fileprivate var isForPerson: Bool {
    switch self {
    case .lane(_, .needsUser, _), .conflict, .givenUp, .followsDeadLetter, .needsDeadLetter: true
    default: false
    }
  }
}
