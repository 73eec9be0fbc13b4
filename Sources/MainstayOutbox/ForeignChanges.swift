// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

/// A store that others use at the same time, and that notices what they do.
package protocol SharedStore: OutboxStore {
  /// Calls back after each change of others, until the task is cancelled or the store is closed.
  ///
  /// It may call back where nothing has changed: whoever is told looks for himself.
  func watchOthers(_ changed: @escaping @Sendable () -> Void) async

  /// Calls back each time that nothing which is leased may go on, since the leases are not renewed
  /// any more, until the task is cancelled or the store is closed.
  ///
  /// Others may take over what is leased soon afterwards.
  func watchLeases(_ lost: @escaping @Sendable () async -> Void) async

  /// What is leased here and was cancelled by whoever it was.
  func cancelledRuns() async throws -> [OperationID]

  /// Calls back with each operation that is given up and not by the end of its run: since its runs
  /// were lost with the processes that had it, or for want of another one. It goes on until the
  /// task is cancelled or the store is closed.
  ///
  /// Those that were found when it was opened are among them. Each is told once, by whichever
  /// process gave it up or finds it.
  func watchGivenUp(_ found: @escaping @Sendable (GivenUp) async -> Void) async

  /// Tidies up quickly, since the app is about to be suspended.
  func prepareForSuspension() async

  /// Does nothing by itself during a suspension; never waits.
  func setSuspended(_ isSuspended: Bool)
}

/// An operation that was given up, and not by the end of its run.
package struct GivenUp: Sendable, Equatable {
  package let id: OperationID
  package let kind: OperationKind
  package let reason: DeadLetter.Reason

  package init(id: OperationID, kind: OperationKind, reason: DeadLetter.Reason) {
    self.id = id
    self.kind = kind
    self.reason = reason
  }
}

extension SharedStore {
  /// Leases that last as long as their process are never lost.
  package func watchLeases(_ lost: @escaping @Sendable () async -> Void) async {}

  /// One that nobody else can reach is told of each cancellation by its own outbox.
  package func cancelledRuns() async throws -> [OperationID] { [] }

  /// A store that does not tell has what it found in its opening report.
  package func watchGivenUp(_ found: @escaping @Sendable (GivenUp) async -> Void) async {}

  /// Others than a file have nothing to tidy up.
  package func prepareForSuspension() async {}

  /// What others do has nothing to do with a suspension of this process.
  package func setSuspended(_ isSuspended: Bool) {}
}

extension SQLiteStore: SharedStore {
  package func cancelledRuns() async throws -> [OperationID] {
    let owner = try open.owner
    return try await read { db in
      try Data.fetchAll(
        db.cachedStatement(sql: "SELECT uuid FROM mainstay_op WHERE owner = ? AND cancelled"),
        arguments: [owner]
      ).compactMap(OperationID.init(data:))
    }
  }

  package func watchGivenUp(_ found: @escaping @Sendable (GivenUp) async -> Void) async {
    for await operation in givenUp.stream { await found(operation) }
  }

  package func watchOthers(_ changed: @escaping @Sendable () -> Void) async {
    await ForeignChanges.watch(self, changed)
  }
}

/// Notices what other processes do with the file, such as another app of a group or a tool.
///
/// It asks the database for a number, which takes some microseconds: twenty times a second while
/// others have the file open, else once a second, since there is nothing that would tell. Who looks
/// that often also notices when nothing is written, and tends to the log then. It leaves the file
/// alone during a suspension.
enum ForeignChanges {
  static let whileShared = Duration.milliseconds(50)
  static let whileAlone = Duration.seconds(1)

  /// Calls back after each change, until the task is cancelled or the store is closed.
  static func watch(_ store: SQLiteStore, _ changed: @Sendable () -> Void) async {
    // What others do takes real time, whatever clock the outbox has.
    let timeline = Timeline.live
    var known: Int64?
    while !Task.isCancelled {
      do {
        guard !store.isSuspended else {
          try await timeline.sleep(until: timeline.now + whileAlone)
          continue
        }
        let (activity, isShared) = try await store.changesOfOthers()
        // Also the first time: something may have happened since the work began.
        if known != activity.others { changed() }
        known = activity.others
        try await store.tendLog(activity, at: timeline.now)
        try await timeline.sleep(
          until: timeline.now + (isShared ? whileShared : whileAlone))
      } catch let error as OutboxError where error.code != .shutDown {
        // Busy or damaged for now: whoever works with the file tells.
        try? await timeline.sleep(until: timeline.now + whileAlone)
      } catch _ {
        return
      }
    }
  }
}
