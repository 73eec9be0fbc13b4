// SPDX-License-Identifier: Apache-2.0

/// How the service misbehaves.
package enum FaultMode: String, Sendable, Codable, CaseIterable {
  case healthy

  /// Closes the connection at once, without an answer.
  case down

  /// Waits before it applies and answers.
  case slow

  /// Answers 503 or closes the connection, half and half, before anything is applied.
  case flaky

  /// Answers 429.
  case rateLimited

  /// Answers 500 before anything is applied.
  case serverError

  /// Answers 200 with an HTML page that asks to sign in.
  case portal

  /// Applies a write, then closes the connection without an answer.
  case dropAfterCommit

  /// Waits for a random time before it applies and answers, so that requests overtake each other.
  case reorder
}

/// The body and the answer of `POST /control/faults`.
package struct FaultSettings: Sendable, Equatable, Codable {
  package var mode = FaultMode.healthy

  /// The share of requests that the fault hits.
  ///
  /// From 0 to 1; default 1, for `flaky` 0.3.
  package var rate = 1.0

  /// How long `slow` waits, and `reorder` at most.
  ///
  /// Milliseconds, 0 to 60,000; default 500.
  package var delayMs = 500

  /// What `rateLimited` announces in `Retry-After`.
  ///
  /// Seconds, 0 to 3,600; default 2.
  package var retryAfter = 2

  /// Whether a key that was applied is not applied again; default true.
  package var dedupe = true

  /// Makes the draws of `rate` and of delays repeatable; without it they are random.
  package var seed: UInt64?

  /// For `rateLimited`: how many requests pass in each second before others are refused.
  ///
  /// 1 to 100,000, announced as `RateLimit-Policy`. Without it, every request that `rate` hits is
  /// refused.
  package var limit: Int?

  package init(mode: FaultMode = .healthy) {
    self.mode = mode
    if mode == .flaky { rate = 0.3 }
  }
}

/// The body of `POST /control/faults`, each member within its range.
struct FaultRequest: Decodable {
  let settings: FaultSettings

  init(from decoder: any Decoder) throws {
    var members = try MemberReader(decoder)
    if members.isAbsent("mode") { members.refuse("mode", "is needed") }
    var settings = FaultSettings(mode: members.choice("mode") ?? .healthy)
    settings.rate = members.number("rate", in: 0...1) ?? settings.rate
    settings.delayMs = members.integer("delayMs", in: 0...60_000) ?? settings.delayMs
    settings.retryAfter = members.integer("retryAfter", in: 0...3600) ?? settings.retryAfter
    settings.dedupe = members.flag("dedupe") ?? settings.dedupe
    settings.seed = members.seed("seed")
    settings.limit = members.integer("limit", in: 1...100_000)
    try members.finish()
    self.settings = settings
  }
}
