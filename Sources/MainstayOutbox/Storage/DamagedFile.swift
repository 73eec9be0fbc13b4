// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import GRDB
internal import Mainstay

/// A damaged file of SQLite, which is moved aside whole and replaced by what can be read of it.
///
/// The new file is complete and on the disk before the damaged one is moved. So a process that dies
/// meanwhile, or a disk that is full, leaves the damaged file where it is, or both files and what
/// is needed to go on. Nothing of a damaged file is ever changed or written over, and it is deleted
/// only where ``maximumKept`` newer ones are there.
package struct DamagedFile {
  /// How many damaged files are kept: each may be as large as what it was replaced by, so a disk
  /// that damages one after the other must not be filled with them.
  package static let maximumKept = 3

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
    // Who may read what is made in it is said at the end.
    try files.createDirectory(
      at: workshop, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
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
    try giveAccess(to: new)
    try files.moveItem(at: new, to: url.adding(Self.mark + stamp))
    return (found, try swap())
  }

  /// Whoever may use the damaged file may use the new one, and nobody else.
  private func giveAccess(to new: URL) throws {
    guard let access = FileAccess(of: url.path(percentEncoded: false)) else { return }
    let file = try FileHandle(forReadingFrom: new)
    defer { try? file.close() }
    access.give(to: file.fileDescriptor)
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
    // What cannot be deleted stays until the next time: the file is whole again, which counts.
    // mainstay:ignore MS203 -- they take room, and are forgotten the next time
    try? forgetOlder()
    return kept
  }

  /// Deletes the oldest of the damaged files, but not this one, whatever the clock said.
  private func forgetOlder() throws {
    let folder = url.deletingLastPathComponent()
    let start = url.lastPathComponent + ".damaged-"
    var found: [Stamp: [URL]] = [:]
    for name in try FileManager.default.contentsOfDirectory(
      atPath: folder.path(percentEncoded: false)) where name.hasPrefix(start)
    {
      let end = String(name.dropFirst(start.count))
      let suffix = Self.companions.first { !$0.isEmpty && end.hasSuffix($0) } ?? ""
      let file = folder.appending(path: name)
      guard let stamp = Stamp(String(end.dropLast(suffix.count))), file.isPlain else { continue }
      found[stamp, default: []].append(file)
    }
    if let own = Stamp(stamp) { found[own] = nil }
    for (_, files) in found.sorted(by: { $0.key > $1.key }).dropFirst(Self.maximumKept - 1) {
      for file in files { try? FileManager.default.removeItem(at: file) }
    }
  }

  /// When a file was moved aside, as its name says.
  private struct Stamp: Hashable, Comparable {
    let time: String
    /// From 2 where others had been moved aside in the same second.
    let number: Int

    /// Nil where the text is another one than this type has made.
    init?(_ text: String) {
      let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
      let shape = (parts.first ?? "").utf8.map { (48...57).contains($0) ? UInt8(ascii: "0") : $0 }
      guard shape == Array("00000000T000000Z".utf8) else { return nil }
      (time, number) = (String(text.prefix(shape.count)), Int(parts.last ?? "") ?? 1)
      guard text == (number == 1 ? time : "\(time)-\(number)") else { return nil }
    }

    static func < (left: Stamp, right: Stamp) -> Bool {
      (left.time, left.number) < (right.time, right.number)
    }
  }
}

extension URL {
  fileprivate var isThere: Bool {
    FileManager.default.fileExists(atPath: path(percentEncoded: false))
  }

  /// Whether it is a file, and no folder or link.
  fileprivate var isPlain: Bool {
    let attributes = try? FileManager.default.attributesOfItem(
      atPath: path(percentEncoded: false))
    return attributes?[.type] as? FileAttributeType == .typeRegular
  }

  fileprivate func adding(_ suffix: String) -> URL {
    deletingLastPathComponent().appending(path: lastPathComponent + suffix)
  }

  fileprivate func kept(as stamp: String) -> URL { adding(".damaged-\(stamp)") }
}
