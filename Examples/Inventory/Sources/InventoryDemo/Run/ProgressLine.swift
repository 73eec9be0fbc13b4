// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// How far the run is, on standard error: one line that is drawn again on a terminal, a line for
/// each stage elsewhere.
package final class ProgressLine: Sendable {
  private static let width = 24

  private let isTerminal: Bool
  private let isColoured: Bool
  private let write: @Sendable (String) -> Void
  private let stage = Locked("")

  /// - Parameters:
  ///   - isTerminal: Whether a line can be drawn again.
  ///   - environment: `NO_COLOR`, if it is there and not empty, forbids colour.
  ///   - write: Takes the text.
  package init(
    isTerminal: Bool, environment: [String: String],
    write: @escaping @Sendable (String) -> Void
  ) {
    self.isTerminal = isTerminal
    isColoured = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty
    self.write = write
  }

  /// Shows where the run is.
  ///
  /// - Parameters:
  ///   - stage: What is going on.
  ///   - fraction: How much of all is done, from 0 to 1.
  ///   - note: What changes while it goes on.
  package func show(_ stage: String, _ fraction: Double, _ note: String) {
    let isNew = self.stage.withLock { last in
      defer { last = stage }
      return last != stage
    }
    let share = min(max(fraction, 0), 1)
    let percent = String(format: "%3d %%", Int(share * 100))
    guard isTerminal else {
      if isNew { write("\(percent)  \(stage)\n") }
      return
    }
    let full = Int(share * Double(Self.width))
    let done = String(repeating: "=", count: full)
    let rest = String(repeating: " ", count: Self.width - full)
    let bar = isColoured ? "\u{1B}[32m\(done)\u{1B}[0m\(rest)" : done + rest
    write("\r\u{1B}[K[\(bar)] \(percent)  \(stage)\(note.isEmpty ? "" : ", \(note)")")
  }

  /// Leaves the terminal as it was.
  package func end() { if isTerminal { write("\r\u{1B}[K") } }
}
