// SPDX-License-Identifier: Apache-2.0

public import AsyncHTTPClient
internal import Foundation
public import Mainstay
public import MainstayHTTP
internal import NIOCore
internal import NIOHTTP1

/// Sends reports by AsyncHTTPClient.
///
/// ```swift
/// let endpoint = try ReportEndpoint.otlpLogs(base: "http://localhost:4318")
/// let transport = AsyncHTTPClientReportTransport(to: endpoint)
/// ```
///
/// It behaves as `URLSessionReportTransport`: a redirection is not followed, since its headers
/// would go elsewhere; like a page for people it counts as the answer of a network that wants a
/// sign-in, so the reports stay. Of an answer at most 64,000 bytes are read, and nothing is logged.
public final class AsyncHTTPClientReportTransport: ReportTransport {
  private static let mapping = ErrorMapping.standard.addingAsyncHTTPClientErrors()

  private let endpoint: ReportEndpoint
  private let limit: Timeout
  private let client: HTTPClient

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
    self.endpoint = endpoint
    limit = Timeout(timeout, name: "reports", clock: clock)
    var configuration = configuration
    configuration.redirectConfiguration = .disallow
    // Whether and when to try again, the store says.
    configuration.connectionPool.retryConnectionEstablishment = false
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  /// A client that nobody shut down would stop the program.
  deinit {
    let client = client
    client.shutdown { _ in _ = client }
  }

  /// Sends one request and waits for its reply.
  ///
  /// - Parameter request: What is sent.
  /// - Returns: What the service answered, whatever the status.
  /// - Throws: `AppError` where there was no answer, `TimedOut` where it took too long, and a
  ///   cancellation.
  public func send(_ request: ReportStore.Request) async throws -> ReportStore.Reply {
    try await ReportAnswer.reply(
      within: limit, mapping: Self.mapping, silence: HTTPClientError.remoteConnectionClosed
    ) { answer in
      try await exchange(request, answer)
    }
  }

  private func exchange(_ request: ReportStore.Request, _ answer: ReportAnswer) async throws {
    try Task.checkCancellation()
    var message = HTTPClientRequest(url: endpoint.url.absoluteString)
    message.method = .POST
    for (name, value) in endpoint.headers.merging(request.headers, uniquingKeysWith: { $1 }) {
      message.headers.replaceOrAdd(name: name, value: value)
    }
    message.body = .bytes(ByteBuffer(bytes: request.body))
    let response = try await client.execute(message, deadline: .distantFuture)
    answer.began(
      status: Int(response.status.code),
      headers: response.headers.map { (name: $0.name, value: $0.value) })
    for try await part in response.body {
      guard answer.add(Array(part.readableBytesView)) else { break }
    }
  }
}
