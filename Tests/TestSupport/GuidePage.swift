// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A guide of the documentation, whose results a test compares with what a program prints.
public struct GuidePage: Sendable {
  /// A command of the page and what stands below it.
  public struct Exchange: Sendable {
    /// What a person types.
    public let command: String
    /// What is printed then, line by line.
    public let answer: [String]
  }

  /// The lines of all blocks of this kind, in order.
  public let printed: [String]
  /// The lines of each block for the shell, in order.
  public let scripts: [[String]]
  /// What the blocks of commands say, in order.
  public let exchanges: [Exchange]

  /// Reads a page.
  ///
  /// - Parameter path: Where it lies below the root of the package.
  /// - Throws: Where it cannot be read.
  public init(at path: String) throws {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
    printed = Self.blocks("text", in: text).flatMap(\.self)
    scripts = Self.blocks("sh", in: text)
    exchanges = Self.blocks("console", in: text).flatMap { lines in
      lines.reduce(into: [Exchange]()) { exchanges, line in
        if line.hasPrefix("$ ") {
          exchanges.append(Exchange(command: String(line.dropFirst(2)), answer: []))
        } else if let last = exchanges.popLast() {
          exchanges.append(Exchange(command: last.command, answer: last.answer + [line]))
        }
      }
    }
  }

  private static func blocks(_ kind: String, in text: String) -> [[String]] {
    var blocks: [[String]] = []
    var open: [String]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if let lines = open {
        if line == "```" {
          blocks.append(lines)
          open = nil
        } else {
          open = lines + [String(line)]
        }
      } else if line == "```\(kind)" {
        open = []
      }
    }
    return blocks
  }
}
