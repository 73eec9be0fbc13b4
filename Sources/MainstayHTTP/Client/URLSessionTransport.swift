// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

#if canImport(FoundationNetworking)
  internal import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Carries requests by URLSession.
///
/// It keeps no cookies and no cache, follows no redirection and logs nothing. A file is sent from
/// where it is. Any other body that comes in parts is written into a temporary file first, since
/// URLSession on Linux takes it from there.
/// What has a body, or must not be sent twice, goes over a connection of its own on Linux.
public final class URLSessionTransport: HTTPTransport {
  private static let mapping = ErrorMapping.standard.addingHTTPErrors()
  /// The limits of time are the caller's; those of the session come after them.
  private static let sessionLimit: TimeInterval = 31_536_000

  private let session: URLSession
  private let receiver = URLSessionReceiver()

  /// Makes a transport, with connections of its own that end with it.
  ///
  /// - Parameter configuration: The settings of its connections; the default is an ephemeral one.
  ///   Cookies, cache and limits of time are set here.
  public init(configuration: URLSessionConfiguration = .ephemeral) {
    // A copy: the caller's object is the caller's.
    let configuration = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
    configuration.httpShouldSetCookies = false
    configuration.httpCookieStorage = nil
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.timeoutIntervalForRequest = Self.sessionLimit
    configuration.timeoutIntervalForResource = Self.sessionLimit
    session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
  }

  deinit { session.invalidateAndCancel() }

  /// Sends one request, and returns as soon as the head of the answer is there.
  ///
  /// - Parameter transmission: What is sent.
  /// - Returns: The answer, whatever its status.
  /// - Throws: `AppError` where there was no answer, and a cancellation.
  public func send(_ transmission: HTTPTransmission) async throws -> HTTPReply {
    try Task.checkCancellation()
    var file: BodyInFile?
    if case .stream(let stream) = transmission.body {
      file = try await BodyInFile(of: stream)
    }
    #if canImport(FoundationNetworking)
      // libcurl repeats by itself what it sent over a kept connection that ended without an answer:
      // what must not be sent twice, and what has a body, which is not there the second time, so
      // that the service waits for it.
      if !transmission.isRepeatable || transmission.body.hasContent {
        return try await sendAlone(transmission, file)
      }
    #endif
    let patience = transmission.body.isLong ? Patience.current : nil
    let task = Self.task(of: session, transmission, file, counts: patience != nil)
    let exchange = URLSessionExchange(
      task, body: file, mapping: Self.mapping, patience: patience,
      forget: { [weak receiver, number = task.taskIdentifier] in receiver?.forget(number) })
    receiver.add(task.taskIdentifier, exchange)
    return try await exchange.reply()
  }

  /// Sends over a connection that nobody has used before, and nobody will again.
  private func sendAlone(
    _ transmission: HTTPTransmission, _ file: BodyInFile?
  ) async throws -> HTTPReply {
    let receiver = URLSessionReceiver()
    let session = URLSession(
      configuration: session.configuration, delegate: receiver, delegateQueue: nil)
    let patience = transmission.body.isLong ? Patience.current : nil
    let task = Self.task(of: session, transmission, file, counts: patience != nil)
    let exchange = URLSessionExchange(
      task, body: file, mapping: Self.mapping, patience: patience,
      forget: { [number = task.taskIdentifier] in
        receiver.forget(number)
        session.finishTasksAndInvalidate()
      })
    receiver.add(task.taskIdentifier, exchange)
    return try await exchange.reply()
  }

  private static func task(
    of session: URLSession, _ transmission: HTTPTransmission, _ file: BodyInFile?,
    counts: Bool
  ) -> URLSessionTask {
    var message = URLRequest(url: transmission.url)
    message.httpMethod = transmission.verb.rawValue
    message.timeoutInterval = sessionLimit
    for field in transmission.headers.all {
      message.addValue(field.value, forHTTPHeaderField: field.name)
    }
    if let file { return session.uploadTask(with: message, fromFile: file.url) }
    if case .bytes(let bytes) = transmission.body {
      // On Linux the session tells of such a task alone what has gone.
      if counts { return session.uploadTask(with: message, from: bytes) }
      message.httpBody = bytes
    }
    return session.dataTask(with: message)
  }
}

extension HTTPTransmission.Body {
  /// Whether there is anything to send.
  fileprivate var hasContent: Bool {
    switch self {
    case .none: false
    case .bytes(let bytes): !bytes.isEmpty
    case .stream: true
    }
  }

  /// Whether it may be one of a transfer.
  fileprivate var isLong: Bool {
    switch self {
    case .none: false
    case .bytes(let bytes): bytes.count > HTTPByteStream.partLength
    case .stream: true
    }
  }
}

/// What the session tells about its tasks, handed to the exchange of each.
private final class URLSessionReceiver: NSObject, URLSessionDataDelegate {
  private let exchanges = Locked<[Int: URLSessionExchange]>([:])

  func add(_ task: Int, _ exchange: URLSessionExchange) {
    exchanges.withLock { $0[task] = exchange }
  }

  func forget(_ task: Int) { exchanges.withLock { _ = $0.removeValue(forKey: task) } }

  private func exchange(_ task: URLSessionTask) -> URLSessionExchange? {
    exchanges.withLock { $0[task.taskIdentifier] }
  }

  private func end(_ task: URLSessionTask, with error: (any Error)?) {
    exchange(task)?.end(with: error)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // Answered first: who gets the answer may end the task at once, and a session on Linux stops
    // the program where a task that has ended is told what to do about a redirection.
    completionHandler(nil)
    // Its body is of no interest, and not every version hands it on.
    exchange(task)?.began(response)
    end(task, with: nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    exchange(task)?.sent()
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    completionHandler(.allow)
    if let response = response as? HTTPURLResponse { exchange(dataTask)?.began(response) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(dataTask)?.add(data)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    end(task, with: error)
  }
}
