// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

/// Reports that a `FileSink` wrote, read again.
struct ErrorLog {
  /// Each report once, the oldest first.
  private(set) var reports: [ErrorReport] = []
  /// What became of attempts to recover.
  private(set) var recoveries: [ErrorReport.Recovery] = []
  /// How many lines are neither.
  private(set) var unreadable = 0
  /// The files that were read.
  private(set) var files: [String] = []
  /// When it was read.
  let readAt: Date

  /// When the newest error happened; where there is none, when the log was read.
  var end: Date { reports.last?.time ?? readAt }

  /// Reads files, and all logs in folders.
  ///
  /// - Parameters:
  ///   - paths: Files such as `errors.jsonl`, whose older parts `errors.jsonl.1` and so on
  ///     are read with it, or folders of such files.
  ///   - time: The time of day.
  /// - Throws: `CommandFailure` where a path cannot be read or there is no log.
  init(reading paths: [String], at time: Date = Date()) throws {
    readAt = time
    let files = try paths.flatMap(Self.files)
    var seen: Set<String> = []
    self.files = files.filter { seen.insert($0).inserted }
    var progress = ProgressBar("Reading", total: self.files.map(Self.size).reduce(0, +))
    defer { progress.end() }
    var done = 0
    var known: Set<UUID> = []
    for file in self.files {
      let data: Data
      do {
        data = try Data(contentsOf: URL(filePath: file), options: .mappedIfSafe)
      } catch {
        throw CommandFailure(
          status: .couldNotRun, message: "\(file) cannot be read: \(AppError.from(error).message)")
      }
      for part in Self.parts(of: data) {
        let read = ErrorReport.Encoding.contents(ofJSON: part)
        reports += read.reports.filter { known.insert($0.id).inserted }
        recoveries += read.recoveries
        unreadable += read.unreadable
        done += part.count
        progress.show(done)
      }
    }
    reports.sort { $0.time < $1.time }
  }

  /// Pieces of a file that end with a line, so that a long one is read bit by bit.
  private static func parts(of data: Data) -> [Data] {
    var parts: [Data] = []
    var start = data.startIndex
    while start < data.endIndex {
      let aim = min(start + 1_000_000, data.endIndex)
      let end = data[aim...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? data.endIndex
      parts.append(data[start..<end])
      start = end
    }
    return parts
  }

  private static func files(at path: String) throws -> [String] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw CommandFailure(status: .couldNotRun, message: "\(path) does not exist.")
    }
    let url = URL(filePath: path)
    let folder = isFolder.boolValue ? url : url.deletingLastPathComponent()
    let names = try entries(of: folder, for: path)
    let found = names.filter { name in
      guard let base = base(of: name) else { return false }
      return isFolder.boolValue || base == url.lastPathComponent
    }
    if !isFolder.boolValue {
      return [path] + found.filter { $0 != url.lastPathComponent }.map { folder.path + "/" + $0 }
    }
    guard !found.isEmpty else {
      throw CommandFailure(
        status: .couldNotRun, message: "\(path) holds no logs: no file is named like errors.jsonl.")
    }
    return found.map { folder.path + "/" + $0 }
  }

  private static func entries(of folder: URL, for path: String) throws -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    } catch {
      throw CommandFailure(
        status: .couldNotRun, message: "\(path) cannot be read: \(AppError.from(error).message)")
    }
  }

  /// The name of the log that a file is, or is an older part of; nil where it is neither.
  private static func base(of name: String) -> String? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    if parts.last == "jsonl" { return name }
    guard parts.count > 2, let number = parts.last, Int(number) != nil,
      parts[parts.count - 2] == "jsonl"
    else { return nil }
    return parts.dropLast().joined(separator: ".")
  }

  private static func size(of file: String) -> Int {
    let values = try? URL(filePath: file).resourceValues(forKeys: [.fileSizeKey])
    return values?.fileSize ?? 0
  }
}
