// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A file of lines that only grows, and outlives the process that writes them.
///
/// The kernel writes a short line whole or not at all, so a process that dies leaves no half of
/// one. What it has taken it keeps: only with a machine would it be lost, and nothing is forced to
/// a disk that may be slow.
package struct Journal: Sendable {
  private let path: String

  /// Makes the journal of a file, which need not be there.
  package init(path: String) { self.path = path }

  /// Adds a line of words.
  package func append(_ words: [String]) throws {
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    defer { close(descriptor) }
    let line = Data((words.joined(separator: " ") + "\n").utf8)
    let written = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    guard written == line.count else { throw CocoaError(.fileWriteUnknown) }
  }

  /// The words of all lines.
  package var lines: [[String]] {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
    return text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
  }
}
