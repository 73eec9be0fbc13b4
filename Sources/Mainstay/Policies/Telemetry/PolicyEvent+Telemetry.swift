// SPDX-License-Identifier: Apache-2.0

// What loggers, metrics and tracers say of an event. The switches have no default: whoever adds an
// event decides here what it is called and how bad it is.

extension PolicyEvent.What {
  /// The name of the event: that of its case, such as `attemptFailed`.
  public var name: String {
    switch self {
    case .attemptFailed: "attemptFailed"
    case .recovered: "recovered"
    case .gaveUp: "gaveUp"
    case .recoveryEnded: "recoveryEnded"
    case .unclassified: "unclassified"
    case .timedOut: "timedOut"
    case .rejected: "rejected"
    case .circuitOpened: "circuitOpened"
    case .circuitHalfOpened: "circuitHalfOpened"
    case .circuitClosed: "circuitClosed"
    case .circuitIsolated: "circuitIsolated"
    case .circuitReset: "circuitReset"
    case .probeExpired: "probeExpired"
    case .staleResult: "staleResult"
    case .wouldHaveRejected: "wouldHaveRejected"
    case .settingsChanged: "settingsChanged"
    case .waited: "waited"
    case .limitChanged: "limitChanged"
    case .hedgeStarted: "hedgeStarted"
    case .hedgeWon: "hedgeWon"
    case .hedgeWithheld: "hedgeWithheld"
    case .coalesced: "coalesced"
    case .cooldownBegan: "cooldownBegan"
    case .chaosInjected: "chaosInjected"
    case .abandoned: "abandoned"
    case .abandonedEnded: "abandonedEnded"
    case .registryOverflowed: "registryOverflowed"
    case .eventsDropped: "eventsDropped"
    case .cacheHit: "cacheHit"
    case .cacheMissed: "cacheMissed"
    case .staleServed: "staleServed"
    case .revalidationFailed: "revalidationFailed"
    case .lateAnswerDropped: "lateAnswerDropped"
    case .cacheStorageFailed: "cacheStorageFailed"
    case .callEnded: "callEnded"
    }
  }

  /// How bad the event is: `error` where callers are let down, `warning` where something is not as
  /// it should be, `info` for what is worth knowing, `debug` for what happens all the time.
  public var severity: Severity {
    switch self {
    case .circuitOpened: .error
    case .gaveUp(_, let reason): reason.severity
    case .recoveryEnded(_, let error): error == nil ? .info : .warning
    // A failure that another attempt follows is not yet one; the last is told by `gaveUp`.
    case .attemptFailed(_, let error, let nextDelay):
      nextDelay == nil || error.isCancellation ? .debug : .warning
    case .unclassified, .timedOut, .circuitIsolated, .probeExpired, .cooldownBegan, .chaosInjected,
      .abandoned, .registryOverflowed, .eventsDropped, .staleServed, .cacheStorageFailed:
      .warning
    case .recovered, .rejected, .circuitHalfOpened, .circuitClosed, .circuitReset,
      .wouldHaveRejected, .settingsChanged, .revalidationFailed:
      .info
    case .staleResult, .waited, .limitChanged, .hedgeStarted, .hedgeWon, .hedgeWithheld,
      .coalesced, .abandonedEnded, .callEnded, .cacheHit, .cacheMissed, .lateAnswerDropped:
      .debug
    }
  }

