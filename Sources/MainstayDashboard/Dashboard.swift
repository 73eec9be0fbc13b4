// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HTTPTypes
public import Hummingbird
public import Logging
public import Mainstay
public import MainstayOutbox

/// The pages on which operators see what fails, what waits and why, and redrive dead letters.
///
/// It is closed by default: without an authenticator it answers only to the machine that it runs
/// on, and to everybody else with 403. What was not given is not shown.
public struct Dashboard: Sendable {
  /// Decides whether a request may see the dashboard, by its head alone, and names nobody.
  public typealias Authenticator = @Sendable (HTTPRequest) async -> Bool

  /// The outboxes, by the name that is shown; none by default.
  public var outboxes: [String: Outbox] = [:]
  /// Whose error groups are shown.
  public var errors: ErrorMonitor?
  /// Whose connection is shown, with the evidence for it.
  public var connectivity: ConnectivityMonitor?
  /// Whose feature level is shown, with its history.
  public var levels: DegradationController?
  /// The circuit breakers; each can be reset, isolated by hand and released again.
  ///
  /// The second of a name is shown as `name#2`.
  ///
  /// What is isolated here stays so until it is released here, or until the router has gone.
  public var breakers: [CircuitBreaker] = []
  /// What pipelines say about themselves, such as `catalog.explain()`: as they are then, also where
  /// a policy is given other settings later.
  public var pipelines: [PipelineExplanation] = []
  /// What policies have done, by their names; give it to them as observer.
  public var tally: PolicyTally?
  /// What the document for support is made by; nil, the default, makes one of what is shown.
  ///
  /// Without ``errors`` there is no such document then.
  public var diagnostics: Diagnostics.Source?
  /// Whether there are no actions at all; `false` by default.
  public var isReadOnly = false
  /// Whether the payloads of operations are shown, redacted; `false` by default.
  public var showsPayloads = false
  /// How a browser is asked to sign in where the authenticator refuses, such as
  /// `Basic realm="Operations"`.
  ///
  /// It is the value of `WWW-Authenticate` in an answer with 401. Nil, the default, refuses with
  /// 403, after which no browser asks anybody for a name.
  public var challenge: String?
  /// Names, without a port and in capitals or not, by which the machine itself may be called too.
  ///
  /// `localhost`, `127.0.0.1` and `[::1]` always may; none by default. They matter only without an
  /// authenticator.
  public var allowedHosts: Set<String> = []
  /// Whether every browser reaches it over TLS; `false` by default.
  ///
  /// Without it a request says so itself, by its scheme or by the `X-Forwarded-Proto` of a proxy.
  /// One of HTTP/1.1 whose TLS ends in this process says neither: set this there. Over TLS the
  /// cookie is `Secure`, and answers ask for TLS alone for a year (`Strict-Transport-Security`, RFC
  /// 6797).
  public var isAlwaysSecure = false
  /// What the forms are signed by, at least 32 bytes; nil, the default, for a key of this process.
  ///
  /// A shorter one stops the program: what comes from outside goes to
  /// ``setFormSecret(validating:)``.
  ///
  /// Processes that serve the same addresses behind a load balancer need the same one: otherwise a
  /// form of one is refused by the others. Keep it as a password. Circuits are those of one process
  /// all the same.
  public var formSecret: Data? {
    didSet {
      let count = formSecret?.count ?? Self.minimumSecret
      precondition(
        count >= Self.minimumSecret,
        "formSecret of \(count) bytes is not legal: \(Self.minimumSecret) or more")
    }
  }
  /// How often it looks how everything stands, for plots and for pages that are open; 5 s by
  /// default, and at least 100 ms.
  ///
  /// One look asks each outbox for its counts. An outbox that takes long over it is asked less
  /// often, and the others as ever.
  public var sampleInterval: Duration = .seconds(5) {
    didSet { sampleInterval = max(sampleInterval, .milliseconds(100)) }
  }
  /// How many pages may listen for changes at the same time; 1,000 by default, and 0 for none.
  ///
  /// Others are answered with 503, and work without.
  public var maximumStreams = 1_000

  private static let minimumSecret = 32

