// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What no file may say, and what each Swift file says first.
enum TextRules {
  /// Reminders, in capitals and as whole words.
  ///
  /// They are built from halves, or this file would break its own rule.
  static let reminders: Set = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]

  /// Phrases that admit a gap, in any case.
  static let phrases = ["not " + "implemented", "un" + "implemented", "place" + "holder"]

  static func leftovers(_ files: [SourceFile]) -> [Violation] {
    files.flatMap { file in
      file.lines.indices.compactMap { index in
        guard let word = leftover(in: file.lines[index]) else { return nil }
        return Violation(
          path: file.path, line: index + 1, rule: "`\(word)` marks something unfinished",
          cure: "Finish it, or open an issue and say nothing here")
      }
    }
  }

  private static func leftover(in line: Substring) -> String? {
    let words = line.split { !$0.isLetter }
    if let reminder = words.first(where: { reminders.contains(String($0)) }) {
      return String(reminder)
    }
    // In pages the last phrase is the name of an attribute too.
    let name = phrases[2]
    let lowercased = ["::" + name, "." + name, name + "="].reduce(line.lowercased()) {
      $0.replacing($1, with: "")
    }
    return phrases.first { lowercased.contains($0) }
  }

  /// What git writes into a file where two sides of a merge differ.
  ///
  /// In halves too. The one in the middle also underlines a title in Markdown.
  static let mergeMarks = ["<<<<" + "<<< ", ">>>>" + ">>> "]

  static func unresolvedMerges(_ files: [SourceFile]) -> [Violation] {
    files.flatMap { file in
      file.lines.indices.compactMap { index in
        guard mergeMarks.contains(where: file.lines[index].hasPrefix) else { return nil }
        return Violation(
          path: file.path, line: index + 1, rule: "a merge was left half done",
          cure: "Keep what is right of both sides, and take out git's marks")
      }
    }
  }

  static let license = "// SPDX-License-Identifier: Apache-2.0"

  /// A manifest's first line is the tools version, so there the licence is the second.
  static func licenses(_ files: [SourceFile]) -> [Violation] {
    files.compactMap { file in
      let line = file.name == "Package.swift" ? 2 : 1
      guard file.lines.dropFirst(line - 1).first.map(String.init) != license else { return nil }
      return Violation(
        path: file.path, line: line, rule: "the licence line is missing",
        cure: "Write `\(license)` here")
    }
  }

  /// Paths that a file system which ignores case would take for one.
  static func pathsEqualIgnoringCase(_ paths: [String]) -> [Violation] {
    let folders = paths.flatMap { path in
      let parts = path.split(separator: "/")
      return parts.indices.dropFirst().map { parts[..<$0].joined(separator: "/") }
    }
    let spellings = Dictionary(grouping: Set(paths + folders)) { $0.lowercased() }
    return spellings.values.filter { $0.count > 1 }.map { same in
      let sorted = same.sorted()
      return Violation(
        path: sorted[0], line: 1, rule: "differs only in case from \(sorted.dropFirst().joined())",
        cure: "Rename one of them")
    }
  }
}
