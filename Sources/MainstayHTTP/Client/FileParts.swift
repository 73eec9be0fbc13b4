// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A file in parts, or for whoever sends it as a whole.
final class FileParts: AsyncSequence, Sendable {
  typealias Element = Data
  typealias Failure = any Error

  private let url: URL
  private let stamp: FileStamp

  /// The content that a file has now.
  init(of url: URL) throws {
    self.url = url
    stamp = try FileStamp(of: url)
  }

  /// How many bytes there are.
  var length: Int? { stamp.size }

  /// Where it is, for whoever reads it by itself; nil for what is no plain file, of which nobody
  /// can say beforehand how long it is.
  ///
  /// - Throws: What says that it cannot be read.
  func place() throws -> URL? {
    guard stamp.isPlain else { return nil }
    try FileHandle(forReadingFrom: url).close()
    // The length of a link is that of its text.
    return url.resolvingSymlinksInPath()
  }

  /// Throws where the file is not what it was.
  func check() throws {
    guard try FileStamp(of: url) == stamp else { throw HTTPMessageBody.changed }
  }

  /// Throws where somebody who held the file open may have sent something else than what it was.
  ///
  /// Once all of it has gone, one that is removed, or has another one in its place, was sent as it
  /// was. Of one that was written to nobody knows when that was.
  func check(afterSending count: Int64) throws {
    let isWhole = stamp.size.map(Int64.init) == count
    do {
      let now = try FileStamp(of: url)
      guard now == stamp || (isWhole && !now.isSameFile(as: stamp)) else {
        throw HTTPMessageBody.changed
      }
    } catch let error as CocoaError where isWhole && error.code == .fileReadNoSuchFile {}
  }

  /// Whether there is a file that is not what it was; not where there is none to look at.
  var hasChanged: Bool { (try? FileStamp(of: url)).map { $0 != stamp } ?? false }

  struct AsyncIterator: AsyncIteratorProtocol {
    let source: FileParts
    var file: FileHandle?

    mutating func next() async throws -> Data? {
      let open = try file ?? FileHandle(forReadingFrom: source.url)
      file = open
      let part = try open.read(upToCount: HTTPByteStream.partLength)
      guard let part, !part.isEmpty else {
        try open.close()
        try source.check()
        return nil
      }
      return part
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: self) }
}

/// By what the content of a file is known without reading it.
struct FileStamp: Sendable, Equatable {
  let size: Int?
  /// Whether it is neither a folder nor a device nor a pipe.
  let isPlain: Bool
  private let modified: Date?
  private let number: Int?

  init(of url: URL) throws {
    let attributes = try FileManager.default.attributesOfItem(
      atPath: url.resolvingSymlinksInPath().path)
    size = (attributes[.size] as? NSNumber)?.intValue
    isPlain = attributes[.type] as? FileAttributeType == .typeRegular
    modified = attributes[.modificationDate] as? Date
    number = (attributes[.systemFileNumber] as? NSNumber)?.intValue
  }

  /// Whether both are of one file, whatever stands in it.
  func isSameFile(as other: FileStamp) -> Bool { number == other.number }
}