  /// Sets ``formSecret`` to what comes from outside, such as from the environment.
  ///
  /// - Parameter secret: What the forms are signed by, at least 32 bytes.
  /// - Throws: `ConfigurationError` where it is shorter; the one before it stays.
  public mutating func setFormSecret(validating secret: Data) throws(ConfigurationError) {
    guard secret.count >= Self.minimumSecret else {
      throw ConfigurationError(
        subject: "Dashboard",
        violations: [
          .init(
            option: "formSecret", value: "\(secret.count) bytes",
            rule: "it must have \(Self.minimumSecret) or more")
        ])
    }
    formSecret = secret
  }

  let admission: (@Sendable (HTTPRequest) async -> Admission)?
  let logger: Logger
  let timeline: Timeline
  let now: @Sendable () -> Date
  /// How long a stream of events waits for its reader.
  let patience: Timeout
  /// How long a page waits for one of the outboxes that it shows.
  let countingPatience: Timeout.Abandoning
  /// Makes what documents for support are made from, by the clock of the dashboard.
  let diagnosing: @Sendable (ErrorMonitor, [Diagnostics.Section]) -> Diagnostics.Source

  /// Makes a dashboard that shows nothing yet.
  ///
  /// - Parameters:
  ///   - authenticator: Decides who may come in, from any machine; nil lets in only the machine
  ///     itself. Behind a proxy one is needed: there every connection comes from the proxy.
  ///   - logger: Where refusals are told, each kind at most once a minute.
  ///   - clock: What that minute and all other spans are measured by.
  ///   - now: The time of day, from which ages are counted.
  public init(
    authenticator: Authenticator? = nil,
    logger: Logger = Logger(label: "mainstay.dashboard"),
    clock: some Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    let admission = authenticator.map { isLetIn in
      { @Sendable head in await isLetIn(head) ? Admission.letIn(nil) : .refused }
    }
    self.init(asking: admission, logger, clock, now)
  }

  /// Makes a dashboard that shows nothing yet, and knows who looks at it.
  ///
  /// The name of whoever acts is in the log with what was done. Who may only look is refused with
  /// 403 where they try to act.
  ///
  /// - Parameters:
  ///   - visitor: Says who sends a request, from any machine; nil refuses it.
  ///   - logger: Where refusals are told, each kind at most once a minute, and what was done.
  ///   - clock: What that minute and all other spans are measured by.
  ///   - now: The time of day, from which ages are counted.
  public init(
    visitor: @escaping Identification,
    logger: Logger = Logger(label: "mainstay.dashboard"),
    clock: some Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(
      asking: { head in await visitor(head).map { .letIn($0) } ?? .refused }, logger, clock, now)
  }

  private init(
    asking admission: (@Sendable (HTTPRequest) async -> Admission)?, _ logger: Logger,
    _ clock: some Clock<Duration>, _ now: @escaping @Sendable () -> Date
  ) {
    self.admission = admission
    self.logger = logger
    self.now = now
    timeline = Timeline(clock)
    patience = Timeout(EventStream.patience, name: "dashboard events", clock: clock)
    countingPatience = Timeout.Abandoning(Live.patience, name: "dashboard counts", clock: clock)
    diagnosing = { Diagnostics.Source($0, sections: $1, clock: clock) }
  }

  /// Adds the pages to a router, and begins to look how everything stands.
  ///
  /// It looks for as long as the router is there. Streams of events end when the server is asked to
  /// stop, when nobody reads them, and after ten minutes, when a page opens the next one.
  ///
  /// - Parameters:
  ///   - router: A router or a group whose context knows the address of the other side.
  ///   - path: Where the overview lies, below the router; `mainstay` by default, and empty for the
  ///     router's own address.
  ///   - prefix: What the group or a proxy puts before `path`, such as `/internal`; empty by
  ///     default. Links begin with it.
  public func mount<Context: RemoteAddressRequestContext>(
    on router: some RouterMethods<Context>, at path: String = "mainstay",
    behind prefix: String = ""
  ) {
    _ = mounted(on: router, at: path, behind: prefix)
  }

  /// - Returns: Who tells the pages that are open.
  package func mounted<Context: RemoteAddressRequestContext>(
    on router: some RouterMethods<Context>, at path: String = "mainstay",
    behind prefix: String = ""
  ) -> Live {
    // Empty at the top of a server: two slashes would lead to another one.
    let root = [prefix, path].flatMap { $0.split(separator: "/") }.map { "/\($0)" }.joined()
    let site = Site(dashboard: self, root: root)
    site.add(to: router.group(RouterPath(path)), of: Context.self)
    return site.live
  }
}
