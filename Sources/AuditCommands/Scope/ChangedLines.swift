// SPDX-License-Identifier: Apache-2.0

package import MainstayAudit

/// The lines of files that somebody changed.
package struct ChangedLines: Sendable, Equatable {
  /// Lines of one file, from 1.
  package struct Lines: Sendable, Equatable {
    /// In order; nil for all.
    private var ranges: [Range<Int>]?
    /// The lines behind which others were removed, in order; 0 is the start of the file.
    private var seams: [Int] = []
    /// What was removed, before which line, in order.
    fileprivate(set) var removed: [Removal] = []
    /// How bad what rules found before the change was, by the line that it stands on now.
    private var known: [Int: [String: Severity]] = [:]

    /// Whether anything was added or removed.
    var hasChanges: Bool { !(ranges ?? []).isEmpty || !removed.isEmpty }

    package static let all = Lines(ranges: nil)
    static let none = Lines(ranges: [])

    private init(
      ranges: [Range<Int>]?, seams: [Int] = [], known: [Int: [String: Severity]] = [:]
    ) {
      self.ranges = ranges
      self.seams = seams
      self.known = known
    }

    /// Whether a rule found something before the change that stands on a line which is as it was,
    /// and that was as bad then.
    package func knows(_ rule: String, _ severity: Severity, on line: Int) -> Bool {
      known[line]?[rule].map { $0 >= severity } ?? false && !contains(line)
    }

    mutating func know(_ rule: String, _ severity: Severity, on line: Int) {
      known[line, default: [:]][rule] = max(severity, known[line]?[rule] ?? severity)
    }

    package func contains(_ line: Int) -> Bool {
      guard let ranges else { return true }
      let place = ranges.firstPlace { $0.upperBound > line }
      return place < ranges.count && ranges[place].contains(line)
    }

    /// Whether one of some lines that follow each other was changed, or something between them was
    /// removed.
    package func touch(_ lines: ClosedRange<Int>) -> Bool {
      guard let ranges else { return true }
      let place = ranges.firstPlace { $0.upperBound > lines.lowerBound }
      if place < ranges.count, ranges[place].lowerBound <= lines.upperBound { return true }
      let seam = seams.firstPlace { $0 >= lines.lowerBound }
      return seam < seams.count && seams[seam] < lines.upperBound
    }

    mutating func addRemoval(behind line: Int) {
      guard ranges != nil, seams.last != line else { return }
      seams.append(line)
    }

    mutating func add(_ range: Range<Int>) {
      guard !range.isEmpty else { return }
      if let last = ranges?.last, last.upperBound == range.lowerBound {
        ranges?.removeLast()
        ranges?.append(last.lowerBound..<range.upperBound)
      } else {
        ranges?.append(range)
      }
    }

    /// The same lines after more changes, and those that were changed.
    package func after(_ hunks: [LineDiff.Hunk]) -> Lines {
      guard let ranges else { return self }
      var moved: [Range<Int>] = []
      var next = 0
      var shift = 0
      for line in ranges.joined() {
        while next < hunks.count, hunks[next].old.upperBound < line {
          shift = hunks[next].new.upperBound - hunks[next].old.upperBound
          next += 1
        }
        guard next == hunks.count || !hunks[next].old.contains(line - 1) else { continue }
        moved.append((line + shift)..<(line + shift + 1))
      }
      moved += hunks.map { ($0.new.lowerBound + 1)..<($0.new.upperBound + 1) }
        .filter { !$0.isEmpty }
      return Lines(
        ranges: moved.sorted { $0.lowerBound < $1.lowerBound }, seams: seams(after: hunks),
        known: known(after: hunks))
    }

    private func known(after hunks: [LineDiff.Hunk]) -> [Int: [String: Severity]] {
      var moved: [Int: [String: Severity]] = [:]
      var next = 0
      var shift = 0
      for (line, rules) in known.sorted(by: { $0.key < $1.key }) {
        while next < hunks.count, hunks[next].old.upperBound < line {
          shift = hunks[next].new.upperBound - hunks[next].old.upperBound
          next += 1
        }
        guard next == hunks.count || !hunks[next].old.contains(line - 1) else { continue }
        moved[line + shift] = rules
      }
      return moved
    }

    private func seams(after hunks: [LineDiff.Hunk]) -> [Int] {
      var next = 0
      var shift = 0
      return seams.compactMap { seam in
        while next < hunks.count, hunks[next].old.upperBound <= seam {
          shift = hunks[next].new.upperBound - hunks[next].old.upperBound
          next += 1
        }
        // What both sides of it gave way to is changed as a whole.
        guard next == hunks.count || hunks[next].old.lowerBound >= seam else { return nil }
        return seam + shift
      }
    }
  }

  private var files: [String: Lines] = [:]

  /// No lines of no files.
  init() {}

  /// The files, by path.
  package var paths: Set<String> { Set(files.keys) }

  package subscript(path path: String) -> Lines? { files[path] }

  /// Whether a finding is about a changed line, or about lines of which one was removed, and was
  /// not there before.
  package func contains(_ finding: Finding) -> Bool {
    guard let lines = files[finding.path], lines.touch(finding.lines) else { return false }
    return !lines.knows(finding.rule, finding.severity, on: finding.line)
  }

  mutating func addWhole(_ path: String) { files[path] = .all }

  mutating func replace(_ path: String, with lines: Lines) { files[path] = lines }

  /// Adds what changed in another repository.
  mutating func add(_ other: ChangedLines) { files.merge(other.files) { first, _ in first } }

  /// The same files, by the path from the root on.
  func below(_ folder: String) -> ChangedLines {
    var moved = self
    moved.files = Dictionary(files.map { (folder + "/" + $0, $1) }) { first, _ in first }
    return moved
  }

  /// The same files as findings name them.
  package func named(_ names: PathNames) -> ChangedLines {
    var moved = self
    moved.files = Dictionary(files.map { (names.relative($0), $1) }) { first, _ in first }
    return moved
  }

  // MARK: Reading

  /// Reads a difference, as `git diff --unified=0` prints it; lines around do not count.
  package init(diff: [UInt8]) {
    var path: String?
    var (removed, added) = (0, 0)
    var place = 0
    for line in diff.split(separator: 0x0A, omittingEmptySubsequences: false) {
      // A line of a file may look like a heading; how many there are has been said.
      if removed > 0 || added > 0 {
        switch line.first {
        case UInt8(ascii: "-"):
          if let path {
            files[path]?.addRemoval(behind: place - 1)
            files[path]?.removed.append(Removal(place: place, line: Array(line.dropFirst())))
          }
          removed -= 1
        case UInt8(ascii: "+"):
          if let path { files[path]?.add(place..<(place + 1)) }
          added -= 1
          place += 1
        case UInt8(ascii: "\\"): break
        default:
          // A line around a change, which both files have.
          removed -= 1
          added -= 1
          place += 1
        }
        continue
      }
      let text = String(decoding: line, as: UTF8.self)
      if text.hasPrefix("+++ ") {
        path = Self.path(text.dropFirst(4))
        if let path { files[path] = Lines.none }
      } else if text.hasPrefix("@@ "), let hunk = Self.hunk(text) {
        // Of a place where nothing was added, the line before it is named.
        place = hunk.added.lowerBound + (hunk.added.isEmpty ? 1 : 0)
        (removed, added) = (hunk.removed, hunk.added.count)
      }
    }
  }

  /// `b/Sources/A.swift`, in quotes and with escapes where it has odd characters.
  private static func path(_ text: Substring) -> String? {
    var text = text
    if text.hasPrefix("\"") {
      text = Substring(unquoted(text))
    } else if text.hasSuffix("\t") {
      // A name with a space has a tab behind it.
      text = text.dropLast()
    }
    return text.hasPrefix("b/") ? String(text.dropFirst(2)) : nil
  }

  private static func unquoted(_ text: Substring) -> String {
    let escapes: [UInt8: UInt8] = [
      UInt8(ascii: "n"): 10, UInt8(ascii: "t"): 9, UInt8(ascii: "r"): 13, UInt8(ascii: "a"): 7,
      UInt8(ascii: "b"): 8, UInt8(ascii: "f"): 12, UInt8(ascii: "v"): 11,
    ]
    var bytes: [UInt8] = []
    var rest = Array(text.utf8).dropFirst()
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      guard byte == UInt8(ascii: "\\"), let next = rest.first else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(3)
      if digits.count == 3, digits.allSatisfy({ (0x30...0x37).contains($0) }) {
        bytes.append(digits.reduce(0) { $0 &* 8 &+ ($1 - 0x30) })
        rest = rest.dropFirst(3)
      } else {
        bytes.append(escapes[next] ?? next)
        rest = rest.dropFirst()
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// `@@ -1,2 +3,4 @@`: how many lines went, and which came.
  private static func hunk(_ text: String) -> (removed: Int, added: Range<Int>)? {
    let parts = text.split(separator: " ")
    guard parts.count >= 4, let old = range(parts[1], "-"), let new = range(parts[2], "+") else {
      return nil
    }
    return (old.count, new)
  }

  private static func range(_ text: Substring, _ sign: String) -> Range<Int>? {
    guard text.hasPrefix(sign) else { return nil }
    let numbers = text.dropFirst().split(separator: ",").map { Int($0) }
    guard let first = numbers.first, let start = first, start >= 0 else { return nil }
    let count = numbers.count > 1 ? numbers[1] ?? 0 : 1
    return start..<(start + max(0, count))
  }
}

extension Array {
  /// The first place whose element is as asked, where all after it are as well; `count` for none.
  fileprivate func firstPlace(where matches: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if matches(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
