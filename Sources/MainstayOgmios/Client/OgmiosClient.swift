// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Mainstay
internal import MainstayHTTP

/// Talks to Cardano nodes through Ogmios servers, over WebSockets and HTTP.
///
/// ```swift
/// let client = try OgmiosClient(endpoints: ["ws://localhost:1337", "https://ogmios.example"])
/// let epoch = try await client.ledgerStateQuery.epoch.execute()
/// ```
///
/// The endpoints are asked in their order: the first one that is well answers. Where its connection
/// fails, the next one is asked, and the first one again after a while. An error that a server
/// answers with is the answer, and nobody else is asked. A new connection is brought to the place
/// on the chain and to the view of the ledger that the old one had.
public final class OgmiosClient: Sendable {
  /// How the client behaves.
  public let options: Options

  let links: [OgmiosLink]
  let caller = OgmiosCallerPlace()
  let turns: OgmiosTurns
  let audience = OgmiosAudience()
  private let machine: Locked<OgmiosEndpointsStateMachine>
  private let lastErrors: Locked<[OgmiosError?]>
  let now: @Sendable () -> Duration
  /// Ends what takes longer.
  let limiting: @Sendable (Duration) -> Timeout
  private let healthOf: @Sendable (OgmiosLink, Duration) async throws -> OgmiosHealth

  /// Makes a client; the first call opens a connection.
  ///
  /// - Parameters:
  ///   - endpoints: The addresses, the preferred one first; at least one. With `ws` and `wss` the
  ///     same address is also asked over HTTP, for what needs no lasting connection.
  ///   - options: How it behaves.
  ///   - clock: The clock that counts waits; the default is the continuous one.
  /// - Throws: `ConfigurationError` with what is not legal.
  public init(
    endpoints: [String], options: Options = Options(),
    clock: some Clock<Duration> = ContinuousClock()
  ) throws(ConfigurationError) {
    var found = Violations()
    found.check(!endpoints.isEmpty, "endpoints", "[]", "there must be at least one")
    for (name, duration) in [
      ("timeout", options.timeout), ("longTimeout", options.longTimeout), ("rest", options.rest),
    ] {
      found.check(duration > .zero, name, duration, "it must be more than zero")
    }
    let urls = endpoints.map { URL(string: $0) }
    for (endpoint, url) in zip(endpoints, urls) {
      found.check(
        url?.host()?.isEmpty == false, "endpoints", String(endpoint.prefix(200)),
        "it must be an address such as ws://localhost:1337")
    }
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "OgmiosClient", violations: found.all)
    }
    var links: [OgmiosLink] = []
    for url in urls.compactMap(\.self) {
      let name = Self.name(of: url, besides: links.map(\.name))
      links.append(try OgmiosLink(url, named: name, options, caller: caller, clock: clock))
    }
    OgmiosTexts.join()
    self.options = options
    self.links = links
    turns = OgmiosTurns(clock: clock)
    var settings = OgmiosEndpointsStateMachine.Settings()
    settings.firstRest = options.rest
    settings.longestRest = max(options.rest, settings.longestRest)
    machine = Locked(OgmiosEndpointsStateMachine(count: links.count, settings: settings))
    lastErrors = Locked(Array(repeating: nil, count: links.count))
    let start = clock.now
    now = { start.duration(to: clock.now) }
    limiting = { Timeout($0, clock: clock) }
    healthOf = { try await $0.health(within: $1, clock: clock) }
  }

  /// Scheme, host and port, with a number where an endpoint before has the same.
  private static func name(of url: URL, besides names: [String]) -> String {
    let name = OgmiosLink.name(of: url)
    guard names.contains(name) else { return name }
    var number = 2
    while names.contains("\(name)#\(number)") { number += 1 }
    return "\(name)#\(number)"
  }

  deinit { close() }

  /// Ends all calls and connections; later calls fail at once.
  public func close() { for link in links { link.close() } }

  /// The endpoint that answered last; nil before the first answer.
  var indexInUse: Int? { machine.withLock { $0.inUse } }

  /// How the client and its endpoints stand.
  public var status: OgmiosStatus {
    let (now, errors) = (now(), lastErrors.withLock { $0 })
    let machine = machine.withLock { $0 }
    return OgmiosStatus(
      endpointInUse: machine.inUse.map { links[$0].name }, connection: machine.status(at: now),
      endpoints: links.indices.map { index in
        OgmiosStatus.Endpoint(
          name: links[index].name, connection: machine.status(of: index, at: now),
          breaker: links[index].breaker.state, isResting: machine.isResting(index, at: now),
          lastError: errors[index])
      })
  }

  /// How the server and its node are, of the first endpoint that can be asked.
  ///
  /// Where one does not answer in time, the next one is asked; so it is where it has no such page,
  /// as a gateway may have none. An endpoint whose node is gone has failed; one without the page
  /// stands as its other calls say.
  ///
  /// - Returns: Its health, also where its node is gone.
  /// - Throws: ``OgmiosError`` where no endpoint answers, and a cancellation.
  public func health() async throws -> OgmiosHealth {
    try await watching("health") {
      var last: (any Error)?
      for index in order(preferring: nil) {
        do {
          return try await page(of: index)
        } catch let error as OgmiosError {
          guard error.saysNothingOfHealth, !Self.isOutOfTime else { throw error }
          last = error
        }
      }
      throw last ?? OgmiosError(.invalidMethod, method: "health")
    }
  }
}

