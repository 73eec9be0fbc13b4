// SPDX-License-Identifier: Apache-2.0

public import Mainstay

extension ErrorPresenter {
  /// Puts away what is no longer so, such as that there is no connection, and runs again what
  /// failed for it: shown, waiting and under fields.
  ///
  /// The work runs at once, each once, and only of errors that offer Retry. What fails again is
  /// presented anew. An error with an unknown outcome stays: somebody has to look first.
  ///
  /// ```swift
  /// for await status in connection.statuses where status == .connected {
  ///   errors.retry { $0.kind == .offline }
  /// }
  /// ```
  ///
  /// - Parameter isOver: Whether what an error was about is no longer so.
  /// - Returns: The work; nil where there is none.
  @discardableResult
  public func retry(where isOver: (AppError) -> Bool) -> Task<Void, Never>? {
    let over = items.filter { $0.error.disposition != .unknownOutcome && isOver($0.error) }
    var retries: [RetryKey: Retry] = [:]
    for item in over where item.actions.contains(where: { $0.id == RecoveryAction.retry.id }) {
      retries.merge(item.retries) { $1 }
    }
    // First, as with Retry: what fails again is another error.
    remove(over)
    guard !retries.isEmpty else { return nil }
    return Task { [retries] in await Self.run(retries) }
  }
}
