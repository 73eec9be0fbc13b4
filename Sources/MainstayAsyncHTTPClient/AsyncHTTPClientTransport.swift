// SPDX-License-Identifier: Apache-2.0

public import AsyncHTTPClient
internal import Foundation
internal import Mainstay
public import MainstayHTTP
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

/// Carries requests by AsyncHTTPClient, over HTTP/1.1 and HTTP/2.
///
/// It follows no redirection, keeps no cookies and logs nothing.
public final class AsyncHTTPClientTransport: HTTPTransport, DeadlineHeedingTransport {
  private let client: HTTPClient
  /// Whether somebody has shut it down: what the library gives up then, nobody has to repeat.
  private let ending = Ending()

  /// Makes a transport, with connections of its own that end with it.
  ///
  /// - Parameter configuration: The settings of its client, such as those of TLS and of a proxy;
  ///   what becomes of redirections and of connections that fail is set here.
  public init(configuration: HTTPClient.Configuration = HTTPClient.Configuration()) {
    var configuration = configuration
    configuration.redirectConfiguration = .disallow
    // Whether and when to try again, policies say.
    configuration.connectionPool.retryConnectionEstablishment = false
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  /// Makes a transport that trusts certificates of your own, and nobody else.
  ///
  /// - Parameter pem: The certificates, in PEM.
  /// - Throws: `NIOSSLError` where they are none.
  package convenience init(roots pem: String) throws {
    let roots = try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8))
    guard !roots.isEmpty else { throw NIOSSLError.failedToLoadCertificate }
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = .certificates(roots)
    self.init(configuration: HTTPClient.Configuration(tlsConfiguration: tls))
  }

  /// A client that nobody shut down would stop the program.
  deinit {
    let client = client
    client.shutdown { _ in _ = client }
  }

  /// Ends all connections, where that is not to be left to the end of the transport.
  ///
  /// Requests that are under way, and those that come later, end as cancelled.
  public func shutDown() async {
    ending.begin()
    try? await client.shutdown()
  }

  /// Sends one request, and returns as soon as the head of the answer is there.
  ///
  /// - Parameter transmission: What is sent.
  /// - Returns: The answer, whatever its status.
  /// - Throws: `AppError` where there was no answer, and a cancellation.
  public func send(_ transmission: HTTPTransmission) async throws -> HTTPReply {
    try Task.checkCancellation()
    // What came before may not have ended in time; the library would write what it is given now.
    if HeededLimit.remaining == .zero { throw HeededLimit.end() }
    var message = HTTPClientRequest(url: transmission.address.text)
    message.method = HTTPMethod(rawValue: transmission.verb.rawValue)
    message.headers = Self.fields(transmission.headers)
    var asked: BodyAsked?
    switch transmission.body {
    case .none: break
    case .bytes(let bytes):
      let body = BodyAsked(length: bytes.count)
      asked = body
      message.body = Self.body(bytes, body)
    case .stream(let stream):
      let body = BodyAsked(length: stream.length)
      asked = body
      message.body = .stream(
        PartsAsked(stream: stream, asked: body),
        length: stream.length.map { .known(Int64($0)) } ?? .unknown)
    }
    do {
      let response = try await client.execute(message, deadline: Self.deadline)
      return try await reply(response)
    } catch {
      if Self.isTimeOver(error, asked) { throw HeededLimit.end() }
      throw ending.failure(error, asked: asked)
    }
  }

  /// Bytes as a whole, or in parts where somebody wants to know that they go.
  private static func body(_ bytes: Data, _ asked: BodyAsked) -> HTTPClientRequest.Body {
    guard bytes.count > HTTPByteStream.partLength, let patience = Patience.current else {
      return .bytes(BytesAsked(bytes: bytes, asked: asked))
    }
    let parts = HTTPByteStream(inParts: bytes).moving(patience)
    return .stream(PartsAsked(stream: parts, asked: asked), length: .known(Int64(bytes.count)))
  }

  /// When a request ends whose answer has not begun.
  ///
  /// The library's clock stands still while the device sleeps. A request that sleeps with it has
  /// lost its connection, or is over that much later.
  private static var deadline: NIODeadline {
    HeededLimit.remaining.map { .now() + TimeAmount($0) } ?? .distantFuture
  }

  /// Whether a request has ended because its time was over.
  ///
  /// One that still waited for a connection then ends with what the last attempt at a connection
  /// failed with, maybe hours ago, so the error alone does not say it. What its body failed with is
  /// its own error.
  private static func isTimeOver(_ error: any Error, _ asked: BodyAsked?) -> Bool {
    guard let remaining = HeededLimit.remaining else { return false }
    // Only the limit that was given to the library can have passed.
    if (error as? HTTPClientError) == .deadlineExceeded { return true }
    return remaining == .zero && asked?.failure == nil
  }

  private static func fields(_ headers: HTTPHeaderFields) -> HTTPHeaders {
    var fields: [(String, String)] = []
    // With room for those that the library adds.
    fields.reserveCapacity(headers.all.count + 2)
    for field in headers.all { fields.append((field.name, field.value)) }
    return HTTPHeaders(fields)
  }

  private func reply(_ response: HTTPClientResponse) async throws -> HTTPReply {
    let headers = HTTPHeaderFields(
      response.headers.map { HTTPHeaderFields.Field($0.name, $0.value) })
    let (status, length) = (Int(response.status.code), headers.contentLength)
    let body = ClientBody(response.body, ending)
    if (300...399).contains(status), let length, length <= Self.shortBody {
      let bytes = try await HeededLimit.enforce {
        try await body.collect(upTo: Self.shortBody).bytes
      }
      return HTTPReply(status: status, headers: headers, body: HTTPByteStream(bytes))
    }
    return HTTPReply(
      status: status, headers: headers, body: HTTPByteStream(collected: body, length: length))
  }

  /// Nobody reads the body of a redirection that is followed, and giving it up would end its
  /// connection, or reset its stream just as it ends: up to so many bytes are read at once.
  private static let shortBody = 16_384
}

