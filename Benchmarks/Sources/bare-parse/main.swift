// SPDX-License-Identifier: Apache-2.0

// Parses every Swift file below the given folders and does nothing with the trees: the raw limit of
// whatever reads Swift by SwiftSyntax. Prints the number of lines.

import Foundation
import SwiftParser
import SwiftSyntax

var lines = 0
for root in CommandLine.arguments.dropFirst() {
  guard let files = FileManager.default.enumerator(atPath: root) else { continue }
  for case let path as String in files where path.hasSuffix(".swift") {
    guard let data = FileManager.default.contents(atPath: root + "/" + path) else { continue }
    let bytes = [UInt8](data)
    let tree = bytes.withUnsafeBufferPointer { Parser.parse(source: $0) }
    guard !tree.hasError else { fatalError("\(path) does not parse") }
    lines += bytes.count { $0 == 0x0A }
  }
}
print(lines)
