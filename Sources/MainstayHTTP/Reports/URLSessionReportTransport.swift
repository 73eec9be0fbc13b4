// SPDX-License-Identifier: Apache-2.0

public import Mainstay

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Sends reports by URLSession.
///
/// ```swift
/// let transport = URLSessionReportTransport(to: .sentry(try SentryDSN(text)))
/// let store = ReportStore(at: folder, replies: .sentry, transport: transport)
/// ```
///
/// It keeps no cookies and no cache, and logs nothing. A redirection is not followed, since its
/// headers would go elsewhere; like a page for people it counts as the answer of a network that
/// wants a sign-in, so the reports stay. Of an answer at most 64,000 bytes are read.
public final class URLSessionReportTransport: ReportTransport {
  private let sender: ReportSender

  /// Makes a transport, with connections of its own that end with it.
  ///
  /// - Parameters:
  ///   - endpoint: Where reports are sent.
  ///   - timeout: How long a request may take in all; more than zero, cut to a year, the default is
  ///     30 seconds.
  ///   - configuration: The settings of its connections; the default is an ephemeral one. Cookies,
  ///     cache and limits of time are set here.
  ///   - clock: The clock of the limit; the default is the continuous one.
  public init(
    to endpoint: ReportEndpoint, timeout: Duration = .seconds(30),
    configuration: URLSessionConfiguration = .ephemeral,
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    sender = ReportSender(
      to: endpoint, within: timeout, clock: clock,
      over: URLSessionTransport(configuration: configuration))
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
