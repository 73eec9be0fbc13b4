// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import Foundation
package import Mainstay
internal import MainstayAsyncHTTPClient
internal import MainstayHTTP
package import MainstayOutbox
internal import NIOCore
internal import NIOHTTP1

/// What an app has that brings changes to a ledger: AsyncHTTPClient, and the mapping of its errors.
package final class LedgerClient: Sendable {
  /// One thing that was tried.
  package struct Attempt: Sendable {
    package enum Step: Sendable, Hashable {
      case put
      case ask
    }

    package enum End: Sendable, Hashable {
      case done
      case answered(Reconciliation)
      case cancelled
      /// It failed; whether the request may have been sent, as its error says.
      case failed(code: String, mayBeSent: Bool)
    }

    package let key: String
    /// Which run of the operation it was.
    package let run: Int64
    package let step: Step
    package let end: End
    package let duration: Duration
  }

  /// What its errors mean.
  package static let mapping = ErrorMapping.standard.addingAsyncHTTPClientErrors()

  private let origin: String
  private let isLimitedByPolicy: Bool
  private let policy: @Sendable (Duration) -> Timeout
  private let limit: Locked<Duration>
  private let client: HTTPClient
  private let all = Locked<[Attempt]>([])

  /// Makes a client.
  ///
  /// - Parameters:
  ///   - origin: Where the service is, such as `http://127.0.0.1:4000`.
  ///   - connectLimit: How long it may take to connect.
  ///   - limit: How long a request may take in all.
  ///   - isLimitedByPolicy: Whether that limit is a `Timeout` around AsyncHTTPClient or a time
  ///     limit of its own; the default is its own.
  ///   - clock: The clock of that policy; the default is the continuous one.
  ///   - isPooled: Whether a connection serves several requests; the default is false.
  package init(
    to origin: String, connectLimit: Duration, limit: Duration, isLimitedByPolicy: Bool = false,
    clock: some Clock<Duration> = ContinuousClock(), isPooled: Bool = false
  ) {
    self.origin = origin
    self.isLimitedByPolicy = isLimitedByPolicy
    policy = { Timeout($0, name: "ledger", clock: clock) }
    self.limit = Locked(limit)
    var configuration = HTTPClient.Configuration()
    configuration.redirectConfiguration = .disallow
    configuration.timeout.connect = .nanoseconds(connectLimit.inNanoseconds)
    configuration.connectionPool.retryConnectionEstablishment = false
    if !isPooled { configuration.maximumUsesPerConnection = 1 }
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  deinit {
    let client = client
    client.shutdown { _ in _ = client }
  }

  /// What was tried, in the order in which it ended.
  package var attempts: [Attempt] { all.withLock { $0 } }

  /// How long a request may take from now on.
  package func limit(_ limit: Duration) { self.limit.withLock { $0 = limit } }

  /// Sends a change.
  ///
  /// - Throws: What AsyncHTTPClient throws, and `AppError` for an answer that is none.
  package func put(_ change: Change, _ context: WorkerContext) async throws {
    let key = context.idempotencyKey.rawValue
    _ = try await trying(.put, key, context.leaseToken) {
      let answer = try await send(
        .PUT, "/changes/\(key)",
        [
          "Account": change.account, "Number": "\(change.number)", "Run": "\(context.leaseToken)",
        ], body: change.padding)
      guard ["applied", "known"].contains(answer) else { throw AppError.portal() }
      return .done
    }
  }

  /// Asks what became of a change.
  ///
  /// - Throws: As ``put(_:_:)``.
  package func ask(_ context: WorkerContext) async throws -> Reconciliation {
    let key = context.idempotencyKey.rawValue
    let end = try await trying(.ask, key, context.leaseToken) {
      switch try await send(.GET, "/changes/\(key)", [:]) {
      case "applied": .answered(.applied)
      case "unknown": .answered(.notApplied)
      default: throw AppError.portal()
      }
    }
    if case .answered(let answer) = end { return answer }
    return .unknown
  }

  /// Sends a question of a probe.
  package func probe(_ request: ConnectivityProbe.Request) async throws
    -> ConnectivityProbe.Response
  {
    var message = HTTPClientRequest(url: request.url.absoluteString)
    for (name, value) in request.headers { message.headers.add(name: name, value: value) }
    let answer = try await client.execute(
      message, timeout: .nanoseconds(request.timeout.inNanoseconds))
    var body = Data()
    for try await part in answer.body {
      body.append(contentsOf: part.readableBytesView)
      if body.count >= request.maximumBytes { break }
    }
    return ConnectivityProbe.Response(
      status: Int(answer.status.code),
      headers: Dictionary(
        answer.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }),
      body: body)
  }

  /// A worker that brings changes, asks what became of those of which nobody knows, and waits the
  /// same time after each failure.
  ///
  /// - Parameters:
  ///   - wait: How long it waits.
  ///   - client: The client of each attempt, which may be another one each time.
  /// - Returns: The worker.
  package static func worker(
    waiting wait: Duration, by client: @escaping @Sendable () -> LedgerClient
  ) -> Worker {
    Worker(
      for: Change.self, maximumAttempts: 10_000, backoff: .constant(wait, jitter: .none),
      reconcile: { _, context in try await client().ask(context) },
      run: { change, context in try await client().put(change, context) })
  }

  /// Sends a request whose body is text, and returns the text of the answer.
  package func send(
    _ method: String, _ path: String, _ headers: [String: String] = [:], body: String = ""
  ) async throws -> String {
    try await send(HTTPMethod(rawValue: method), path, headers, body: body)
  }

  private func send(
    _ method: HTTPMethod, _ path: String, _ headers: [String: String], body: String = ""
  ) async throws -> String {
    var message = HTTPClientRequest(url: origin + path)
    message.method = method
    for (name, value) in headers { message.headers.add(name: name, value: value) }
    if !body.isEmpty { message.body = .bytes(ByteBuffer(string: body)) }
    let (status, text) = try await exchange(message)
    switch status {
    case 200..<300:
      // As a `ResilientClient` does: whoever answered is beyond the device.
      NetworkUse.answered()
      return text
    case 300..<400: throw AppError.portal()
    default:
      throw HTTPError(
        status: Int(status), method: method.rawValue, url: origin + path, hasIdempotencyKey: true)
    }
  }

  private func exchange(_ message: HTTPClientRequest) async throws -> (UInt, String) {
    let limit = limit.withLock { $0 }
    func exchange(_ deadline: NIODeadline) async throws -> (UInt, String) {
      let answer = try await client.execute(message, deadline: deadline)
      return (answer.status.code, String(buffer: try await answer.body.collect(upTo: 1_000_000)))
    }
    if isLimitedByPolicy {
      return try await policy(limit).run { try await exchange(.distantFuture) }
    }
    return try await exchange(.now() + .nanoseconds(limit.inNanoseconds))
  }

  private func trying(
    _ step: Attempt.Step, _ key: String, _ run: Int64, _ body: () async throws -> Attempt.End
  ) async throws -> Attempt.End {
    let start = ContinuousClock.now
    func note(_ end: Attempt.End) {
      let duration = start.duration(to: .now)
      all.withLock {
        $0.append(Attempt(key: key, run: run, step: step, end: end, duration: duration))
      }
    }
    do {
      let end = try await body()
      note(end)
      return end
    } catch {
      let mapped = Self.mapping.map(error)
      if mapped.disposition == .cancelled {
        note(.cancelled)
      } else {
        note(.failed(code: mapped.code.rawValue, mayBeSent: mapped.mayHaveBeenSent))
      }
      throw error
    }
  }
}

extension Duration {
  fileprivate var inNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return min(seconds, 86_400) * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
