// SPDX-License-Identifier: Apache-2.0

extension ReportStore {
  /// What a service's replies mean for the records of a request, as data.
  public struct ReplyPolicy: Sendable, Hashable {
    /// What becomes of the records.
    public enum Verdict: String, Sendable, Hashable, Codable, CaseIterable {
      /// The service took them.
      case sent
      /// They are lost: it will never take them.
      case dropped
      /// They stay, and are sent again.
      case stays
    }

    /// What statuses mean.
    public struct Rule: Sendable, Hashable {
      /// The statuses.
      public let statuses: ClosedRange<Int>
      /// What they mean.
      public let verdict: Verdict

      /// Makes a rule.
      public init(_ statuses: ClosedRange<Int>, _ verdict: Verdict) {
        self.statuses = statuses
        self.verdict = verdict
      }
    }

    /// How the service says that there is too much.
    public enum RateLimits: String, Sendable, Hashable, Codable, CaseIterable {
      /// By 429 and `Retry-After`, for all categories.
      case retryAfter
      /// By `X-Sentry-Rate-Limits` on any reply, for each category; else as `retryAfter`.
      case sentry
    }

    /// What statuses mean; the first that fits counts.
    public var rules: [Rule]
    /// What all other statuses mean.
    public var otherwise: Verdict
    /// How the service says that there is too much.
    public var rateLimits: RateLimits

    /// Makes a policy.
    public init(_ rules: [Rule], otherwise: Verdict, rateLimits: RateLimits = .retryAfter) {
      self.rules = rules
      self.otherwise = otherwise
      self.rateLimits = rateLimits
    }

    /// What a status means.
    public func verdict(on status: Int) -> Verdict {
      rules.first { $0.statuses.contains(status) }?.verdict ?? otherwise
    }
  }
}

extension ReportStore.ReplyPolicy {
  /// OTLP over HTTP: 429, 502, 503 and 504 are sent again, nothing else.
  ///
  /// Source: OpenTelemetry Protocol 1.x, "OTLP/HTTP Response" and "Failures".
  public static let otlp = Self(
    [Rule(200...299, .sent), Rule(429...429, .stays), Rule(502...504, .stays)],
    otherwise: .dropped)

  /// Sentry envelopes: every reply with 2xx, 4xx or 5xx is the last word.
  ///
  /// Source: Sentry's developer documentation, "Rate Limiting" and "Offline Caching".
  public static let sentry = Self(
    [Rule(200...299, .sent), Rule(400...599, .dropped)],
    otherwise: .stays, rateLimits: .sentry)

  /// Bugsnag: 402, 407, 408, 429 and 5xx are sent again, other 4xx are not.
  public static let bugsnag = Self(
    [
      Rule(200...299, .sent), Rule(402...402, .stays), Rule(407...408, .stays),
      Rule(429...429, .stays), Rule(400...499, .dropped),
    ],
    otherwise: .stays)
}

/// The value of `X-Sentry-Rate-Limits`: which categories are held back, and for how long.
///
/// Such as `60:error;transaction:organization, 2700::key`: seconds, categories (none for all) and
/// more that does not matter here.
struct SentryRateLimits: Sendable, Hashable {
  /// For how long nothing is sent; nil where nothing is said of that.
  private(set) var all: Duration?
  private(set) var categories: [String: Duration] = [:]

  private static let limits = 64
  private static let categories = 64
  /// Where the number of seconds cannot be read.
  private static let standard = Duration.seconds(60)

  /// Reads a header; nil where it has no limit.
  init?(_ header: String) {
    for limit in header.split(separator: ",").prefix(Self.limits) {
      let parts = limit.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count >= 2 else { continue }
      let seconds = Double(parts[0].filter { $0 != " " })
      let pause = seconds.map { Duration.clamped(seconds: $0) } ?? Self.standard
      let names = parts[1].split(separator: ";").map { $0.filter { $0 != " " } }
        .filter { !$0.isEmpty }
      if names.isEmpty { all = max(all ?? .zero, pause) }
      for name in names.prefix(Self.categories) where name.utf8.count <= 32 {
        guard categories[name] != nil || categories.count < Self.categories else { break }
        categories[name] = max(categories[name] ?? .zero, pause)
      }
    }
    if all == nil, categories.isEmpty { return nil }
  }
}
