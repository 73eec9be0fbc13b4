// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import Mainstay

/// Tells the log that runs fail for want of the service, and that they work again.
final class StallReports: Sendable {
  private let logger: Logger
  private let machine: Locked<StallStateMachine>

  /// Makes one.
  ///
  /// - Parameters:
  ///   - logger: Where the beginning and the end are written, at `notice`, and between them that it
  ///     lasts, at `warning`.
  ///   - patience: After how long that is.
  init(_ logger: Logger, patience: Duration) {
    self.logger = logger
    machine = Locked(StallStateMachine(patience: patience))
  }

  /// A run has ended, and that is recorded.
  ///
  /// - Parameters:
  ///   - operation: What was run.
  ///   - error: What it failed with; nil where the service has answered, or nothing is known.
  ///   - isAnswered: Whether the service has answered.
  ///   - now: The time.
  ///   - store: Asked how many operations wait, where that is told.
  func ended(
    _ operation: StoredOperation, _ error: AppError?, isAnswered: Bool, at now: Duration,
    of store: any OutboxStore
  ) async {
    let (kind, lane) = (operation.type.kind, operation.lane)
    if isAnswered {
      guard let lasted = machine.withLock({ $0.worked(kind, in: lane, at: now) }) else { return }
      return logger.report(working: kind, in: lane, after: lasted)
    }
    guard let error, error.isWantOfService,
      let news = machine.withLock({ $0.failed(kind, in: lane, at: now) })
    else { return }
    switch news {
    case .began: logger.report(stalled: kind, in: lane, error)
    case .lasts(let age):
      // It is told all the same where the store cannot say how many there are.
      let pending = try? await store.snapshot().pending
      logger.report(stalled: kind, in: lane, for: age, pending: pending, error)
    }
  }
}
