// SPDX-License-Identifier: Apache-2.0

import SwiftParser
import SwiftSyntax

/// Whether a file is Swift, asked before and after it is changed.
package enum ParseCheck {
  /// How many parts do not parse: of a page in Markdown its examples, and else the file.
  ///
  /// What compilers to come alone will read counts as Swift, as it does for MS005.
  ///
  /// - Parameters:
  ///   - bytes: What the file holds.
  ///   - path: Its name.
  /// - Returns: Zero where all is well.
  package static func troubles(in bytes: [UInt8], path: String) -> Int {
    if MarkdownCode.isMarkdown(path) { return MarkdownCode(bytes).brokenCount }
    let tree = bytes.withUnsafeBufferPointer { Parser.parse(source: $0) }
    return tree.troubleOffset == nil ? 0 : 1
  }

  /// Whether it is a page that holds code among other things.
  package static func isPage(_ path: String) -> Bool { MarkdownCode.isMarkdown(path) }
}
