// SPDX-License-Identifier: Apache-2.0

public import Mainstay

#if canImport(FoundationNetworking)
  internal import Foundation
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
  private static let mapping = ErrorMapping.standard.addingHTTPErrors()

  private let endpoint: ReportEndpoint
  private let limit: Timeout
  private let requestLimit: TimeInterval
  private let session: URLSession
  private let receiver = ReportReceiver()

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
    self.endpoint = endpoint
    limit = Timeout(timeout, name: "reports", clock: clock)
    // The limit of the session comes second, or it would decide by another clock.
    requestLimit = TimeInterval(min(timeout.components.seconds, 31_536_000)) + 60
    // A copy: the caller's object is the caller's.
    let configuration = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
    configuration.httpShouldSetCookies = false
    configuration.httpCookieStorage = nil
    configuration.urlCache = nil
    configuration.timeoutIntervalForRequest = requestLimit
    configuration.timeoutIntervalForResource = requestLimit
    session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
  }

  deinit { session.invalidateAndCancel() }

  /// Sends one request and waits for its reply.
  ///
  /// - Parameter request: What is sent.
  /// - Returns: What the service answered, whatever the status.
  /// - Throws: `AppError` where there was no answer, `TimedOut` where it took too long, and a
  ///   cancellation.
  public func send(_ request: ReportStore.Request) async throws -> ReportStore.Reply {
    try await ReportAnswer.reply(
      within: limit, mapping: Self.mapping, silence: URLError(.networkConnectionLost)
    ) { answer in
      try await exchange(request, answer)
    }
  }

  private func exchange(_ request: ReportStore.Request, _ answer: ReportAnswer) async throws {
    try Task.checkCancellation()
    var message = URLRequest(url: endpoint.url)
    message.httpMethod = "POST"
    message.httpBody = request.body
    message.timeoutInterval = requestLimit
    for (name, value) in endpoint.headers.merging(request.headers, uniquingKeysWith: { $1 }) {
      message.setValue(value, forHTTPHeaderField: name)
    }
    let task = session.dataTask(with: message)
    let ended = EndedExchange()
    receiver.add(task.taskIdentifier, answer, ended)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        ended.wait(with: continuation)
        task.resume()
      }
    } onCancel: {
      // Not left to the session: some versions tell nobody of a task that was never begun.
      ended.end(with: CancellationError())
      task.cancel()
    }
  }
}

/// The end of one exchange, which comes once and is waited for once, in either order.
private final class EndedExchange: Sendable {
  private struct State {
    var result: Result<Void, any Error>?
    var continuation: CheckedContinuation<Void, any Error>?
  }

  private let state = Locked(State())

  func end(with error: (any Error)?) {
    let result: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
    let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      guard state.result == nil else { return nil }
      state.result = result
      return state.continuation
    }
    continuation?.resume(with: result)
  }

  func wait(with continuation: CheckedContinuation<Void, any Error>) {
    let result = state.withLock { state in
      state.continuation = continuation
      return state.result
    }
    if let result { continuation.resume(with: result) }
  }
}

/// What the session tells about its tasks, handed to the exchange of each.
private final class ReportReceiver: NSObject, URLSessionDataDelegate {
  private let exchanges = Locked<[Int: (answer: ReportAnswer, ended: EndedExchange)]>([:])

  func add(_ task: Int, _ answer: ReportAnswer, _ ended: EndedExchange) {
    exchanges.withLock { $0[task] = (answer, ended) }
  }

  private func began(_ task: URLSessionTask, _ response: URLResponse) {
    guard let response = response as? HTTPURLResponse,
      let exchange = exchanges.withLock({ $0[task.taskIdentifier] })
    else { return }
    exchange.answer.began(
      status: response.statusCode,
      headers: response.allHeaderFields.map { (name: "\($0.key)", value: "\($0.value)") })
  }

  private func end(_ task: URLSessionTask, with error: (any Error)?) {
    let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    exchange?.ended.end(with: error)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    began(task, response)
    end(task, with: nil)
    completionHandler(nil)
    task.cancel()
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    began(dataTask, response)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    guard let exchange = exchanges.withLock({ $0[dataTask.taskIdentifier] }) else { return }
    guard !exchange.answer.add(data) else { return }
    end(dataTask, with: nil)
    dataTask.cancel()
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    end(task, with: error)
  }
}