// MARK: - Endpoints

extension OgmiosClient {
  /// Asks an endpoint for its health, whatever its breaker says: that takes nothing of its node.
  ///
  /// A node that is gone counts as that of any other call does.
  private func page(of index: Int) async throws -> OgmiosHealth {
    let (link, begun) = (links[index], now())
    var admission = try? link.breaker.admit()
    do {
      let health = try await healthOf(link, options.timeout)
      guard health.state == .disconnected else {
        if let admission = admission.take() { admission.succeed() }
        note(.answered, nil, index, begun)
        return health
      }
      let error = OgmiosError(
        .response, method: "health", endpoint: link.name, code: -32000,
        message: "The server has no connection to its node.")
      if let admission = admission.take() { admission.fail(error) }
      note(.failed, error, index, begun)
      options.observer?(.failed(endpoint: link.name, error.kind))
      return health
    } catch let error as OgmiosError {
      if !error.isOtherPage, let admission = admission.take() { admission.fail(error) }
      let isSpent = error.wasNeverSent && Self.isOutOfTime
      note(isSpent ? .timedOut : error.ending, error, index, begun)
      if error.saysNothingOfHealth, !Self.isOutOfTime {
        options.observer?(.failed(endpoint: link.name, error.kind))
      }
      throw error
    }
  }

  func order(preferring preferred: Int?) -> [Int] {
    let now = now()
    return machine.withLock { $0.order(preferring: preferred, at: now) }
  }

  /// Asks endpoints one after the other until one answers, be it with an error.
  ///
  /// - Parameters:
  ///   - order: The endpoints.
  ///   - method: The method that it is about.
  ///   - isRepeatable: Whether another endpoint may be asked after one that may have been.
  ///   - passesSilence: Whether the next endpoint is asked after one that did not answer in time.
  ///   - limit: How long the operation may take that waits for something to happen; nil for one
  ///     that is answered at once.
  ///   - operation: Asks one.
  /// - Returns: What it returns.
  /// - Throws: ``OgmiosError``, a `Rejection`, and a cancellation.
  func trying<T>(
    _ order: [Int], method: String, isRepeatable: Bool, passesSilence: Bool = false,
    waiting limit: Duration? = nil, _ operation: (OgmiosLink) async throws -> T
  ) async throws -> T {
    var last: (any Error)?
    for index in order {
      let link = links[index]
      let begun = now()
      do {
        if let limit, link.breaker.state != .closed {
          let tip = try await guarded(link) { try await tryOut(link, method, within: limit) }
          note(.answered, Self.error(of: tip), index, begun)
        }
        let result = try await guarded(link) { try await operation(link) }
        guard case .failure(let error) = result, error.chain != nil else {
          let error = Self.error(of: result)
          note(error?.hasEndedConnection == true ? .unknown : .answered, error, index, begun)
          return try result.get()
        }
        // The next node may have the blocks of the caller.
        note(.unknown, error, index, begun)
        options.observer?(.failed(endpoint: link.name, error.kind))
        last = last ?? error
      } catch let error as Rejection {
        last = last ?? error
      } catch let error as OgmiosError where error.isImpatience {
        throw error
      } catch let error as OgmiosError where !error.isAnswer {
        // Where the caller had no time for it, the endpoint is not known to be at fault.
        let isSpent = error.wasNeverSent && Self.isOutOfTime
        note(isSpent ? .timedOut : error.ending, error, index, begun)
        let isPassedOn = error.isTransportFailure || passesSilence && error.kind == .timeout
        guard isPassedOn, isRepeatable || !error.mayHaveBeenSent, !Self.isOutOfTime else {
          throw error
        }
        options.observer?(.failed(endpoint: link.name, error.kind))
        last = error
      }
    }
    throw last ?? OgmiosError(.invalidMethod, method: method)
  }

