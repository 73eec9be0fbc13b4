// SPDX-License-Identifier: Apache-2.0

import MainstayTesting

/// How long files, functions and lines may be.
enum LengthRules {
  static let maximumLinesPerFile = 400
  static let maximumLinesPerFunction = 70
  static let maximumColumns = 100

  static func files(_ files: [SourceFile]) -> [Violation] {
    files.compactMap { file in
      // The line end of the last line does not begin another one.
      let count = file.lines.last == "" ? file.lines.count - 1 : file.lines.count
      guard count > maximumLinesPerFile else { return nil }
      return Violation(
        path: file.path, line: maximumLinesPerFile + 1,
        rule: "the file has \(count) lines, more than \(maximumLinesPerFile)",
        cure: "Split it by what its parts are about")
    }
  }

  static func functions(_ files: [SourceFile]) -> [Violation] {
    files.flatMap { file in
      file.declarations.filter(\.isFunction).compactMap { declaration in
        let first = file.line(at: file.tokens[declaration.start].offset)
        let count = file.line(at: file.tokens[declaration.end].offset) - first + 1
        guard count > maximumLinesPerFunction else { return nil }
        return file.violation(
          at: declaration.start,
          "`\(declaration.name)` has \(count) lines, more than \(maximumLinesPerFunction)",
          cure: "Keep the control flow here and move the steps into functions of their own")
      }
    }
  }

  static func width(_ files: [SourceFile]) -> [Violation] {
    files.flatMap { file in
      file.lines.indices.compactMap { index in
        let line = file.lines[index]
        // Counting characters is slow, counting bytes is not, and bytes are never fewer.
        guard line.utf8.count > maximumColumns, line.count > maximumColumns,
          !isCommentWithAddress(line)
        else { return nil }
        return Violation(
          path: file.path, line: index + 1,
          rule: "the line has \(line.count) columns, more than \(maximumColumns)",
          cure: "Run `make format`, and break texts and comments by hand")
      }
    }
  }

  /// An address cannot be broken, so a comment that holds one may be longer.
  private static func isCommentWithAddress(_ line: Substring) -> Bool {
    line.drop { $0 == " " }.hasPrefix("//")
      && (line.contains("https://") || line.contains("http://"))
  }
}
