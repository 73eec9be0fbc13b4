// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
package import Foundation
package import Mainstay
internal import MainstayHTTP
internal import NIOCore
internal import NIOHTTP1

/// Talks to the service: typed calls, each with a limit, that tell the truth about what was sent.
package final class UpstreamClient: Sendable {
  /// Limits and waits.
  package struct Settings: Sendable {
    /// How long one request may take; more than zero, 10 s by default.
    package var requestLimit = Duration.seconds(10)
    /// How long a connection may take to be made; more than zero, 3 s by default.
    package var connectLimit = Duration.seconds(3)
    /// How long a lookup may take with all its attempts; 20 s by default.
    package var lookupLimit = Duration.seconds(20)
    /// How lookups wait between attempts.
    package var backoff = Backoff.exponential(from: .milliseconds(100), to: .seconds(2))
    /// How many failures in a row open a circuit; 5 by default.
    package var failuresToOpen = 5
    /// How long an open circuit leaves the service alone at first; 1 s by default.
    package var breakFor = Duration.seconds(1)
    /// How long a call waits for its turn where the service limits requests, before it is put off;
    /// 1 s by default.
    package var patience = Duration.seconds(1)
    /// For how long the service is left alone at most when it asks for that; 5 min by default.
    package var maximumHold = Duration.seconds(300)
    /// The greatest answer that is read, in bytes.
    package var maximumAnswerBytes = 4 * 1024 * 1024
    /// Signs in again when the service refuses who asks (401), and says whether that worked.
    ///
    /// Called once for however many requests were refused. Nil where there is nobody to sign in.
    package var refresh: (@Sendable () async throws -> Bool)?
    /// The size of the parts of a photo, in bytes.
    package var photoPartBytes = 256 * 1024

    package init() {}
  }

  /// A request before it is sent.
  struct Call: Sendable {
    var method = "GET"
    let path: String
    var headers: [String: String] = [:]
    var body: Data?

    var isWrite: Bool { method != "GET" }
  }

  let origin: URL
  let settings: Settings
  package let evidence: ConnectivityEvidence
  /// The circuits, by what they guard.
  package let catalogBreaker: CircuitBreaker
  package let twinBreaker: CircuitBreaker
  /// Lookups by a person: repeated within a limit.
  let lookups: any Policy
  /// Lookups by the queue, which repeats them itself.
  let queuedLookups: any Policy
  /// Reads of twins and effects.
  let reads: any Policy
  /// Writes: one attempt each, since the queue asks before it repeats one.
  let writes: any Policy
  /// What each of them does to a call.
  package let pipelines: [PipelineExplanation]
  let session: Session
  private let pace: Pace
  private let http: HTTPClient
  private let now: @Sendable () -> Date

  /// Makes a client; nothing is sent yet.
  package init(
    origin: URL, settings: Settings = Settings(), evidence: ConnectivityEvidence,
    clock: some Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Date
  ) {
    self.origin = origin
    self.settings = settings
    self.evidence = evidence
    self.now = now
    session = Session(settings.refresh)
    // A little more than the client's own limit, which knows better what was sent.
    let limit = settings.requestLimit + .seconds(1)
    let maximumBreak = max(settings.breakFor, .seconds(5))
    let catalog = CircuitBreaker(
      "catalog", .consecutiveFailures(settings.failuresToOpen), breakFor: settings.breakFor,
      maximumBreak: maximumBreak)
    let twins = CircuitBreaker(
      "twins", .consecutiveFailures(settings.failuresToOpen), breakFor: settings.breakFor,
      maximumBreak: maximumBreak)
    let pace = Pace(
      patience: settings.patience, maximumHold: settings.maximumHold, clock: clock)
    self.pace = pace
    catalogBreaker = catalog
    twinBreaker = twins
    let lookups = Pipeline("catalog") {
      Deadline(settings.lookupLimit)
      Retry(maximumAttempts: 3, backoff: settings.backoff)
      pace
      catalog
      Timeout(limit)
    }
    let queuedLookups = Pipeline("queued catalog") {
      pace
      catalog
      Timeout(limit)
    }
    let reads = Pipeline("twins") {
      pace
      twins
      Timeout(limit)
    }
    let writes = Pipeline("twin writes") {
      pace
      twins
      Timeout(limit, disposition: .unknownOutcome)
    }
    (self.lookups, self.queuedLookups) = (lookups, queuedLookups)
    (self.reads, self.writes) = (reads, writes)
    pipelines = [
      lookups.explain(), queuedLookups.explain(), reads.explain(), writes.explain(),
    ]
    var configuration = HTTPClient.Configuration()
    configuration.redirectConfiguration = .disallow
    configuration.timeout.connect = .nanoseconds(settings.connectLimit.nanoseconds)
    // Whether and when to try again is said in one place, and that is not the connection pool.
    configuration.connectionPool.retryConnectionEstablishment = false
    http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  /// A client that nobody shut down, since opening the app failed, must not stop the program.
  deinit {
    let http = http
    http.shutdown { _ in _ = http }
  }

  /// Ends all connections.
  package func shutDown() async { try? await http.shutdown() }

  /// Sends a request once and reads the answer, whatever it says.
  ///
  /// - Throws: `AppError`: nothing was sent, or for a write that nobody knows what became of it.
  func send(_ call: Call) async throws(AppError) -> UpstreamAnswer {
    let session = session.number
    var answer: UpstreamAnswer
    do {
      answer = try await execute(call)
      answer.session = session
    } catch {
      let mapped = ErrorMapping.inventory.map(error)
      if mapped.disposition != .cancelled { evidence.failed(mapped, at: now()) }
      guard call.isWrite, mapped.mayHaveBeenSent, mapped.disposition != .cancelled else {
        throw mapped
      }
      throw mapped.with(disposition: .unknownOutcome)
    }
    pace.heard(answer)
    if answer.isForeign {
      evidence.foreign(answer.status, at: now())
    } else {
      evidence.answered(answer.status, at: now())
    }
    return answer
  }

  private func execute(_ call: Call) async throws -> UpstreamAnswer {
    var request = HTTPClientRequest(url: origin.absoluteString.trimmedSlash + call.path)
    request.method = HTTPMethod(rawValue: call.method)
    request.headers.add(name: "Accept", value: "application/json")
    for (name, value) in call.headers { request.headers.add(name: name, value: value) }
    if let body = call.body { request.body = .bytes(ByteBuffer(bytes: body)) }
    let limit = settings.requestLimit
    let response = try await http.execute(
      request, timeout: .nanoseconds(limit.nanoseconds))
    let body = try await response.body.collect(upTo: settings.maximumAnswerBytes)
    let retryAfter = response.headers.first(name: "Retry-After")
    return UpstreamAnswer(
      status: Int(response.status.code),
      contentType: response.headers.first(name: "Content-Type")?.lowercased() ?? "",
      retryAfter: retryAfter.flatMap { RetryAfter.wait($0, now: now()) },
      limit: response.headers.first(name: "RateLimit-Policy").flatMap(RateLimitPolicy.slowest),
      range: response.headers.first(name: "Range"), body: Data(body.readableBytesView))
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return min(seconds, 86_400) * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}

extension String {
  fileprivate var trimmedSlash: String { hasSuffix("/") ? String(dropLast()) : self }

  /// The text as one part of an address.
  var pathPart: String {
    let legal = CharacterSet(charactersIn: "-._~").union(.alphanumerics)
    return addingPercentEncoding(withAllowedCharacters: legal) ?? ""
  }
}
