// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import Mainstay
public import Metrics

/// Counts and times requests with swift-metrics, by the names of OpenTelemetry.
///
/// | Metric | Kind | Dimensions | Holds |
/// |---|---|---|---|
/// | `http.server.request.duration` | timer | method, route, status | the time to the last byte |
/// | `http.server.active_requests` | meter | method | how many are being answered |
///
/// The dimensions are `http.request.method`, `http.route` and `http.response.status_code`. Each has
/// a few values, whatever strangers send: a method that is not in RFC 9110 or RFC 5789 is `_OTHER`,
/// and the route is the pattern that matched, or `none`. A request whose answer nobody took has the
/// status 499.
///
/// It knows no framework: whoever adapts one begins with each request, and ends with its answer.
/// Source: OpenTelemetry, semantic conventions for HTTP metrics.
public final class RequestMetrics: Sendable {
  private static let methods: Set<HTTPRequest.Method> = [
    .get, .head, .post, .put, .delete, .connect, .options, .trace, .patch,
  ]

  private let factory: (any MetricsFactory)?
  private let now: @Sendable () -> Duration
  private let meters = Locked([String: Meter]())

  /// Makes metrics of requests.
  ///
  /// - Parameters:
  ///   - factory: Where metrics are made; the default, nil, is the one that `MetricsSystem` was
  ///     given.
  ///   - clock: What tells the time.
  public init<C: Clock<Duration>>(
    factory: (any MetricsFactory)? = nil, clock: C = ContinuousClock()
  ) {
    self.factory = factory
    let start = clock.now
    now = { start.duration(to: clock.now) }
  }

  /// A request has come.
  ///
  /// - Parameter request: Its head.
  /// - Returns: What is ended with the answer.
  public func begin(_ request: HTTPRequest) -> Measurement {
    let method = Self.methods.contains(request.method) ? request.method.rawValue : "_OTHER"
    active(method).increment()
    return Measurement(self, method, since: now())
  }

  /// The meter of a method, made when it is first needed, outside of the lock.
  ///
  /// It is told of changes: of two counts the older one could be told last, and would stay.
  private func active(_ method: String) -> Meter {
    if let known = meters.withLock({ $0[method] }) { return known }
    let made = Meter(
      label: "http.server.active_requests", dimensions: [("http.request.method", method)],
      factory: factory ?? MetricsSystem.factory)
    return meters.withLock { meters in
      if let known = meters[method] { return known }
      meters[method] = made
      return made
    }
  }

  fileprivate func end(_ method: String, _ route: String?, _ status: Int, since start: Duration) {
    active(method).decrement()
    Timer(
      label: "http.server.request.duration",
      dimensions: [
        ("http.request.method", method), ("http.route", route ?? "none"),
        ("http.response.status_code", String(status)),
      ], preferredDisplayUnit: .seconds, factory: factory ?? MetricsSystem.factory
    ).recordNanoseconds((now() - start).wholeNanoseconds)
  }
}

extension RequestMetrics {
  /// A request that is being answered; it ends once, and one that is dropped has the status 499.
  public final class Measurement: Sendable {
    private let metrics: RequestMetrics
    private let method: String
    private let start: Duration
    private let isOver = Locked(false)

    fileprivate init(_ metrics: RequestMetrics, _ method: String, since start: Duration) {
      self.metrics = metrics
      self.method = method
      self.start = start
    }

    deinit { end(nil, route: nil) }

    /// The answer was sent, or nobody took it.
    ///
    /// - Parameters:
    ///   - status: The status of the answer; nil where nobody took it.
    ///   - route: The pattern that the path matched, such as `/books/{id}`; nil for none.
    public func end(_ status: HTTPResponse.Status?, route: String?) {
      let isFirst = isOver.withLock { isOver in
        defer { isOver = true }
        return !isOver
      }
      if isFirst { metrics.end(method, route, status?.code ?? 499, since: start) }
    }
  }
}

extension Duration {
  fileprivate var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = clamped.components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
