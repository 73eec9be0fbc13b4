// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// Who waits for whom where operations have lost their last run, as a value.
///
/// Such an operation is a suspect: it may have killed its process, so it is tried while nothing
/// else runs, and takes nobody along if it does so again. That takes moments. Whoever runs for
/// longer is no such pill, and may run for as long as it likes, or hang:
///
/// | The oldest run that counts began | Suspects | Everything else |
/// |---|---|---|
/// | there is none | one begins | waits where one has begun |
/// | less than ``patience`` ago | wait | waits where there are suspects |
/// | longer ago | are passed by | begins |
/// | the same, but that went on for ``longPatience`` | wait | waits where there are suspects |
///
/// A run that began ``longPatience`` ago counts no more. So neither side waits for ever.
package struct SuspectsStateMachine: Sendable, Equatable {
  /// What may begin now.
  package enum Turn: Sendable, CaseIterable {
    /// A suspect, or whatever else there is.
    case alone
    /// Whatever there is, unless there are suspects: then nothing.
    case others
    /// Whatever there is but suspects.
    case passing
    /// Nothing.
    case nothing
  }

  /// After what time what runs keeps others waiting no more.
  ///
  /// What kills its process does so as it begins, or once its memory is used up: some seconds. A
  /// person who looks at a queue that stands still gives it about as long as this.
  package static let patience = Duration.seconds(30)
  /// How long suspects are passed by at most, and after what time a run counts no more.
  ///
  /// Long enough for nearly all that ends by itself: what runs beside a suspect would be charged
  /// with a lost run, too, if that killed the process.
  package static let longPatience = Duration.seconds(600)

  /// Whether there was a suspect when it was claimed last, as far as the store has told.
  private var isExclusive = false
  /// Since when suspects are passed by, if there are any.
  private var passedSince: Duration?

  package init() {}

  /// What may begin.
  ///
  /// - Parameters:
  ///   - starts: When what runs has begun.
  ///   - now: The time.
  /// - Returns: What may begin.
  package func turn(besides starts: [Duration], at now: Duration) -> Turn {
    guard let first = Self.first(of: starts, at: now) else { return .alone }
    if now - first >= Self.patience, maySuspectsWait(at: now) { return .passing }
    return isExclusive ? .nothing : .others
  }

  /// The store was asked for what may begin.
  ///
  /// - Parameters:
  ///   - turn: What it was asked for.
  ///   - isExclusive: Whether it said that there is a suspect, which runs alone.
  ///   - now: When it was asked.
  package mutating func claimed(_ turn: Turn, isExclusive: Bool, at now: Duration) {
    self.isExclusive = isExclusive
    switch turn {
    case .passing: passedSince = passedSince ?? now
    case .others where isExclusive: break
    default: passedSince = nil
    }
  }

  /// When to look again, though nothing has ended meanwhile; nil for never.
  package func nextLook(besides starts: [Duration], at now: Duration) -> Duration? {
    guard let first = Self.first(of: starts, at: now) else { return nil }
    let end = first + Self.longPatience
    switch turn(besides: starts, at: now) {
    case .passing: return min(end, (passedSince ?? now) + Self.longPatience)
    case .nothing: return maySuspectsWait(at: now) ? first + Self.patience : end
    case .alone, .others: return nil
    }
  }

  private func maySuspectsWait(at now: Duration) -> Bool {
    passedSince.map { now - $0 < Self.longPatience } ?? true
  }

  /// When the oldest run began that counts.
  private static func first(of starts: [Duration], at now: Duration) -> Duration? {
    starts.filter { now - $0 < longPatience }.min()
  }
}
