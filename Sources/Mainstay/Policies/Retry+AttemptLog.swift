// SPDX-License-Identifier: Apache-2.0

extension Retry {
  /// What became of each attempt of one call: for whoever looks for a bug, or wonders why it took
  /// so long.
  ///
  /// It holds codes and types, and no texts that an error brought along. Where a call ends with an
  /// ``AppError`` after more than one attempt, it also stands in the error's metadata, as
  /// `retry.attempts` and `retry.log`.
  public struct AttemptLog: Sendable, Hashable, Codable {
    /// One attempt.
    public struct Entry: Sendable, Hashable, Codable {
      /// Which one; 1 is the first.
      ///
      /// Those that a retry inside has made are one entry, that of the last of them.
      public let attempt: Int
      /// The code of the error that it ended with, such as `http.503`, or its type.
      public let outcome: String
      /// How long was waited after it; nil where no further attempt was to follow.
      public let delay: Duration?
      /// Who decided how it goes on: `backoff`, `service`, or the reason to give up.
      public let decidedBy: String
    }

    /// The attempts that ended with an error or an unacceptable result, in order; at most 16, the
    /// first and the last ones.
    public let entries: [Entry]
    /// How many attempts in the middle are left out.
    public let omitted: Int
  }
}

extension Retry.AttemptLog: CustomStringConvertible {
  /// One line, such as `1 http.503, 0.2 s by backoff; 2 http.503, attemptsUsedUp`.
  public var description: String {
    entries.map { entry in
      guard let delay = entry.delay else {
        return "\(entry.attempt) \(entry.outcome), \(entry.decidedBy)"
      }
      let seconds = (delay.inSeconds * 1_000).rounded() / 1_000
      return "\(entry.attempt) \(entry.outcome), \(seconds) s by \(entry.decidedBy)"
    }.joined(separator: "; ")
  }
}

/// Notes attempts as they end; made into words only where somebody wants to read it.
struct AttemptNotes {
  private struct Note {
    let attempt: Int
    let error: any Error
    var delay: Duration?
    var decidedBy: String
  }

  private static let maximum = 16

  private var notes: [Note] = []
  private var omitted = 0

  mutating func add(_ error: any Error, attempt: Int, delay: Duration?, decidedBy: String) {
    notes.append(Note(attempt: attempt, error: error, delay: delay, decidedBy: decidedBy))
    guard notes.count > Self.maximum else { return }
    notes.remove(at: Self.maximum / 2)
    omitted += 1
  }

  /// No attempt follows after the last one, though one was to.
  mutating func endLast(decidedBy: String) {
    guard let last = notes.indices.last else { return }
    (notes[last].delay, notes[last].decidedBy) = (nil, decidedBy)
  }

  var log: Retry.AttemptLog {
    Retry.AttemptLog(
      entries: notes.map { note in
        Retry.AttemptLog.Entry(
          attempt: note.attempt, outcome: Self.outcome(of: note.error), delay: note.delay,
          decidedBy: note.decidedBy)
      }, omitted: omitted)
  }

  /// The error with the log, where its type has a place for that and there is something to tell.
  ///
  /// Any other error stays as it is: what is thrown is the operation's own error. Its log is told
  /// with the event.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - countsOutside: Whether a retry further out counts these attempts as its own.
  /// - Returns: The error, with the log or as it was.
  func attached(to error: any Error, countsOutside: Bool) -> any Error {
    guard notes.count > 1, let last = notes.last, let error = error as? AppError,
      !error.isCancellation
    else { return error }
    var noted = error.adding(metadata: [
      "retry.attempts": "\(last.attempt)", "retry.log": Redaction.redact(log.description),
    ])
    if countsOutside { noted.fields.attempts = last.attempt }
    return noted
  }

  private static func outcome(of error: any Error) -> String {
    switch error {
    case let error as AppError: return error.code.rawValue
    case let error as Rejection: return "rejected.\(error.reason.rawValue)"
    case let error as TimedOut: return "timedOut.\(error.scope.rawValue)"
    default:
      let record = RecordedError(error)
      return Redaction.redact(record.code.isEmpty ? record.type : record.code)
    }
  }
}
