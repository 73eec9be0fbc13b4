// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

extension Tables {
  /// Does what may take an hour, for as long as the server lets somebody in.
  ///
  /// A server that works on a large table and one that stands still look alike to whoever waits for
  /// its answer.
  ///
  /// - Parameter body: What takes long.
  /// - Throws: What the body throws; ``PostgresError`` where the server has not answered twice in a
  ///   row.
  func whileAnswering(_ body: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await body() }
      group.addTask { try await watch() }
      defer { group.cancelAll() }
      // Only the body ends well.
      try await group.next()
    }
  }

  /// Ends when the task is cancelled, or when the server does not answer any more.
  private func watch() async throws {
    let timeline = Timeline.live
    var failures = 0
    while true {
      try await timeline.sleep(until: timeline.now + pulse)
      do throws(PostgresError) {
        let connection = try await PostgresConnection.open(
          address, settings: pool.options.connection)
        connection.close()
        failures = 0
      } catch {
        // One that refuses somebody does answer.
        guard error.kind == .unreachable else { continue }
        failures += 1
        if failures == 2 { throw stopped }
      }
    }
  }

  private var stopped: PostgresError {
    PostgresError(
      .unreachable,
      "The server at \(address) answers no more while the tables grow: look at it, and open again; "
        + "the step that it was at is undone.")
  }
}
