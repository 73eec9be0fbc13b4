// SPDX-License-Identifier: Apache-2.0

/// The fixes of one file's findings after which it parses as well as before.
package struct SoundFixes: Sendable {
  /// What they make of the file.
  package let run: FixRun
  /// The findings whose fix would make it parse worse.
  package let broken: [Finding]

  /// Tries the fixes of all findings together, then ever fewer of them, down to single ones.
  ///
  /// - Parameters:
  ///   - findings: The findings of this file, against exactly these bytes.
  ///   - bytes: What the file holds.
  ///   - path: The file.
  ///   - troubles: How many parts of it do not parse now.
  ///   - unsafe: Whether fixes may change what the program does.
  package init(
    _ findings: [Finding], in bytes: [UInt8], path: String, troubles: Int, unsafe: Bool
  ) async {
    var kept: [Finding] = []
    var broken: [Finding] = []
    // One that is broken may have stood in the way of others.
    var rest = findings
    while kept.isEmpty, !rest.isEmpty {
      var parts = [FixRun(rest, in: bytes, unsafe: unsafe).fixed[...]]
      while let part = parts.popLast() {
        let run = FixRun(kept + part, in: bytes, unsafe: unsafe)
        let count = await ParseCheck.troubles(in: [path: run.bytes], jobs: 1)[path] ?? 0
        if count <= troubles {
          kept += part
        } else if part.count == 1 {
          broken += part
        } else {
          let middle = part.startIndex + part.count / 2
          parts += [part[middle...], part[..<middle]]
        }
      }
      let known = Set(broken)
      let left = rest.filter { !known.contains($0) }
      if left.count == rest.count { break }
      rest = left
    }
    run = FixRun(kept, in: bytes, unsafe: unsafe)
    self.broken = broken
  }
}