/// Whether a transport was shut down, and what its errors mean by that.
private final class Ending: Sendable {
  private static let mapping = ErrorMapping.standard.addingAsyncHTTPClientErrors()

  private let hasBegun = Locked(false)

  func begin() { hasBegun.withLock { $0 = true } }

  func failure(_ error: any Error, asked: BodyAsked? = nil) -> any Error {
    if let error = error as? HTTPClientError, error == .cancelled, !Task.isCancelled,
      !hasBegun.withLock({ $0 })
    {
      // Nobody here has given it up: a connection of HTTP/2 ended below it.
      return AppError.wire(
        .connectionLost, wasSent: true, details: "AsyncHTTPClient gave the request up",
        cause: error)
    }
    if error.isCancellation { return CancellationError() }
    if let source = asked?.failure { return source }
    let mapped = Self.mapping.map(error)
    guard let asked, asked.length != 0, mapped.disposition != .cancelled else { return mapped }
    // Of a body that nobody asked for no byte has left, so the service has no whole request.
    guard asked.wasAsked else { return mapped.adding(metadata: ["http.sent": "no"]) }
    // Only a connection that is there asks for one, whatever number it dies of later.
    return error is IOError ? mapped.adding(metadata: ["http.sent": "maybe"]) : mapped
  }
}

/// Whether anybody wanted the body of a request.
private final class BodyAsked: Sendable {
  private let state = Locked((wasAsked: false, failure: (any Error)?.none))
  /// An empty body is sent without being asked for.
  let length: Int?

  init(length: Int?) { self.length = length }

  var wasAsked: Bool { state.withLock { $0.wasAsked } }
  /// Why the body itself could not be read.
  var failure: (any Error)? { state.withLock { $0.failure } }

  func ask() { state.withLock { $0.wasAsked = true } }
  func fail(_ error: any Error) { state.withLock { $0.failure = error } }
}

/// A body in parts.
private struct PartsAsked: AsyncSequence, Sendable {
  typealias Element = ByteBuffer

  let stream: HTTPByteStream
  let asked: BodyAsked

  struct AsyncIterator: AsyncIteratorProtocol {
    let asked: BodyAsked
    var parts: HTTPByteStream.AsyncIterator

    mutating func next() async throws -> ByteBuffer? {
      asked.ask()
      do {
        return try await parts.next().map { ByteBuffer(bytes: $0) }
      } catch {
        asked.fail(error)
        throw error
      }
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(asked: asked, parts: stream.makeAsyncIterator())
  }
}

/// A body as a whole, which the library copies once it has a connection.
private struct BytesAsked: RandomAccessCollection, Sendable {
  let bytes: Data
  let asked: BodyAsked

  var startIndex: Int { bytes.startIndex }
  var endIndex: Int { bytes.endIndex }

  subscript(position: Int) -> UInt8 {
    asked.ask()
    return bytes[position]
  }

  func withContiguousStorageIfAvailable<R>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> R
  ) rethrows -> R? {
    asked.ask()
    return try bytes.withUnsafeBytes { try $0.withMemoryRebound(to: UInt8.self, body) }
  }
}

/// The body of an answer, for one reader, with errors that say what they mean.
///
/// The library ends the process where somebody begins to read for a second time.
private final class ClientBody: CollectedSequence {
  typealias Element = Data
  typealias Failure = any Error

  private let body: HTTPClientResponse.Body
  private let ending: Ending
  private let hasReader = Locked(false)

  init(_ body: HTTPClientResponse.Body, _ ending: Ending) {
    self.body = body
    self.ending = ending
  }

  private func opened() -> HTTPClientResponse.Body.AsyncIterator? {
    let isFirst = hasReader.withLock { hasReader in
      defer { hasReader = true }
      return !hasReader
    }
    return isFirst ? body.makeAsyncIterator() : nil
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    /// Nil for a second reader.
    var parts: HTTPClientResponse.Body.AsyncIterator?
    let ending: Ending

    mutating func next() async throws -> Data? {
      guard parts != nil else { throw HTTPByteStream.wasRead }
      do {
        guard let part = try await parts?.next(isolation: #isolation) else { return nil }
        return Data(copying: part)
      } catch {
        throw ending.failure(error)
      }
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(parts: opened(), ending: ending) }

  func collect(upTo limit: Int) async throws -> (bytes: Data, isCut: Bool) {
    guard var parts = opened() else { throw HTTPByteStream.wasRead }
    var bytes = Data()
    do {
      while let part = try await parts.next(isolation: #isolation) {
        let room = limit - bytes.count
        guard part.readableBytes <= room else {
          bytes.append(copying: part.getSlice(at: part.readerIndex, length: Swift.max(room, 0)))
          return (bytes, true)
        }
        // Most answers consist of one part.
        if bytes.isEmpty { bytes = Data(copying: part) } else { bytes.append(copying: part) }
      }
    } catch {
      throw ending.failure(error)
    }
    // The library just ends for a reader that is cancelled; a body that does is not whole.
    try Task.checkCancellation()
    return (bytes, false)
  }
}

extension Data {
  fileprivate init(copying part: ByteBuffer) {
    self = part.withUnsafeReadableBytes { bytes in
      bytes.baseAddress.map { Data(bytes: $0, count: bytes.count) } ?? Data()
    }
  }

  fileprivate mutating func append(copying part: ByteBuffer?) {
    part?.withUnsafeReadableBytes { append(contentsOf: $0) }
  }
}
