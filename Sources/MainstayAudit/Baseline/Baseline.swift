// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Findings that a project knows of and has not mended yet; they are not told again.
///
/// A finding is known by its rule, its file, the declarations around it and its statement or
/// clause, so that an entry outlives changes elsewhere in the file, also where code moves.
package struct Baseline: Sendable, Equatable {
  /// One finding that is known.
  package struct Entry: Sendable, Hashable, Codable {
    package let rule: String
    /// The file, relative to the folder of the baseline.
    package let path: String
    /// Names of the declarations around, joined by dots.
    package let `in`: String
    /// A hash of the statement's tokens, in hexadecimal digits.
    package let statement: String
    /// Which one it is of those that have all else in common, from 0.
    package let ordinal: Int
  }

  /// The entries, sorted.
  package private(set) var entries: [Entry]
  /// The line of each entry in the file that it was read from.
  private var lines: [Entry: Int] = [:]

  static let version = 1

  /// The baseline of some findings.
  ///
  /// - Parameters:
  ///   - findings: All findings of a run.
  ///   - rename: The path of a finding as the baseline names it.
  package init(_ findings: [Finding], rename: (String) -> String = { $0 }) {
    var counts: [Entry: Int] = [:]
    entries = findings.filter { Self.isKept($0.rule) }.map { Self.entry($0, rename, &counts) }
      .sorted(by: Self.isBefore)
  }

  private init(entries: [Entry], lines: [Entry: Int]) {
    self.entries = entries
    self.lines = lines
  }

  /// No baseline may hide what is wrong with the audit's own comments and files: such findings have
  /// no code to be told by, so that one would stand for another of the same file.
  private static func isKept(_ rule: String) -> Bool { !housekeeping.contains(rule) }

  private static let housekeeping = Set(Housekeeping.all.map(\.id))

  private static func entry(
    _ finding: Finding, _ rename: (String) -> String, _ counts: inout [Entry: Int]
  ) -> Entry {
    let digits = String(finding.anchor.statement, radix: 16)
    let statement = String(repeating: "0", count: 16 - digits.count) + digits
    func entry(_ ordinal: Int) -> Entry {
      Entry(
        rule: finding.rule, path: rename(finding.path), in: finding.anchor.declaration,
        statement: statement, ordinal: ordinal)
    }
    let first = entry(0)
    let ordinal = counts[first, default: 0]
    counts[first] = ordinal + 1
    return entry(ordinal)
  }

  private static func isBefore(_ one: Entry, _ other: Entry) -> Bool {
    (one.path, one.in, one.rule, one.statement, one.ordinal)
      < (other.path, other.in, other.rule, other.statement, other.ordinal)
  }

  // MARK: Using it

  /// What is left of some findings, and which entries they had.
  ///
  /// - Parameters:
  ///   - findings: The findings of a run, in the order of their places.
  ///   - isChanged: Whether a finding is on a line that somebody changed. Of findings that an entry
  ///     cannot tell from each other it then knows the others first: those were there before.
  ///   - rename: The path of a finding as the baseline names it.
  /// - Returns: The findings that no entry knows, and the entries that no finding has.
  package func apply(
    to findings: [Finding], isChanged: (Finding) -> Bool = { _ in false },
    rename: (String) -> String = { $0 }
  ) -> (new: [Finding], unmet: [Entry]) {
    var unmet = Set(entries)
    var counts: [Entry: Int] = [:]
    let changed = findings.map(isChanged)
    var isNew = findings.map { _ in true }
    for turn in [false, true] {
      for index in findings.indices where changed[index] == turn {
        isNew[index] = unmet.remove(Self.entry(findings[index], rename, &counts)) == nil
      }
    }
    let new = zip(findings, isNew).filter(\.1).map(\.0)
    return (new, entries.filter(unmet.contains))
  }

  /// The finding that an entry no longer occurs.
  ///
  /// - Parameters:
  ///   - entry: An entry of this baseline.
  ///   - path: The file of the baseline, as findings name it.
  /// - Returns: A finding of MS004 at the line of the entry.
  package func staleness(of entry: Entry, path: String) -> Finding {
    let place = entry.in.isEmpty ? entry.path : "`\(entry.in)` of \(entry.path)"
    let source = Self.line(of: entry)
    return Housekeeping.staleBaseline.at(
      IndexedSite(
        path: path, line: lines[entry] ?? 1, column: 1, endColumn: source.utf8.count + 1,
        source: source, anchor: Finding.Anchor(declaration: "", statement: 0)),
      "\(entry.rule) in \(place) no longer occurs")
  }

  // MARK: As a file

  /// The file: one line for each entry, sorted, so that a change of one is a change of one line.
  package var text: String {
    let lines = entries.map { Self.line(of: $0) }
    let list = lines.isEmpty ? "[]" : "[\n\(lines.joined(separator: ",\n"))\n]"
    return "{\"version\": \(Self.version), \"findings\": \(list)}\n"
  }

  private static func line(of entry: Entry) -> String {
    let parts = [
      ("path", quoted(entry.path)), ("in", quoted(entry.in)), ("rule", quoted(entry.rule)),
      ("statement", quoted(entry.statement)), ("ordinal", "\(entry.ordinal)"),
    ]
    return "{" + parts.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// Reads a file.
  ///
  /// - Parameter text: What it holds.
  /// - Throws: What is wrong with it.
  package init(text: String) throws(BaselineError) {
    struct File: Decodable {
      let version: Int
      let findings: [Entry]
    }
    let file: File
    do {
      file = try JSONDecoder().decode(File.self, from: Data(text.utf8))
    } catch {
      throw BaselineError(reason: Self.reason(error, in: text))
    }
    guard file.version == Self.version else {
      throw BaselineError(
        reason: "it has version \(file.version), and this program knows \(Self.version)")
    }
    var lines: [Entry: Int] = [:]
    var line = 0
    // An entry is found again by its own line; where somebody has laid the file out anew, the
    // first line will do.
    let places = Dictionary(
      text.split(separator: "\n", omittingEmptySubsequences: false).map { part in
        line += 1
        return (part.hasSuffix(",") ? part.dropLast() : part, line)
      }, uniquingKeysWith: { first, _ in first })
    for entry in file.findings { lines[entry] = places[Substring(Self.line(of: entry))] }
    // Earlier versions kept what no baseline may hide.
    let kept = Set(file.findings.lazy.filter { Self.isKept($0.rule) })
    self.init(entries: kept.sorted(by: Self.isBefore), lines: lines)
  }

  private static func reason(_ error: any Error, in text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if let line = lines.firstIndex(where: { $0.hasPrefix("<<<<<<<") }) {
      return "a merge left its marks at line \(line + 1)"
    }
    guard case .keyNotFound(let key, let context) = error as? DecodingError else {
      return "it is no baseline"
    }
    let index = context.codingPath.compactMap(\.intValue).first
    return index.map { "its entry \($0 + 1) has no `\(key.stringValue)`" }
      ?? "it has no `\(key.stringValue)`"
  }
}

/// Why a file is no baseline.
package struct BaselineError: Error, Sendable, Hashable {
  /// For the end of a sentence.
  package let reason: String

  package init(reason: String) { self.reason = reason }
}
