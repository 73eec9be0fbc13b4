// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Whether a file is Swift, asked before and after it is changed.
package enum ParseCheck {
  /// How many parts do not parse of each file: of a page in Markdown its examples, and else itself.
  ///
  /// What compilers to come alone will read counts as Swift, as it does for MS005. What nests too
  /// deep to be looked at does not.
  ///
  /// - Parameters:
  ///   - files: What the files hold, by their names.
  ///   - jobs: How many threads work; at least 1.
  /// - Returns: The counts, by the names; zero where all is well.
  package static func troubles(in files: [String: [UInt8]], jobs: Int) async -> [String: Int] {
    var troubles: [String: Int] = [:]
    let files = files.sorted { $0.key < $1.key }.map { (path: $0.key, bytes: $0.value) }
    for await (path, count) in Workers.map(files, jobs: jobs, { ($0.path, count(in: $0)) }) {
      troubles[path] = count
    }
    return troubles
  }

  private static func count(in file: (path: String, bytes: [UInt8])) -> Int {
    if MarkdownCode.isMarkdown(file.path) {
      let code = MarkdownCode(file.bytes)
      return code.nestingTrouble == nil ? code.brokenCount : 1
    }
    guard Nesting.trouble(in: file.bytes[...]) == nil else { return 1 }
    return SourceFileSyntax.parsed(file.bytes[...]).troubleOffset == nil ? 0 : 1
  }

  /// Whether it is a page that holds code among other things.
  package static func isPage(_ path: String) -> Bool { MarkdownCode.isMarkdown(path) }
}