  /// Asks an endpoint, unless its breaker refuses that.
  private func guarded<T>(
    _ link: OgmiosLink, _ operation: () async throws -> T
  ) async throws -> Result<T, OgmiosError> {
    var impatience: OgmiosError?
    do {
      return try await link.breaker.run { () -> Result<T, OgmiosError> in
        do {
          return .success(try await operation())
        } catch let error as OgmiosError where error.isAnswer {
          // The endpoint is well, whatever it thinks of the request.
          return .failure(error)
        } catch let error as OgmiosError where error.isImpatience || error.isOtherPage {
          // Nothing has happened on the chain yet, or there is no such page: that says nothing
          // about the endpoint.
          impatience = error
          throw Rejection(policy: link.name, reason: .waitedTooLong)
        }
      }
    } catch let error as Rejection {
      throw impatience ?? error
    }
  }

  /// Asks what is answered at once: a wait would hold the place of a probe for as long as nothing
  /// happens, and everybody else would be refused.
  private func tryOut(
    _ link: OgmiosLink, _ method: String, within limit: Duration
  ) async throws {
    let tip = OgmiosRequest<OgmiosPoint>.networkTip
    do {
      _ = try await link.callSocket(tip.method, nil, timeout: min(limit, options.timeout))
    } catch let error as OgmiosError
      where error.kind == .timeout && !error.wasNeverSent && limit < options.timeout
    {
      // So little time was the wish of the caller.
      throw OgmiosError(.timeout, method: method, endpoint: link.name, cause: error.cause)
    }
  }

  /// Whether the deadline around the call has passed, so that asking anybody else is in vain.
  static var isOutOfTime: Bool { Deadline.remaining.map { $0 <= .zero } ?? false }

  private static func error<T>(of result: Result<T, OgmiosError>) -> OgmiosError? {
    if case .failure(let error) = result { error } else { nil }
  }

  private func note(
    _ ending: OgmiosEndpointsStateMachine.Ending, _ error: OgmiosError?, _ index: Int,
    _ begun: Duration
  ) {
    let now = now()
    let isSwitched = machine.withLock { $0.ended(ending, at: index, begun: begun, now: now) }
    if let error { lastErrors.withLock { $0[index] = error } }
    if isSwitched { options.observer?(.switched(to: links[index].name)) }
  }
}

extension OgmiosError {
  /// Whether the server answered, with an error that says nothing about its health.
  fileprivate var isAnswer: Bool {
    switch kind {
    case .response: code != -32000 && code != -32603
    case .invalidFormat, .invalidMethod: true
    case .http, .websocket, .invalidResponse, .timeout: false
    }
  }

  /// Whether somebody answered the question for the health with another page.
  fileprivate var isOtherPage: Bool {
    method == "health" && (kind == .invalidResponse || kind == .http && cause?.httpStatus != nil)
  }

  /// Whether a question for the health has no answer yet, so that the next endpoint is asked.
  fileprivate var saysNothingOfHealth: Bool {
    isTransportFailure || kind == .timeout || isOtherPage
  }

  /// What it says about the endpoint.
  fileprivate var ending: OgmiosEndpointsStateMachine.Ending {
    if isOtherPage { return .unknown }
    return switch kind {
    case .response: code == -32000 ? .failed : .answered
    case .http, .websocket: .failed
    case .timeout: wasNeverSent ? .failed : .timedOut
    case .invalidResponse, .invalidFormat, .invalidMethod: .unknown
    }
  }
}
