// SPDX-License-Identifier: Apache-2.0
// The guide for who writes a library: a test runs this and compares what it prints with the page.

import Mainstay
import MainstayTesting

// snippet.error
/// Why there is no answer about the weather.
public struct WeatherError: Error, Sendable, Equatable {
  /// What went wrong; more may come.
  public struct Code: Sendable, Hashable {
    let name: String

    /// There is no such place.
    public static let unknownPlace = Code(name: "unknown-place")
    /// The account has asked too often.
    public static let quotaUsedUp = Code(name: "quota-used-up")
    /// The service did not answer.
    public static let unreachable = Code(name: "unreachable")
  }

  /// What went wrong.
  public let code: Code
  /// How long the service asks to be left alone; nil where it does not say.
  public var retryAfter: Duration?

  /// Makes one, as the tests of an app do, too.
  public init(code: Code, retryAfter: Duration? = nil) {
    self.code = code
    self.retryAfter = retryAfter
  }
}
// snippet.hide

// snippet.told
let busy = WeatherError(code: .quotaUsedUp, retryAfter: .seconds(30))
print("too often:", busy.code == .quotaUsedUp, "/ ask again in", busy.retryAfter ?? .zero)
// snippet.hide

// snippet.station
/// Stands for the service: it fails twice, then answers.
actor Station {
  private var calls = 0

  func ask(_ place: String) throws -> Int {
    calls += 1
    guard calls > 2 else { throw WeatherError(code: .unreachable) }
    guard place == "Oslo" else { throw WeatherError(code: .unknownPlace) }
    return 7
  }
}
// snippet.hide

// snippet.mapping
extension WeatherError: AppErrorConvertible {
  /// What a person can be told, and what may be done.
  public var appError: AppError {
    switch code {
    case .unknownPlace:
      AppError(
        code: "weather.unknown-place", kind: .notFound, disposition: .permanent,
        title: "This place is not known", message: "There is no weather station of that name.",
        suggestion: "Choose a larger town nearby.", underlying: [self])
    case .quotaUsedUp:
      AppError(
        code: "weather.quota", kind: .throttled, disposition: .throttled(retryAfter: retryAfter),
        title: "Too many questions", message: "The weather was asked for very often.",
        suggestion: "Try again in a moment.", underlying: [self])
    default:
      AppError(
        code: "weather.unreachable", kind: .network, disposition: .transient(),
        title: "No weather now", message: "The weather service did not answer.",
        suggestion: "Try again in a moment.", underlying: [self])
    }
  }
}
// snippet.hide

// snippet.said
let answer = AppError.from(busy)
print(answer.code, "/", answer.kind, "/", answer.disposition, "/", answer.title.string())
// snippet.hide

// snippet.policies
/// Asks a station; its calls go through the policies of whoever made it.
public struct Weather<Calls: Policy>: Sendable {
  private let station = Station()
  private let calls: Pipeline<Calls>

  /// Makes one; with nothing between the braces it calls once, as it is.
  public init(@PipelineBuilder calls: () -> Calls) {
    self.calls = Pipeline("weather", stages: calls)
  }

  /// The temperature in degrees Celsius.
  public func temperature(in place: String) async throws(AppError) -> Int {
    try await withAppErrors("Ask for the weather") {
      try await calls.run { try await station.ask(place) }
    }
  }
}
// snippet.hide

// snippet.use
let bare = Weather {}
do {
  print("without policies:", try await bare.temperature(in: "Oslo"))
} catch {
  print("without policies:", error.title.string(), "/", error.disposition)
}

let careful = Weather {
  Retry(maximumAttempts: 3, backoff: .exponential(from: .milliseconds(20), to: .seconds(1)))
  Timeout(.seconds(5))
}
print("with the app's policies:", try await careful.temperature(in: "Oslo"))
do {
  _ = try await careful.temperature(in: "Atlantis")
} catch {
  print("never repeated:", error.code, "/", error.disposition)
}
// snippet.hide

// snippet.census
let samples: [any Error] = [
  WeatherError(code: .unknownPlace), WeatherError(code: .quotaUsedUp),
  WeatherError(code: .unreachable),
]
print("nobody converts:", MappingCensus(of: samples, mapping: .standard).gaps.count)
let findings = MessageLint(languages: ["en"]).findings(in: samples.map { AppError.from($0) })
print("an editor would say:", findings.count)
// snippet.hide

// snippet.app
let mapping = ErrorMapping.standard.adding(WeatherError.self) { error in
  switch error.code {
  case .unreachable:
    AppError(
      code: "app.no-forecast", kind: .network, disposition: .transient(),
      title: "No forecast today", message: "Look out of the window.", underlying: [error])
  default: nil  // whoever is asked next says it: here the error itself
  }
}
for error in samples {
  print("in this app:", AppError.from(error, mapping: mapping).title.string())
}
// snippet.hide
