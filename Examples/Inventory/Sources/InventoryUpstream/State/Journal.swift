// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Why the service could not be started, in a sentence.
package struct StartFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// A file to which one JSON line is added for everything that happens.
///
/// A line reaches the operating system before the request is answered, so it outlives the process;
/// it is not forced to the disk, so the last ones may be lost with the power.
final class Journal {
  private let file: FileHandle
  private let encoder = JSON.encoder()

  /// Where the next line begins.
  private var end: UInt64

  private init(file: FileHandle, end: UInt64) {
    self.file = file
    self.end = end
  }

  deinit {
    // A process that was forked meanwhile has the file open too, until it runs its own program.
    flock(file.fileDescriptor, LOCK_UN)
  }

  /// Opens the journal of a folder, for this process alone, and reads what it holds.
  ///
  /// A last line that a kill has cut short is dropped: nobody was told of it.
  static func open(in folder: URL) throws(StartFailure) -> (journal: Journal, records: [Record]) {
    let path = folder.appending(path: "journal.jsonl").path
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      // mainstay:ignore MS205 -- a sentence is all that is printed
      throw StartFailure("The data folder \(folder.path) cannot be made or is no folder.")
    }
    let descriptor = systemOpen(path)
    guard descriptor >= 0 else {
      throw StartFailure("\(path) cannot be opened: \(String(cString: strerror(errno))).")
    }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw StartFailure("The data folder \(folder.path) is used by another process.")
    }
    guard let bytes = try? file.readToEnd() ?? Data() else {
      throw StartFailure("\(path) cannot be read.")
    }
    let whole = bytes.prefix(upTo: bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0)
    let records = try read(whole, path)
    let journal = Journal(file: file, end: UInt64(whole.count))
    journal.cut()
    return (journal, records)
  }

  private static func read(_ bytes: Data, _ path: String) throws(StartFailure) -> [Record] {
    let decoder = JSON.decoder()
    var records: [Record] = []
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
      guard let record = try? decoder.decode(Record.self, from: line) else {
        throw StartFailure("\(path) is damaged in line \(index + 1).")
      }
      records.append(record)
    }
    return records
  }

  /// Adds a line, whole or not at all.
  func append(_ record: Record) throws {
    let line = try encoder.encode(record) + [UInt8(ascii: "\n")]
    do {
      try file.write(contentsOf: line)
    } catch {
      // Half a line must not stand before the next one.
      cut()
      throw error
    }
    end += UInt64(line.count)
  }

  /// Drops what lies behind the last whole line.
  private func cut() {
    _ = try? file.truncate(atOffset: end)
    _ = try? file.seek(toOffset: end)
  }
}

private func systemOpen(_ path: String) -> Int32 {
  open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
}
