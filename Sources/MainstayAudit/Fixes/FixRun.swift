// SPDX-License-Identifier: Apache-2.0

/// Applies the fixes of one file's findings.
package struct FixRun: Sendable {
  /// What the file holds afterwards.
  package let bytes: [UInt8]
  /// The findings that were fixed.
  package let fixed: [Finding]

  /// What the fixes add that a project can have but once.
  package var keys: Set<String> { Set(fixed.compactMap { $0.fix?.key }) }
  /// Whether fixes wait for the next run, since another one adds what they would add.
  package let isWaiting: Bool

  /// Applies the fixes from the start of the file on.
  ///
  /// One that overlaps an earlier one waits for the next run, and so does one that adds what a
  /// project can have but once and another adds.
  ///
  /// - Parameters:
  ///   - findings: The findings of this file, against exactly these bytes.
  ///   - bytes: What the file holds.
  ///   - unsafe: Whether fixes may change what the program does.
  ///   - taken: What fixes of other files add that a project can have but once.
  package init(
    _ findings: [Finding], in bytes: [UInt8], unsafe: Bool, taken: Set<String> = []
  ) {
    let candidates =
      findings
      .compactMap { finding in finding.fix.map { (finding, $0) } }
      .filter { unsafe || $0.1.isSafe }
      .sorted { Self.start($0.1) < Self.start($1.1) }
    var chosen: [(Finding, Fix)] = []
    var end = 0
    var keys = taken
    var isWaiting = false
    for candidate in candidates where Self.start(candidate.1) >= end {
      if let key = candidate.1.key, !keys.insert(key).inserted {
        isWaiting = true
        continue
      }
      chosen.append(candidate)
      end = (candidate.1.edits.map(\.range.upperBound).max() ?? end) + 1
    }
    let edits = chosen.flatMap { $0.1.edits }.sorted { $0.range.lowerBound < $1.range.lowerBound }
    self.bytes = Self.apply(edits, to: bytes)
    fixed = chosen.map(\.0)
    self.isWaiting = isWaiting
  }

  private static func start(_ fix: Fix) -> Int { fix.edits.map(\.range.lowerBound).min() ?? 0 }

  private static func apply(_ edits: [Edit], to bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var place = 0
    for edit in edits where edit.range.lowerBound >= place {
      result += bytes[place..<edit.range.lowerBound]
      result += edit.replacement.utf8
      place = edit.range.upperBound
    }
    return result + bytes[place...]
  }
}
