// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayHTTP

/// Holds the requests to one origin back, all of them, as the service has asked.
///
/// What one caller was told holds for all. A short wait is waited here; for a longer one the call
/// is refused before it is made, with the time after which to ask again, and costs no attempt.
final class Pace: Policy {
  private let machine = Locked(PaceStateMachine())
  private let timeline: Timeline
  private let patience: Duration
  private let maximumHold: Duration

  /// - Parameters:
  ///   - patience: How long a call waits here.
  ///   - maximumHold: The longest time for which the service is left alone.
  ///   - clock: Measures both.
  init(patience: Duration, maximumHold: Duration, clock: some Clock<Duration>) {
    timeline = Timeline(clock)
    self.patience = patience
    self.maximumHold = maximumHold
  }

  /// Runs a call when its time has come.
  func run<T>(_ operation: () async throws -> T) async throws -> T {
    let now = timeline.now
    switch machine.withLock({ $0.admit(now: now, patience: patience) }) {
    case .refused(let wait): throw AppError.paced(wait)
    case .admitted(let time) where time > now:
      do {
        try await timeline.sleep(until: time)
      } catch {
        machine.withLock { $0.giveBack(time) }
        throw error
      }
    case .admitted: break
    }
    return try await operation()
  }

  /// Heeds an answer of the service.
  ///
  /// - Parameters:
  ///   - reply: The answer.
  ///   - date: The time of day, for a wait that is told as a moment.
  func heard(_ reply: HTTPReply, at date: Date) {
    let headers = reply.headers
    guard !UpstreamClient.isForeign(reply.status, headers) else { return }
    let asksToWait = reply.status == 429 || reply.status == 503
    let wait = headers["Retry-After"].flatMap {
      AppError.retryAfter(header: $0, date: headers["Date"], now: date)
    }
    let hold = asksToWait ? wait.map { min($0, maximumHold) } : nil
    let limit = headers["RateLimit-Policy"].flatMap(RateLimitPolicy.slowest)
    guard hold != nil || limit != nil else { return }
    let now = timeline.now
    machine.withLock { $0.heard(limit: limit, hold: hold, now: now) }
  }
}

/// Lets a pace hear each answer, since it is told in header fields of all of them.
struct PacedTransport: HTTPTransport {
  let transport: any HTTPTransport
  let pace: Pace
  let now: @Sendable () -> Date

  func send(_ transmission: HTTPTransmission) async throws -> HTTPReply {
    let reply = try await transport.send(transmission)
    pace.heard(reply, at: now())
    return reply
  }
}

extension AppError {
  /// The lane of the queue waits too: everything else that is ready would be refused as well.
  fileprivate static func paced(_ wait: Duration) -> AppError {
    AppError(
      code: "inventory.paced", kind: .throttled, disposition: .throttled(retryAfter: wait),
      title: "The service needs a moment",
      message: "The service asked for fewer requests, so nothing is sent to it right now.",
      suggestion: "Your changes are kept and sent by themselves.", metadata: ["http.sent": "no"])
  }
}
