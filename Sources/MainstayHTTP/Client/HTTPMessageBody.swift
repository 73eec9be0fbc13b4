// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import Mainstay

/// What a request carries, made anew for each attempt, so that it can be sent again.
public struct HTTPMessageBody: Sendable {
  /// The value of `Content-Type`; nil for none.
  public let contentType: String?
  /// Whether it can be made again; what can be read once is sent once.
  public let isRepeatable: Bool
  /// Whether it can be read once, and somebody has begun to.
  var isSpent: Bool { parts?.wasBegun ?? false }

  /// Whether it is sent in parts, or has more bytes than one of them.
  let isLong: Bool

  private let make: @Sendable () async throws -> HTTPTransmission.Body
  private let parts: PartsOnce?
  private let file: URL?
  /// Encodes what is not bytes yet, by the settings of the client that sends it.
  private let encode: (@Sendable (JSONEncoder) throws -> Data)?

  private init(
    _ contentType: String?, isLong: Bool = true, once parts: PartsOnce? = nil,
    of file: URL? = nil, _ make: @escaping @Sendable () async throws -> HTTPTransmission.Body
  ) {
    self.contentType = contentType
    self.isLong = isLong
    isRepeatable = parts == nil
    self.parts = parts
    self.file = file
    self.make = make
    encode = nil
  }

  private init(encoding value: some Encodable & Sendable) {
    contentType = "application/json"
    isLong = false
    isRepeatable = true
    (parts, file) = (nil, nil)
    let encode: @Sendable (JSONEncoder) throws -> Data = { try $0.encode(value) }
    self.encode = encode
    make = { .bytes(try encode(ResilientClient.Settings().encoder())) }
  }

  /// The same with its bytes, which an encoder makes of a value that was kept; for all attempts.
  func encoded(by encoder: () -> JSONEncoder) throws -> HTTPMessageBody {
    guard let encode else { return self }
    return HTTPMessageBody(contentType, of: try encode(encoder()))
  }

  private init(_ contentType: String?, of bytes: Data) {
    self.init(contentType, isLong: bytes.count > HTTPByteStream.partLength) { .bytes(bytes) }
  }

  /// By what its content is known from one attempt to the next; nil where that cannot change.
  var stamp: FileStamp? { get throws { try file.map { try FileStamp(of: $0) } } }

  /// The body of one attempt.
  func transmitted() async throws -> HTTPTransmission.Body { try await make() }

  /// Bytes.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - contentType: Of what type they are; by default `application/octet-stream`.
  /// - Returns: The body.
  public static func bytes(
    _ bytes: Data, contentType: String? = "application/octet-stream"
  ) -> HTTPMessageBody {
    HTTPMessageBody(contentType, of: bytes)
  }

  /// A value as JSON, encoded once, when it is sent: by the encoder of the client that sends it.
  ///
  /// What the encoder throws ends the request, which was not sent then.
  ///
  /// - Parameter value: The value.
  /// - Returns: The body.
  public static func json(_ value: some Encodable & Sendable) -> HTTPMessageBody {
    HTTPMessageBody(encoding: value)
  }

  /// A value as JSON, encoded at once by an encoder of your own.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - encoder: What encodes it, whatever the settings of the client are. Where a repetition in
  ///     another process is to have the same bytes it has to sort keys.
  /// - Returns: The body.
  /// - Throws: What the encoder throws.
  public static func json(
    _ value: some Encodable, encoder: JSONEncoder
  ) throws -> HTTPMessageBody {
    let bytes = try encoder.encode(value)
    return HTTPMessageBody("application/json", of: bytes)
  }

  /// The fields of a form, as `application/x-www-form-urlencoded`.
  ///
  /// - Parameter fields: Names and values, which may hold anything.
  /// - Returns: The body.
  public static func form(_ fields: KeyValuePairs<String, String>) -> HTTPMessageBody {
    // A query of a path that is nothing but that.
    let text = HTTPPath("").query(fields).text.dropFirst()
    let bytes = Data(text.utf8)
    return HTTPMessageBody("application/x-www-form-urlencoded", of: bytes)
  }

  /// The content of a file, read in parts at each attempt.
  ///
  /// A file that changes while it is sent, or between two attempts, ends the request as a defect:
  /// the service would get a mixture, or two contents for one effect. URLSession sends it from
  /// where it is, so a mixture may have arrived by then. Send a copy of what changes. A file that
  /// is removed or replaced once all of it has gone, while the service works on it, does no harm.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - contentType: Of what type it is; by default `application/octet-stream`.
  /// - Returns: The body.
  public static func file(
    _ url: URL, contentType: String? = "application/octet-stream"
  ) -> HTTPMessageBody {
    HTTPMessageBody(contentType, of: url) { .stream(HTTPByteStream(try FileParts(of: url))) }
  }

  /// Parts that come one after the other and can be made again.
  ///
  /// - Parameters:
  ///   - contentType: Of what type they are.
  ///   - make: Begins them, once for each attempt.
  /// - Returns: The body.
  public static func stream(
    contentType: String? = "application/octet-stream",
    _ make: @escaping @Sendable () async throws -> HTTPByteStream
  ) -> HTTPMessageBody {
    HTTPMessageBody(contentType) {
      .stream(try await HeededLimit.enforce { try await make() })
    }
  }

  /// Parts that can be read once, such as what somebody uploads: the request is sent once, whatever
  /// the policies are.
  ///
  /// As soon as somebody has begun to read them, neither another attempt nor another request with
  /// this body is sent: it would arrive empty.
  ///
  /// - Parameters:
  ///   - stream: The parts.
  ///   - contentType: Of what type they are.
  /// - Returns: The body.
  public static func once(
    _ stream: HTTPByteStream, contentType: String? = "application/octet-stream"
  ) -> HTTPMessageBody {
    let parts = PartsOnce(stream)
    return HTTPMessageBody(contentType, once: parts) {
      .stream(HTTPByteStream(parts, length: stream.length))
    }
  }

  /// What is told where a file is not what it was when it was first sent.
  static var changed: AppError {
    .wire(
      .defect, wasSent: nil, details: "The file has changed since it was first sent",
      cause: CocoaError(.fileReadUnknown))
  }

  /// What is told to whoever wants to send again what was read already.
  static var spent: AppError {
    .wire(
      .defect, wasSent: false, details: "The body can be read once, and was read already",
      cause: URLError(.requestBodyStreamExhausted))
  }
}

/// Parts for one reader; a second one gets an error in place of what the first has left over.
private final class PartsOnce: AsyncSequence, Sendable {
  typealias Element = Data
  typealias Failure = any Error

  private let stream: HTTPByteStream
  private let begun = Locked(false)

  init(_ stream: HTTPByteStream) { self.stream = stream }

  /// Whether somebody has asked for a part: before that the stream is as it was.
  var wasBegun: Bool { begun.withLock { $0 } }

  private func begin() throws -> HTTPByteStream.AsyncIterator {
    let isSecond = begun.withLock { begun in
      defer { begun = true }
      return begun
    }
    guard !isSecond else { throw HTTPMessageBody.spent }
    return stream.makeAsyncIterator()
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    let source: PartsOnce
    var parts: HTTPByteStream.AsyncIterator?

    mutating func next() async throws -> Data? {
      var open = try parts ?? source.begin()
      defer { parts = open }
      return try await open.next()
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: self) }
}
