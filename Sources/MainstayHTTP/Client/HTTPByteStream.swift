// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import Mainstay

/// Bytes of a body that come one part after the other, and are read once.
///
/// Whoever stops reading gives the rest up: the connection need not carry it any further. A second
/// reader of an answer's body gets an error in place of parts.
public struct HTTPByteStream: AsyncSequence, Sendable {
  /// The parts.
  public typealias Element = Data

  /// How many bytes there will be; nil where nobody knows.
  public let length: Int?

  private let source: Source

  private enum Source: Sendable {
    case parts(any AsyncSequence<Data, any Error> & Sendable)
    case whole(any CollectedSequence)
    /// A file, and what moves with its parts.
    case file(FileParts, Patience?)
  }

  /// Makes a stream of parts.
  ///
  /// - Parameters:
  ///   - parts: The parts; they may be empty.
  ///   - length: How many bytes there will be, zero or more; nil where that is not known.
  public init(_ parts: some AsyncSequence<Data, any Error> & Sendable, length: Int? = nil) {
    source = .parts(parts)
    self.length = length
  }

  /// Makes a stream of parts that can also be read at once.
  package init(collected parts: some CollectedSequence, length: Int?) {
    source = .whole(parts)
    self.length = length
  }

  /// Makes a stream of a file, each part of which moves the end of a limit where there is one.
  init(_ file: FileParts, moving patience: Patience? = nil) {
    source = .file(file, patience)
    length = file.length
  }

  /// The file that all of it stands in; nil where it comes from elsewhere.
  var file: FileParts? { if case .file(let file, _) = source { file } else { nil } }

  /// Makes a stream of bytes that are there.
  public init(_ bytes: Data) {
    self.init(
      AsyncThrowingStream<Data, any Error> { continuation in
        if !bytes.isEmpty { continuation.yield(bytes) }
        continuation.finish()
      }, length: bytes.count)
  }

  /// Reads one part after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var iterator: any AsyncIteratorProtocol<Data, any Error>

    /// The next part; nil at the end.
    ///
    /// - Throws: What the source throws, such as an error of a connection that broke.
    public mutating func next() async throws -> Data? {
      if let part = try await iterator.next(isolation: #isolation) { return part }
      // Many sequences just end for a reader that is cancelled; a body that does is not whole.
      try Task.checkCancellation()
      return nil
    }
  }

  /// Begins to read.
  public func makeAsyncIterator() -> AsyncIterator {
    switch source {
    case .parts(let parts): AsyncIterator(iterator: Self.opened(parts))
    case .whole(let parts): AsyncIterator(iterator: Self.opened(parts))
    case .file(let parts, nil): AsyncIterator(iterator: Self.opened(parts))
    case .file(let parts, let patience?):
      AsyncIterator(
        iterator: Self.opened(MovingParts(stream: HTTPByteStream(parts), patience: patience)))
    }
  }

  private static func opened(
    _ parts: some AsyncSequence<Data, any Error>
  ) -> any AsyncIteratorProtocol<Data, any Error> {
    parts.makeAsyncIterator()
  }

  /// Reads everything, up to a limit.
  ///
  /// - Parameter limit: The most bytes that are kept; zero or more.
  /// - Returns: The bytes, and whether there were more than that, which are given up.
  /// - Throws: What the source throws.
  public func collect(upTo limit: Int) async throws -> (bytes: Data, isCut: Bool) {
    if case .whole(let parts) = source { return try await parts.collect(upTo: limit) }
    return try await collectParts(upTo: limit)
  }

  /// Apart from the shorter way, since what a call has to keep is measured for all of its ways.
  ///
  /// The task that reads a body within its limit would need more memory for the one that is not
  /// taken.
  @inline(never)
  private func collectParts(upTo limit: Int) async throws -> (bytes: Data, isCut: Bool) {
    var bytes = Data()
    for try await part in self {
      guard bytes.count + part.count <= limit else {
        bytes.append(part.prefix(Swift.max(limit - bytes.count, 0)))
        return (bytes, true)
      }
      // The one part that most answers consist of is not copied.
      if bytes.isEmpty { bytes = part } else { bytes.append(part) }
    }
    return (bytes, false)
  }
}

extension HTTPByteStream {
  /// What a transport tells whoever reads the body of an answer for a second time.
  package static var wasRead: AppError {
    .wire(
      .defect, wasSent: true,
      details: "The body of an answer can be read once, and was read already",
      cause: URLError(.resourceUnavailable))
  }
}

/// A sequence that knows a shorter way to read all of itself than one part after the other through
/// a type that nobody knows.
package protocol CollectedSequence: AsyncSequence<Data, any Error>, Sendable {
  /// Reads everything, up to a limit.
  ///
  /// - Parameter limit: The most bytes that are kept; zero or more.
  /// - Returns: The bytes, and whether there were more than that, which are given up.
  /// - Throws: What the sequence throws, and the cancellation of a reader for whom it just ended.
  func collect(upTo limit: Int) async throws -> (bytes: Data, isCut: Bool)
}
