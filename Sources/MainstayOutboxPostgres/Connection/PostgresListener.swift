// SPDX-License-Identifier: Apache-2.0

package import Mainstay

/// Hears what a server tells on some channels, on a connection of its own.
///
/// What is told while the connection is away is lost, so ``Event/listening(mayHaveMissed:)`` is a
/// reason to look. It opens anew for as long as it is there, with growing pauses.
package final class PostgresListener: Sendable {
  /// What happens.
  package enum Event: Sendable, Equatable {
    /// It listens now; whether something may have been told before.
    case listening(mayHaveMissed: Bool)
    /// Something was told.
    case heard(PostgresNotification)
    /// It does not listen any more, and tries again.
    case interrupted(PostgresError)
  }

  /// What happens, in order; ends with the listener.
  package let events: AsyncStream<Event>
  private let work: Task<Void, Never>

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - address: Where the server is.
  ///   - channels: The channels.
  ///   - settings: What the connection is like.
  ///   - backoff: The pauses between attempts.
  ///   - clock: The clock of the pauses.
  ///   - seed: For the pauses; nil for a random one.
  package init(
    _ address: PostgresAddress, channels: [String],
    settings: PostgresConnection.Settings = PostgresConnection.Settings(),
    backoff: Backoff = .exponential(from: .milliseconds(100), to: .seconds(10), jitter: .equal),
    clock: some Clock<Duration> = ContinuousClock(), seed: UInt64? = nil
  ) {
    let (events, continuation) = AsyncStream.makeStream(
      of: Event.self, bufferingPolicy: .bufferingNewest(1_000))
    self.events = events
    let (timeline, chance) = (Timeline(clock), Chance(seed: seed))
    work = Task.detached {
      var failures = 0
      var hasListened = false
      while !Task.isCancelled {
        let error = await Self.listen(address, channels, settings) { event in
          if case .listening = event {
            continuation.yield(.listening(mayHaveMissed: hasListened || failures > 0))
            (failures, hasListened) = (0, true)
          } else {
            continuation.yield(event)
          }
        }
        guard !Task.isCancelled else { break }
        continuation.yield(.interrupted(error))
        failures += 1
        let pause = backoff.delay(attempt: failures, fraction: chance.fraction())
        do { try await timeline.sleep(until: timeline.now + pause) } catch { break }
      }
      continuation.finish()
    }
  }

  deinit { work.cancel() }

  /// Stops listening.
  package func stop() { work.cancel() }

  /// Listens for as long as the connection lasts.
  ///
  /// - Returns: Why it did not last.
  private static func listen(
    _ address: PostgresAddress, _ channels: [String], _ settings: PostgresConnection.Settings,
    _ tell: (Event) -> Void
  ) async -> PostgresError {
    do throws(PostgresError) {
      let connection = try await PostgresConnection.open(address, settings: settings)
      defer { connection.close() }
      for channel in channels { try await connection.listen(channel) }
      tell(.listening(mayHaveMissed: false))
      for await note in connection.notifications { tell(.heard(note)) }
      return Task.isCancelled ? .cancelled : PostgresSession.lost
    } catch {
      return error
    }
  }
}
