// SPDX-License-Identifier: Apache-2.0

import Foundation
internal import Mainstay

/// `Documentation/Strategy.md`: per target its errors, and what everything does with them.
///
/// Each target's tests write and compare their own section, since no test sees all targets.
public enum StrategyPage {
  /// One thing that can go wrong, as the page tells it.
  public struct Row: Hashable, Sendable {
    let code: String
    let rest: [String]

    /// Makes a row.
    public init(code: String, kind: String, disposition: String, severity: String, title: String) {
      self.code = code
      rest = [kind, disposition, severity, title]
    }
  }

  /// Where the page lies.
  public static let path = "Documentation/Strategy.md"

  private static let file = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: path)

  private static let writing = Locked(())

  /// A table of errors; those that differ in their codes alone share a line.
  public static func table(of rows: [Row]) -> [String] {
    var codes: [[String]: [String]] = [:]
    var order: [[String]] = []
    for row in rows {
      if codes[row.rest] == nil { order.append(row.rest) }
      if codes[row.rest]?.contains(row.code) != true {
        codes[row.rest, default: []].append(row.code)
      }
    }
    return ["| Code | Kind | Disposition | Severity | A person reads |", "|---|---|---|---|---|"]
      + order.map { rest in
        "| \(shortened(codes[rest] ?? [])) | \(rest.joined(separator: " | ")) |"
      }
  }

  /// At most five codes; of more the first three and the last.
  private static func shortened(_ codes: [String]) -> String {
    let quoted = codes.map { "`\($0)`" }
    guard let last = quoted.last, quoted.count > 5 else { return quoted.joined(separator: ", ") }
    return quoted.prefix(3).joined(separator: ", ") + " … \(last) (\(quoted.count) codes)"
  }

  /// What a target does about its errors by itself, broken into lines.
  public static func policies(_ text: String) -> [String] {
    var lines = ["**Policies:**"]
    for word in text.split(separator: " ") {
      let longer = "\(lines[lines.count - 1]) \(word)"
      if longer.count > 100 { lines.append(String(word)) } else { lines[lines.count - 1] = longer }
    }
    return lines
  }

  /// The section of a target as it stands on the page; nil where there is none.
  ///
  /// With `MAINSTAY_WRITE_REQUIREMENTS=1`, which `make requirements` sets, it is written before.
  public static func section(of target: String, writing lines: [String]) throws -> [String]? {
    if ProcessInfo.processInfo.environment["MAINSTAY_WRITE_REQUIREMENTS"] == "1" {
      try writing.withLock { _ in try write(lines, as: target) }
    }
    return find(target, in: try page()).map { Array($0.all[$0.inside]) }
  }

  private static func page() throws -> [String] {
    try String(contentsOf: file, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private static func find(
    _ target: String, in all: [String]
  ) -> (all: [String], inside: Range<Int>)? {
    guard let begin = all.firstIndex(of: "<!-- begin \(target) -->"),
      let end = all.firstIndex(of: "<!-- end \(target) -->"), begin < end
    else { return nil }
    return (all, begin + 1..<end)
  }

  private static func write(_ lines: [String], as target: String) throws {
    guard let found = find(target, in: try page()) else { return }
    var all = found.all
    all.replaceSubrange(found.inside, with: lines)
    try Data(all.joined(separator: "\n").utf8).write(to: file)
  }
}
