// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import Mainstay

/// Tells the log that the store fails, and that it works again: while it is away nothing else says
/// why the work stands still.
final class StorageReports: Sendable {
  private let logger: Logger
  private let timeline: Timeline
  private let machine = Locked(StorageOutageStateMachine())

  init(_ logger: Logger, by timeline: Timeline) {
    self.logger = logger
    self.timeline = timeline
  }

  /// The store has failed; it is asked again.
  func failed(_ asker: StorageOutageStateMachine.Asker, _ error: OutboxError) {
    // An outbox that was shut down has no outage.
    guard error.code != .shutDown else { return }
    let now = timeline.now
    guard let outage = machine.withLock({ $0.failed(asker, at: now) }) else { return }
    var metadata = outage.metadata
    metadata["error"] = "\(error.appError.code)"
    metadata["message"] = "\(Redaction.redact(error.description))"
    logger.warning("The storage fails: what needs it is tried again", metadata: metadata)
  }

  /// The store has done what it was asked for.
  func worked(_ asker: StorageOutageStateMachine.Asker) {
    let now = timeline.now
    guard let outage = machine.withLock({ $0.worked(asker, at: now) }) else { return }
    logger.notice("The storage works again", metadata: outage.metadata)
  }

  /// Somebody asks no more.
  func gaveUp(_ asker: StorageOutageStateMachine.Asker) {
    machine.withLock { $0.gaveUp(asker) }
  }
}

extension StorageOutageStateMachine.Outage {
  fileprivate var metadata: Logger.Metadata {
    ["failures": "\(failures)", "seconds": "\(Int(lasted.inSeconds))"]
  }
}
