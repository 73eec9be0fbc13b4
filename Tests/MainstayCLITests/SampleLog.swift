// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

/// A folder with a log in it, which a monitor wrote: six errors of one group, one of another.
final class SampleLog: Sendable {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "mainstay-cli-\(UUID().uuidString)", directoryHint: .isDirectory)
  var file: String { folder.path + "/errors.jsonl" }

  init() async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // In the past: what is dated more than a day ahead is read otherwise.
    let now = Locked(Date(timeIntervalSince1970: 1_768_464_000))
    let sink = ErrorReport.FileSink(folder.appending(path: "errors.jsonl"))
    let monitor = ErrorMonitor(sinks: [sink], wallClock: { now.withLock { $0 } })
    for hour in 0..<3 {
      for _ in 0...hour {
        let error = AppError(
          code: "catalog.down", kind: .server, disposition: .transient(), title: "No catalog",
          message: "The catalog did not answer.", time: now.withLock { $0 })
        monitor.capture(error, during: "Load list", category: "catalog")
        monitor.recordRecovery(from: error, succeeded: hour > 0)
      }
      now.withLock { $0 += 3_600 }
    }
    monitor.capture(
      AppError(
        code: "list.odd", kind: .unknown, disposition: .permanent, title: "Odd",
        message: "A list has <b>odd</b> \"things\" & more.", time: now.withLock { $0 }),
      during: "Show list\u{1b}[2J", metadata: ["list.of.a.long.name": .public("first")])
    #expect(await monitor.flush(within: .patience))
  }

  /// That somebody recovered from the last report of the log.
  ///
  /// - Throws: Where the log cannot be read.
  func recovery() throws -> [String: Any] {
    let report = try last()
    var recovery = report.filter { ["id", "fingerprint", "code", "type", "time"].contains($0.key) }
    recovery["succeeded"] = true
    return recovery
  }

  private func last() throws -> [String: Any] {
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    let last = Data(try #require(lines.last { !$0.hasPrefix("{\"recovery\"") }).utf8)
    return try #require(try JSONSerialization.jsonObject(with: last) as? [String: Any])
  }

  /// Writes a log of its own into the folder: the last report of the other one, changed.
  ///
  /// - Parameters:
  ///   - name: The name of the file.
  ///   - changes: What each line has in the place of what the report says; each gets an identity
  ///     of its own.
  /// - Returns: Where it lies.
  /// - Throws: Where it cannot be written.
  func write(_ name: String, _ changes: [[String: Any]]) throws -> String {
    let report = try last()
    var data = Data()
    for change in changes {
      var line = report.merging(change) { $1 }
      line["id"] = UUID().uuidString
      data += try JSONSerialization.data(withJSONObject: line) + Data("\n".utf8)
    }
    let path = folder.path + "/" + name
    try data.write(to: URL(filePath: path))
    return path
  }

  /// The text of a fingerprint that is another one for each number below 9,000.
  static func fingerprint(_ number: Int) -> String {
    "1-" + String(repeating: "0a", count: 14) + String(number + 1_000)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}

/// A group as the program lists it.
struct ListedGroup: Decodable {
  let code: String
  let count: Int
  let fingerprint: String
  let recoveryAttempts: Int
  let recoverySuccesses: Int
}