  /// What the event carries, as text by name; texts of errors are redacted.
  var details: [String: String] {
    switch self {
    case .attemptFailed(let attempt, let error, let nextDelay):
      error.details.merging(
        ["attempt": "\(attempt)", "nextDelay": nextDelay?.logged].compacted
      ) { $1 }
    case .recovered(let attempts): ["attempts": "\(attempts)"]
    case .gaveUp(let attempts, let reason):
      ["attempts": "\(attempts)", "reason": reason.rawValue]
    case .unclassified(let type, let cure): ["type": type, "cure": cure]
    case .recoveryEnded(let step, let error):
      (error?.details ?? [:]).merging(["step": Redaction.redact(step)]) { $1 }
    case .timedOut(let error):
      ["limit": error.limit.logged, "scope": error.scope.rawValue, "limitOf": error.policy]
    case .rejected(let rejection), .wouldHaveRejected(let rejection):
      ["reason": rejection.reason.rawValue, "retryAfter": rejection.retryAfter?.logged].compacted
    case .circuitOpened(let failures, let breakFor):
      ["failures": "\(failures)", "breakFor": breakFor.logged]
    case .staleResult(let succeeded, let admittedIn, let endedIn):
      [
        "succeeded": "\(succeeded)", "admittedIn": "\(admittedIn)", "endedIn": "\(endedIn)",
      ]
    case .waited(let time): ["waited": time.logged]
    case .limitChanged(let from, let to): ["from": "\(from)", "to": "\(to)"]
    case .hedgeStarted(let copy, let delay): ["copy": "\(copy)", "after": delay.logged]
    case .hedgeWon(let copy): ["copy": "\(copy)"]
    case .hedgeWithheld(let copy, let reason): ["copy": "\(copy)", "reason": reason.rawValue]
    case .cooldownBegan(let key, let time):
      ["key": Redaction.redact(key), "for": time.logged]
    case .chaosInjected(let disturbance): ["disturbance": Redaction.redact(disturbance)]
    case .abandoned(let stillRunning), .abandonedEnded(let stillRunning):
      ["stillRunning": "\(stillRunning)"]
    case .registryOverflowed(let count, let maximumCount):
      ["count": "\(count)", "maximumCount": "\(maximumCount)"]
    case .eventsDropped(let count): ["count": "\(count)"]
    case .cacheHit(let isRevalidating): ["isRevalidating": "\(isRevalidating)"]
    case .staleServed(let key, let age, let error):
      error.details.merging(
        ["key": Redaction.redact(key), "age": age?.logged ?? "unknown"]
      ) { $1 }
    case .revalidationFailed(let key, let error):
      error.details.merging(["key": Redaction.redact(key)]) { $1 }
    case .lateAnswerDropped(let key): ["key": Redaction.redact(key)]
    case .cacheStorageFailed(let error): error.details
    case .callEnded(let ending, let took): ["ending": ending.rawValue, "took": took.logged]
    case .circuitHalfOpened, .circuitClosed, .circuitIsolated, .circuitReset, .probeExpired,
      .settingsChanged, .coalesced, .cacheMissed:
      [:]
    }
  }

  /// Why it happened, in one of a few words, for labels; nil where there is no more to say.
  var label: String? {
    switch self {
    case .gaveUp(_, let reason), .hedgeWithheld(_, let reason): reason.rawValue
    case .rejected(let rejection), .wouldHaveRejected(let rejection): rejection.reason.rawValue
    case .timedOut(let error): error.scope.rawValue
    case .callEnded(let ending, _): ending.rawValue
    case .cacheHit(let isRevalidating): isRevalidating ? "revalidating" : "fresh"
    default: nil
    }
  }
}

extension PolicyEvent.GiveUpReason {
  fileprivate var severity: Severity {
    switch self {
    case .cancelled: .debug
    case .insideAnotherRetry: .info
    // The answer was an answer, such as "not found": whether it is bad, its reader knows.
    case .notRetryable: .info
    case .attemptsUsedUp, .deadlineTooClose, .serverDelayTooLong, .budgetExhausted: .error
    }
  }
}

extension PolicyEvent {
  /// What the event carries, as text by name; texts of errors are redacted.
  var details: [String: String] {
    guard let cause else { return what.details }
    return what.details.merging(["error.code": RecordedError(cause).code]) { $1 }
  }
}

extension Error {
  fileprivate var details: [String: String] {
    let recorded = RecordedError(self)
    return ["error.type": recorded.type, "error.code": recorded.code, "error.text": recorded.text]
  }
}

extension Duration {
  /// A number of seconds, as machines read it.
  fileprivate var logged: String { "\(inSeconds)s" }
}

extension [String: String?] {
  fileprivate var compacted: [String: String] { compactMapValues { $0 } }
}
