// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// One session with a server; statements run one after the other, on a thread of its own.
///
/// Every call ends: after its time limit at the latest, and soon after its task is cancelled. What
/// the server still did then is in ``PostgresError/mayHaveHappened``.
package final class PostgresConnection: Sendable {
  /// What the session is.
  package struct Facts: Sendable, Hashable {
    package let processID: Int32
    /// Such as 150004.
    package let serverVersion: Int
    package let usesTLS: Bool
  }

  package let facts: Facts
  private let line: SessionLine

  private init(_ line: SessionLine, _ facts: Facts) {
    self.line = line
    self.facts = facts
  }

  deinit { line.close() }

  /// Opens a session.
  ///
  /// - Throws: ``PostgresError`` with what to do.
  package static func open(
    _ address: PostgresAddress, settings: Settings = Settings()
  ) async throws(PostgresError) -> PostgresConnection {
    let line = SessionLine()
    let opened = Reply<Result<Facts, PostgresError>>()
    PostgresSession.start(at: address, settings, line, opened: opened)
    let result = await withTaskCancellationHandler {
      await opened.value()
    } onCancel: {
      line.close()
      opened.give(.failure(.cancelled))
    }
    return PostgresConnection(line, try result.get())
  }

  /// Runs one statement.
  ///
  /// - Parameters:
  ///   - sql: The statement, with `$1` and so on for the parameters. The server parses it once for
  ///     each session, so what changes belongs into the parameters.
  ///   - parameters: The parameters.
  ///   - limit: How long this side waits for it; nil for as long as the settings say. What the
  ///     server is told for the session or the transaction counts in any case.
  ///   - isBinary: Whether the values come in the server's own form, which neither side writes as
  ///     texts and reads again; the default is false. Then all of them have to be texts, bytes,
  ///     UUIDs, whole numbers, `double precision` or true and false.
  /// - Returns: Its rows.
  /// - Throws: ``PostgresError``.
  @discardableResult package func query(
    _ sql: String, _ parameters: [PostgresValue] = [], within limit: Duration? = nil,
    isBinary: Bool = false
  ) async throws(PostgresError) -> PostgresRows {
    try await perform(.query(sql, parameters), limit, isBinary: isBinary)
  }

  /// Runs several statements without parameters, all or none of them unless they say otherwise.
  package func script(
    _ sql: String, within limit: Duration? = nil
  ) async throws(PostgresError) {
    _ = try await perform(.script(sql), limit)
  }

  /// What the server tells on the channels that this session listens to; ends with the session.
  package var notifications: AsyncStream<PostgresNotification> { line.notifications }

  /// Listens to a channel.
  package func listen(_ channel: String) async throws(PostgresError) {
    try await query("LISTEN \"\(channel.replacing("\"", with: "\"\""))\"")
  }

  /// Whether statements can be asked for; false soon after the server or the way to it is gone.
  package var isOpen: Bool { line.isOpen }

  /// Whether nothing is left behind, such as an open transaction.
  var isReusable: Bool { line.isReusable }

  /// What the server said where it takes no changes; nil where it takes them, or was not asked.
  var refusal: PostgresError? { line.refusal }

  /// Ends the session after what was asked for before.
  package func close() { line.close() }

  /// Runs a statement to its end, also for a task that was cancelled.
  func queryShielded(_ sql: String) async throws(PostgresError) -> PostgresRows {
    let request = SessionRequest(.query(sql, []))
    line.add(request)
    return try await request.reply.value().get()
  }

  private func perform(
    _ work: SessionRequest.Work, _ limit: Duration?, isBinary: Bool = false
  ) async throws(PostgresError) -> PostgresRows {
    let request = SessionRequest(work, within: limit, isBinary: isBinary)
    let line = line
    return try await withTaskCancellationHandler {
      line.add(request)
      return await request.reply.value()
    } onCancel: {
      line.cancel(request)
    }.get()
  }
}
