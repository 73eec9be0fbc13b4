// SPDX-License-Identifier: Apache-2.0

public import AsyncHTTPClient
public import Mainstay
public import MainstayHTTP

/// Sends reports by AsyncHTTPClient.
///
/// ```swift
/// let endpoint = try ReportEndpoint.otlpLogs(base: "http://localhost:4318")
/// let transport = AsyncHTTPClientReportTransport(to: endpoint)
/// ```
///
/// It behaves as `URLSessionReportTransport`: a redirection is not followed, since its headers
/// would go elsewhere. Like a page for people it counts as the answer of a network that wants a
/// sign-in, so the reports stay. Of an answer at most 64,000 bytes are read, and nothing is logged.
public final class AsyncHTTPClientReportTransport: ReportTransport {
  private let sender: ReportSender

  /// Makes a transport, with connections of its own that end with it.
  ///
  /// - Parameters:
  ///   - endpoint: Where reports are sent.
  ///   - timeout: How long a request may take in all; more than zero, cut to a year, the default is
  ///     30 seconds.
  ///   - configuration: The settings of its client, such as those of TLS and of a proxy; what
  ///     becomes of redirections and of connections that fail is set here.
  ///   - clock: The clock of the limit; the default is the continuous one.
  public init(
    to endpoint: ReportEndpoint, timeout: Duration = .seconds(30),
    configuration: HTTPClient.Configuration = HTTPClient.Configuration(),
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    sender = ReportSender(
      to: endpoint, within: timeout, clock: clock,
      over: AsyncHTTPClientTransport(configuration: configuration))
  }

  /// Sends one request and waits for its reply.
  ///
  /// - Parameter request: What is sent.
  /// - Returns: What the service answered, whatever the status.
  /// - Throws: `AppError` where there was no answer, `TimedOut` where it took too long, and a
  ///   cancellation.
  public func send(_ request: ReportStore.Request) async throws -> ReportStore.Reply {
    try await sender.send(request)
  }
}
