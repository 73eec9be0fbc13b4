// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// One request of a session and its answer, between the session's queue and the task that reads.
///
/// On Apple's systems a task is suspended while more lies unread than ``pauseAt``. On Linux the
/// session stops the program when a task is suspended that receives ("Need to solve pausing
/// receive"), so there an exchange of which nobody reads ends beyond ``maximumUnread``.
final class URLSessionExchange: Sendable {
  private struct State {
    var head: HTTPReplyHead?
    var headWaiter: CheckedContinuation<HTTPReplyHead, any Error>?
    var parts: [Data] = []
    var unread = 0
    var partWaiter: CheckedContinuation<Data?, any Error>?
    var result: Result<Void, any Error>?
    var isPaused = false
  }

  struct HTTPReplyHead: Sendable {
    let status: Int
    let headers: HTTPHeaderFields
  }

  static let pauseAt = 1_048_576
  static let maximumUnread = 64 * 1_048_576

  private let task: URLSessionTask
  private let forget: @Sendable () -> Void
  private let mapping: ErrorMapping
  /// The body stays for as long as it may be read.
  private let body: BodyInFile?
  /// What moves the end of the attempt's limit; nil where that stays.
  private let patience: Patience?
  private let state = Locked(State())

  /// Makes an exchange; `forget` is called once it has ended.
  init(
    _ task: URLSessionTask, body: BodyInFile?, mapping: ErrorMapping, patience: Patience?,
    forget: @escaping @Sendable () -> Void
  ) {
    self.task = task
    self.forget = forget
    self.body = body
    self.mapping = mapping
    self.patience = patience
  }

  /// Starts, and waits for the head of the answer.
  ///
  /// Where a file has changed meanwhile, nobody knows what the service has got, whatever it says.
  func reply() async throws -> HTTPReply {
    let head: HTTPReplyHead
    do {
      head = try await began()
    } catch {
      let wasSent = (error as? AppError)?.mayHaveArrived ?? !error.isCancellation
      throw wasSent ? body?.reason(for: error) ?? error : error
    }
    do {
      try body?.check(afterSending: task.countOfBytesSent)
    } catch {
      giveUp(CancellationError())
      throw error
    }
    return HTTPReply(
      status: head.status, headers: head.headers,
      body: HTTPByteStream(URLSessionBody(self), length: head.headers.contentLength))
  }

