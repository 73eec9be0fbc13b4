// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

/// A client of services over HTTP, with policies for each of them and errors that say what may be
/// done.
///
/// ```swift
/// let books = ResilientClient("books", at: address)
/// let book = try await books.get("/books/\(isbn)", as: Book.self)
/// ```
///
/// Its calls throw an `AppError` and nothing else. What must not be repeated, a `POST` without an
/// idempotency key for one, is never sent again once it may have arrived, whatever the policies
/// are. Its outcome is unknown then, and the error says so. <doc:CallingServices> has the states.
public struct ResilientClient: Sendable {
  /// The name, for events and messages.
  public var name: String { core.name }
  /// The address below which its requests go.
  public var address: URL { core.base.url }
  /// What it does besides its policies.
  public var settings: Settings { core.settings }
  /// The circuit breaker of its usual policies, by the origin that it guards, such as
  /// `https://api.example.com`.
  ///
  /// For a page that shows it, and to isolate it by hand. It is there before the first request. One
  /// of policies of your own is not among them, and for an address that is none of HTTP there is
  /// nothing.
  public var circuits: [String: CircuitBreaker] {
    guard let origin = core.base.origin, let breaker = core.lanes.breaker else { return [:] }
    return ["\(origin)": breaker]
  }

  let core: Core
  let silence: Timeout?

  /// Makes a client with the usual policies for each origin.
  ///
  /// They are, the outermost first: a `Deadline` of 30 seconds, `Retry` of 3 attempts, `Cooldown`,
  /// a `CircuitBreaker` that opens after 5 failures for 5 seconds, and a `Timeout` of 10 seconds
  /// for an attempt. A request with a long body has other limits of time, by ``Settings``.
  ///
  /// - Parameters:
  ///   - name: The name, for events and messages.
  ///   - address: The address below which its requests go, with the scheme `http` or `https`.
  ///   - transport: What carries requests; by default URLSession.
  ///   - settings: What it does besides its policies; illegal ones stop the program.
  ///   - authorization: Its sign-in; nil, the default, for none.
  ///   - cache: What keeps answers for `cached`, until this client changes something at their
  ///     addresses; nil, the default, for nothing.
  ///   - budget: What limits repetitions over all its requests; nil, the default, for one of each
  ///     origin.
  ///   - clock: The clock of its policies, and of how soon a token is renewed again; the default is
  ///     the continuous one.
  ///   - observer: Who is told about the events of its policies, besides the observer of the
  ///     process.
  ///   - onExchange: Who is told of each request that went out; called where the request is made.
  public init(
    _ name: String, at address: URL, over transport: any HTTPTransport = URLSessionTransport(),
    settings: Settings = Settings(), authorization: HTTPAuthorization? = nil,
    cache: ResponseCache? = nil, budget: RetryBudget? = nil,
    clock: some Clock<Duration> = ContinuousClock(), observer: (any PolicyObserver)? = nil,
    onExchange: (@Sendable (HTTPExchange) -> Void)? = nil
  ) {
    settings.mustBeLegal()
    let base = BaseAddress(address)
    core = Core(
      name, base, transport, settings, authorization,
      .standard(
        name, for: base.origin, over: transport, settings: settings, budget: budget, clock: clock,
        observer: observer),
      Timeline(clock), onExchange, cache)
    silence = settings.streamSilence.map { Timeout($0, name: name, clock: clock) }
  }

  /// Makes a client with the usual policies, and with settings that come from outside.
  ///
  /// - Parameters:
  ///   - name: The name, for events and messages.
  ///   - address: The address below which its requests go, with the scheme `http` or `https`.
  ///   - transport: What carries requests; by default URLSession.
  ///   - settings: What it does besides its policies.
  ///   - authorization: Its sign-in; nil, the default, for none.
  ///   - cache: What keeps answers for `cached`; nil, the default, for nothing.
  ///   - budget: What limits repetitions over all its requests; nil, the default, for one of each
  ///     origin.
  ///   - clock: The clock of its policies, and of how soon a token is renewed again; the default is
  ///     the continuous one.
  ///   - observer: Who is told about the events of its policies, besides the observer of the
  ///     process.
  ///   - onExchange: Who is told of each request that went out; called where the request is made.
  /// - Throws: `ConfigurationError` with all settings that are not legal.
  public init(
    _ name: String, at address: URL, over transport: any HTTPTransport = URLSessionTransport(),
    validating settings: Settings, authorization: HTTPAuthorization? = nil,
    cache: ResponseCache? = nil, budget: RetryBudget? = nil,
    clock: some Clock<Duration> = ContinuousClock(), observer: (any PolicyObserver)? = nil,
    onExchange: (@Sendable (HTTPExchange) -> Void)? = nil
  ) throws(ConfigurationError) {
    try settings.validate()
    self.init(
      name, at: address, over: transport, settings: settings, authorization: authorization,
      cache: cache, budget: budget, clock: clock, observer: observer, onExchange: onExchange)
  }

  /// Makes a client with policies of your own for each origin.
  ///
  /// - Parameters:
  ///   - name: The name, for events and messages.
  ///   - address: The address below which its requests go, with the scheme `http` or `https`.
  ///   - transport: What carries requests; by default URLSession.
  ///   - settings: What it does besides its policies; illegal ones stop the program.
  ///   - authorization: Its sign-in; nil, the default, for none.
  ///   - cache: What keeps answers for `cached`, until this client changes something at their
  ///     addresses; nil, the default, for nothing.
  ///   - clock: The clock by which exchanges are timed, and how soon a token is renewed again; the
  ///     default is the continuous one.
  ///   - onExchange: Who is told of each request that went out; called where the request is made.
  ///   - policies: Makes the pipeline of an origin, at its first request.
  public init<P: ConcurrentPolicy>(
    _ name: String, at address: URL, over transport: any HTTPTransport = URLSessionTransport(),
    settings: Settings = Settings(), authorization: HTTPAuthorization? = nil,
    cache: ResponseCache? = nil, clock: some Clock<Duration> = ContinuousClock(),
    onExchange: (@Sendable (HTTPExchange) -> Void)? = nil,
    policies: @escaping @Sendable (HTTPOrigin) -> Pipeline<P>
  ) {
    settings.mustBeLegal()
    core = Core(
      name, BaseAddress(address), transport, settings, authorization,
      .own(OriginPolicies(policies)), Timeline(clock), onExchange, cache)
    silence = settings.streamSilence.map { Timeout($0, name: name, clock: clock) }
  }

  /// What all copies of a client and its calls share: one reference for each of them.
  final class Core: Sendable {
    let name: String
    let base: BaseAddress
    let transport: any HTTPTransport
    let settings: Settings
    let authorization: HTTPAuthorization?
    let lanes: OriginLanes
    let timeline: Timeline
    let listener: (@Sendable (HTTPExchange) -> Void)?
    let kept: KeptAnswers?

    init(
      _ name: String, _ base: BaseAddress, _ transport: any HTTPTransport, _ settings: Settings,
      _ authorization: HTTPAuthorization?, _ lanes: OriginLanes, _ timeline: Timeline,
      _ listener: (@Sendable (HTTPExchange) -> Void)?, _ cache: ResponseCache?
    ) {
      self.name = name
      self.base = base
      self.transport = transport
      self.settings = settings
      self.authorization = authorization
      self.lanes = lanes
      self.timeline = timeline
      self.listener = listener
      kept = cache.map { KeptAnswers($0, settings, signedBy: authorization?.field) }
    }
  }
}
