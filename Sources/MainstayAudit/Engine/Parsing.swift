// SPDX-License-Identifier: Apache-2.0

import SwiftParser
import SwiftSyntax

extension SourceFileSyntax {
  /// The tree of code in which nothing nests too deep.
  ///
  /// It takes a thread of ``Workers``. On an ordinary stack the parser would have to stop early,
  /// and a debug build of it does so at 25 levels, which a view with a task in a button has.
  static func parsed(_ code: ArraySlice<UInt8>) -> SourceFileSyntax {
    code.withUnsafeBufferPointer {
      Parser.parse(source: $0, maximumNestingLevel: Nesting.brackets + Nesting.angles)
    }
  }
}