  private func began() async throws -> HTTPReplyHead {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let early = state.withLock { state -> Result<HTTPReplyHead, any Error>? in
          if let head = state.head { return .success(head) }
          if case .failure(let error)? = state.result { return .failure(error) }
          state.headWaiter = continuation
          return nil
        }
        if let early { return continuation.resume(with: early) }
        task.resume()
      }
    } onCancel: {
      giveUp(CancellationError())
    }
  }

  /// The next part of the body; nil at its end.
  func part() async throws -> Data? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let ready = state.withLock { state -> Result<[Data], any Error>? in
          if !state.parts.isEmpty {
            defer { (state.parts, state.unread) = ([], 0) }
            // In the lock, as the pause: one that came after this would never end.
            if state.isPaused { task.resume() }
            state.isPaused = false
            return .success(state.parts)
          }
          if let result = state.result { return result.map { [] } }
          guard state.partWaiter == nil else { return .failure(URLError(.unknown)) }
          state.partWaiter = continuation
          return nil
        }
        if let ready { continuation.resume(with: ready.map(Self.whole)) }
      }
    } onCancel: {
      giveUp(CancellationError())
    }
  }

  /// All that has come at once: a part for each of its pieces costs more than its copy.
  private static func whole(_ parts: [Data]) -> Data? {
    guard var whole = parts.first else { return nil }
    guard parts.count > 1 else { return whole }
    whole.reserveCapacity(parts.reduce(0) { $0 + $1.count })
    for part in parts.dropFirst() { whole.append(part) }
    return whole
  }

  /// Ends the exchange from this side.
  func giveUp(_ error: any Error) {
    // Not left to the session: some versions tell nobody of a task that was never begun.
    finish(.failure(error))
    task.cancel()
  }

  /// The head has come; on the session's queue, as everything below.
  func began(_ response: HTTPURLResponse) {
    let head = HTTPReplyHead(
      status: response.statusCode,
      headers: HTTPHeaderFields(
        Dictionary(response.allHeaderFields.map { ("\($0.key)", "\($0.value)") }) { $1 }))
    let waiter = state.withLock { state -> CheckedContinuation<HTTPReplyHead, any Error>? in
      state.head = head
      defer { state.headWaiter = nil }
      return state.headWaiter
    }
    waiter?.resume(returning: head)
  }

  /// A part of the request's body has gone.
  func sent() { patience?.moved() }

  func add(_ data: Data) {
    let (waiter, unread) = state.withLock {
      state -> (CheckedContinuation<Data?, any Error>?, Int) in
      guard state.result == nil else { return (nil, 0) }
      if let waiter = state.partWaiter {
        state.partWaiter = nil
        return (waiter, 0)
      }
      state.parts.append(data)
      state.unread += data.count
      return (nil, state.unread)
    }
    if let waiter { return waiter.resume(returning: data) }
    #if canImport(FoundationNetworking)
      guard unread > Self.maximumUnread else { return }
      giveUp(
        AppError.wire(
          .badAnswer, wasSent: true,
          details: "More than \(Self.maximumUnread) bytes of the answer lie unread",
          cause: URLError(.dataLengthExceedsMaximum)))
    #else
      guard unread > Self.pauseAt else { return }
      state.withLock { state in
        guard state.unread > Self.pauseAt, !state.isPaused, state.result == nil else { return }
        state.isPaused = true
        task.suspend()
      }
    #endif
  }

  func end(with error: (any Error)?) {
    let hasHead = state.withLock { $0.head != nil }
    switch error {
    case nil where hasHead: finish(.success(()))
    case let error?: finish(.failure(mapped(error)))
    case nil: finish(.failure(mapped(URLError(.networkConnectionLost))))
    }
  }

  private func mapped(_ error: any Error) -> any Error {
    guard error.isCancellation else {
      return mapping.map(error).afterSending(task.countOfBytesSent)
    }
    // Whoever gives it up here has ended it before: this is the end of its session.
    return AppError.wire(
      .connectionLost, wasSent: true, details: "URLSession gave the request up", cause: error)
  }

  private func finish(_ result: Result<Void, any Error>) {
    let (head, part) = state.withLock { state in
      guard state.result == nil else {
        return (
          CheckedContinuation<HTTPReplyHead, any Error>?.none,
          CheckedContinuation<Data?, any Error>?.none
        )
      }
      state.result = result
      // A cancelled reader wants nothing any more, whatever has come.
      if case .failure = result { state.parts = [] }
      defer { (state.headWaiter, state.partWaiter) = (nil, nil) }
      return (state.headWaiter, state.partWaiter)
    }
    forget()
    switch result {
    case .failure(let error):
      head?.resume(throwing: error)
      part?.resume(throwing: error)
    case .success:
      part?.resume(returning: nil)
    }
  }
}

/// The body of an answer, for one reader; who drops it gives the rest up.
private final class URLSessionBody: AsyncSequence, Sendable {
  typealias Element = Data
  typealias Failure = any Error

  private let exchange: URLSessionExchange
  private let hasReader = Locked(false)

  init(_ exchange: URLSessionExchange) { self.exchange = exchange }

  deinit { exchange.giveUp(CancellationError()) }

  struct AsyncIterator: AsyncIteratorProtocol {
    let body: URLSessionBody
    let isFirst: Bool

    mutating func next() async throws -> Data? {
      // Another transport cannot go on where the first reader has stopped, so none does.
      guard isFirst else { throw HTTPByteStream.wasRead }
      return try await body.exchange.part()
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    let isFirst = hasReader.withLock { hasReader in
      defer { hasReader = true }
      return !hasReader
    }
    return AsyncIterator(body: self, isFirst: isFirst)
  }
}
