// SPDX-License-Identifier: Apache-2.0

/// Whether somebody beyond this device has answered a piece of work: only then its success shows
/// that the network works.
package final class NetworkUse: Sendable {
  @TaskLocal private static var current: NetworkUse?

  private let state = Locked(false)

  package init() {}

  /// Whether somebody has answered.
  package var isAnswered: Bool { state.withLock { $0 } }

  /// Whether anybody wants to know what became of the work that runs in this task.
  package static var isWanted: Bool { current != nil }

  /// Somebody beyond this device has answered the work that runs in this task.
  package static func answered() { current?.state.withLock { $0 = true } }

  /// Runs a piece of work, and keeps whether somebody answers it.
  package func during<T>(_ work: () async throws -> T) async rethrows -> T {
    try await Self.$current.withValue(self, operation: work)
  }
}
