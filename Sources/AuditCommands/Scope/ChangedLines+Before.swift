// SPDX-License-Identifier: Apache-2.0

import MainstayAudit

/// One line that was removed.
package struct Removal: Sendable, Equatable {
  /// The line of the file now that it stood before.
  let place: Int
  /// What it was, without its end.
  let line: [UInt8]
}

/// A file before it was changed.
struct FileBefore {
  /// What it held.
  private(set) var bytes: [UInt8] = []
  /// The lines now of those lines that are as they were, by the line then.
  private(set) var places: [Int: Int] = [:]

  /// Takes back what was changed; nil where that was everything, or nothing.
  init?(_ lines: ChangedLines.Lines, now: [UInt8]) {
    guard !lines.contains(0), lines.hasChanges else { return nil }
    var rest = lines.removed[...]
    var then = 0
    func takeBack(to place: Int, _ add: ([UInt8]) -> Void) {
      while let next = rest.first, next.place <= place {
        add(next.line)
        rest = rest.dropFirst()
      }
    }
    var all: [[UInt8]] = []
    for (number, line) in now.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
    {
      takeBack(to: number + 1) { all.append($0) }
      guard !lines.contains(number + 1) else { continue }
      all.append(Array(line))
      then = all.count
      places[then] = number + 1
    }
    takeBack(to: .max) { all.append($0) }
    bytes = Array(all.joined(separator: [0x0A]))
  }
}

extension ChangedLines {
  /// Looks at the files as they were, so that what was found in them already is known.
  ///
  /// What a clause lacks is told where one of its lines changed; it may have lacked that before.
  ///
  /// - Parameters:
  ///   - sources: The files as they are.
  ///   - audit: What looks.
  ///   - jobs: How many files it looks at at a time.
  mutating func learn(from sources: [AuditSource], _ audit: Audit, jobs: Int) async {
    var before: [String: FileBefore] = [:]
    var old: [AuditSource] = []
    for source in sources {
      guard let lines = self[path: source.path], let now = source.content.bytes,
        let file = FileBefore(lines, now: now)
      else { continue }
      before[source.path] = file
      old.append(source.with(file.bytes))
    }
    guard !old.isEmpty else { return }
    for finding in await audit.run(old, jobs: jobs).findings {
      guard let line = before[finding.path]?.places[finding.line],
        var lines = self[path: finding.path]
      else { continue }
      lines.know(finding.rule, finding.severity, on: line)
      replace(finding.path, with: lines)
    }
  }
}

extension AuditSource.Content {
  /// What it holds; nil for what cannot be read, which the audit itself tells.
  fileprivate var bytes: [UInt8]? {
    switch self {
    case .bytes(let given): given
    case .file(let path): try? WholeBytes.read(path, most: 4 << 20)
    }
  }
}
