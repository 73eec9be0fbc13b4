// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import GRDB
internal import Mainstay

/// A damaged file of SQLite, which is moved aside whole and replaced by what can be read of it.
///
/// The new file is complete and on the disk before the damaged one is moved, so a process that dies
/// meanwhile, or a disk that is full, leaves the damaged file where it is, or both files and what
/// is needed to go on. Nothing of the damaged file is ever changed, written over or deleted.
package struct DamagedFile {
  /// The file and what SQLite keeps beside it.
  ///
  /// The logs go first: without them the next opening would take a part of the data for the whole.
  private static let companions = ["-wal", "-journal", "-shm", ""]
  private static let mark = "-salvaged-"

  /// Where the file will lie.
  package let keptAt: URL
  private let url: URL
  private let stamp: String

  /// - Parameters:
  ///   - url: The damaged file.
  ///   - date: The time of day, for the name under which it is kept.
  package init(_ url: URL, at date: Date) {
    let time = date.formatted(
      Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
    var (stamp, number) = (time, 1)
    while Self.companions.contains(where: { url.kept(as: stamp).adding($0).isThere }) {
      number += 1
      stamp = "\(time)-\(number)"
    }
    self.init(url, stamp: stamp)
  }

  private init(_ url: URL, stamp: String) {
    self.url = url
    self.stamp = stamp
    keptAt = url.kept(as: stamp)
  }

  /// Whether a file is something else than a database, such as a text.
  ///
  /// To be asked before it is opened: SQLite tidies up beside whatever it is given. Where the power
  /// went while the first page was written, that page may be anything, and SQLite has what belongs
  /// there in a log.
  package static func isForeign(_ url: URL) -> Bool {
    guard let start = beginning(of: url, count: 16), !start.isEmpty else { return false }
    guard start != Data("SQLite format 3\0".utf8) else { return false }
    return !logs.contains { suffix, mark in
      beginning(of: url.adding(suffix), count: mark.count) == Data(mark)
    }
  }

  /// How the logs of SQLite begin.
  private static let logs: [(suffix: String, mark: [UInt8])] = [
    ("-journal", [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]), ("-wal", [0x37, 0x7f, 0x06]),
  ]

  private static func beginning(of url: URL, count: Int) -> Data? {
    guard let file = try? FileHandle(forReadingFrom: url) else { return nil }
    defer { try? file.close() }
    return try? file.read(upToCount: count)
  }

  /// Goes on where a process died that was replacing a file; to be called before it is opened.
  package static func finishReplacing(_ url: URL) throws {
    let folder = url.deletingLastPathComponent()
    let start = url.lastPathComponent + mark
    guard folder.isThere else { return }
    for name in try FileManager.default.contentsOfDirectory(
      atPath: folder.path(percentEncoded: false)) where name.hasPrefix(start)
    {
      _ = try DamagedFile(url, stamp: String(name.dropFirst(start.count))).swap()
    }
  }

  /// Replaces the file.
  ///
  /// - Parameter build: Fills the new file from the damaged one, which is nil where it is no
  ///   database at all.
  /// - Returns: What was built, and the paths where the damaged file and its companions lie now.
  /// - Throws: What `build` or the file system throws; the damaged file is untouched then.
  package func replace<Found>(
    _ build: (_ damaged: Database?, _ new: DatabaseQueue) throws -> Found
  ) throws -> (found: Found, kept: [String]) {
    let files = FileManager.default
    let workshop = url.adding("-salvaging")
    // A process that died here left only copies.
    if workshop.isThere { try files.removeItem(at: workshop) }
    defer { try? files.removeItem(at: workshop) }
    try files.createDirectory(at: workshop, withIntermediateDirectories: true)
    let (copy, new) = (workshop.appending(path: "old"), workshop.appending(path: "new"))
    // Opening a file may change it, so a copy is opened.
    for suffix in ["", "-wal", "-journal"] where url.adding(suffix).isThere {
      try files.copyItem(at: url.adding(suffix), to: copy.adding(suffix))
    }
    let queue = try DatabaseQueue(path: new.path(percentEncoded: false))
    let found: Found
    if let damaged = try? DatabaseQueue(path: copy.path(percentEncoded: false)) {
      found = try damaged.unsafeRead { try build($0, queue) }
      try? damaged.close()
    } else {
      found = try build(nil, queue)
    }
    try queue.close()
    try files.moveItem(at: new, to: url.adding(Self.mark + stamp))
    return (found, try swap())
  }

  private func swap() throws -> [String] {
    let files = FileManager.default
    var kept: [String] = []
    for suffix in Self.companions {
      let target = keptAt.adding(suffix)
      if url.adding(suffix).isThere { try files.moveItem(at: url.adding(suffix), to: target) }
      if target.isThere { kept.insert(target.path(percentEncoded: false), at: 0) }
    }
    try files.moveItem(at: url.adding(Self.mark + stamp), to: url)
    return kept
  }
}

extension URL {
  fileprivate var isThere: Bool {
    FileManager.default.fileExists(atPath: path(percentEncoded: false))
  }

  fileprivate func adding(_ suffix: String) -> URL {
    deletingLastPathComponent().appending(path: lastPathComponent + suffix)
  }

  fileprivate func kept(as stamp: String) -> URL { adding(".damaged-\(stamp)") }
}
