// SPDX-License-Identifier: Apache-2.0

package import Mainstay

/// Sends reports over any transport, within a limit of time.
package struct ReportSender: Sendable {
  private let endpoint: ReportEndpoint
  private let limit: Timeout
  private let transport: any HTTPTransport

  package init(
    to endpoint: ReportEndpoint, within timeout: Duration, clock: some Clock<Duration>,
    over transport: any HTTPTransport
  ) {
    self.endpoint = endpoint
    limit = Timeout(timeout, name: "reports", clock: clock)
    self.transport = transport
  }

  /// Sends one request and waits for its reply; a head that has come counts however it ended.
  ///
  /// - Parameter request: What is sent.
  /// - Returns: What the service answered, whatever the status.
  /// - Throws: `AppError` where there was no answer, `TimedOut` where it took too long, and a
  ///   cancellation.
  package func send(_ request: ReportStore.Request) async throws -> ReportStore.Reply {
    let answer = ReportAnswer()
    do {
      try await limit.run { try await exchange(request, answer) }
    } catch {
      if let reply = try answer.reply() { return reply }
      throw error
    }
    guard let reply = try answer.reply() else { throw AppError.Service.invalidResponse.appError }
    return reply
  }

  private func exchange(_ request: ReportStore.Request, _ answer: ReportAnswer) async throws {
    let headers = endpoint.headers.merging(request.headers, uniquingKeysWith: { $1 })
    let reply = try await transport.send(
      HTTPTransmission(
        .post, endpoint.url, headers: HTTPHeaderFields(headers), body: .bytes(request.body)))
    answer.began(status: reply.status, headers: reply.headers)
    for try await part in reply.body {
      guard answer.add(part) else { break }
    }
  }
}
