// SPDX-License-Identifier: Apache-2.0

import SwiftParser
import SwiftSyntax

/// Whether a file is Swift, asked before and after it is changed.
package enum ParseCheck {
  /// How many parts do not parse: of a page in Markdown its examples, and else the file.
  ///
  /// - Parameters:
  ///   - bytes: What the file holds.
  ///   - path: Its name.
  /// - Returns: Zero where all is well.
  package static func troubles(in bytes: [UInt8], path: String) -> Int {
    if MarkdownCode.isMarkdown(path) { return MarkdownCode(bytes).brokenCount }
    return bytes.withUnsafeBufferPointer { Parser.parse(source: $0).hasError } ? 1 : 0
  }

  /// Whether it is a page that holds code among other things.
  package static func isPage(_ path: String) -> Bool { MarkdownCode.isMarkdown(path) }
}
