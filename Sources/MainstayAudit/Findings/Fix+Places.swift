// SPDX-License-Identifier: Apache-2.0

extension Fix {
  /// The fix for a text: its lines end as those of the text do, and its places are lines and
  /// columns; as it is where one lies outside.
  func located(in bytes: [UInt8], _ lines: LineTable) -> Fix {
    guard edits.allSatisfy({ $0.range.upperBound <= bytes.count }) else { return self }
    let endsLinesInTwo = bytes.endsLinesInTwo
    var fix = Fix(
      isSafe: isSafe, title: title,
      edits: edits.map { endsLinesInTwo ? $0.endingLinesInTwo : $0 }, key: key)
    fix.spans = edits.map { edit in
      let start = lines.place(of: edit.range.lowerBound)
      let end = lines.place(of: edit.range.upperBound)
      return Fix.Span(
        line: start.line,
        column: Self.column(of: edit.range.lowerBound, inLine: start.line, bytes, lines),
        endLine: end.line,
        endColumn: Self.column(of: edit.range.upperBound, inLine: end.line, bytes, lines))
    }
    return fix
  }

  /// The column in UTF-16 code units, from 1.
  private static func column(
    of offset: Int, inLine line: Int, _ bytes: [UInt8], _ lines: LineTable
  ) -> Int {
    let start = lines.bytes(ofLine: line).lowerBound
    return String(decoding: bytes[start..<max(start, offset)], as: UTF8.self).utf16.count + 1
  }
}

extension Edit {
  /// The edit with the line ends of Windows.
  fileprivate var endingLinesInTwo: Edit {
    Edit(
      range,
      replacement.split(omittingEmptySubsequences: false) { $0.endsLine }
        .joined(separator: "\r\n"))
  }
}

extension [UInt8] {
  /// Whether its first line ends with a carriage return and a line feed, as on Windows.
  fileprivate var endsLinesInTwo: Bool {
    guard let end = firstIndex(of: 0x0A), end > 0 else { return false }
    return self[end - 1] == 0x0D
  }
}

extension Character {
  /// Whether it ends a line of a file: what ends one on Windows is one character.
  var endsLine: Bool { self == "\n" || self == "\r\n" || self == "\r" }
}

extension [Finding] {
  /// The findings, with the places of those fixes that only the whole project could decide.
  func locatingFixes(in sources: [AuditSource]) -> [Finding] {
    let late = Set(lazy.filter(\.hasUnlocatedFix).map(\.path))
    guard !late.isEmpty else { return self }
    var texts: [String: (bytes: [UInt8], lines: LineTable)] = [:]
    for source in sources where late.contains(source.path) {
      // What can no longer be read has no places, and its findings stay as they are.
      guard let bytes = source.bytes else { continue }
      texts[source.path] = (bytes, LineTable(bytes))
    }
    return map { finding in
      guard finding.hasUnlocatedFix, let text = texts[finding.path] else { return finding }
      return finding.with(finding.fix?.located(in: text.bytes, text.lines))
    }
  }
}

extension Finding {
  fileprivate var hasUnlocatedFix: Bool { fix.map { $0.spans.count < $0.edits.count } ?? false }
}

extension AuditSource {
  fileprivate var bytes: [UInt8]? {
    switch content {
    case .bytes(let given): given
    case .file(let path): try? FileWork.read(path)
    }
  }
}
