// SPDX-License-Identifier: Apache-2.0

import AuditCommands
import Mainstay

/// Tells a person how many rows of an outbox have been looked at, where there are many.
final class RowBar: Sendable {
  /// Below this many nobody has to wait.
  static let shortest = 20_000

  private let what: String
  private let bar = Locked<ProgressBar?>(nil)

  /// A bar that is not shown yet.
  init(_ what: String) { self.what = what }

  /// Shows how many have been looked at, and of how many as the first call said.
  func show(_ rows: Int, of total: Int) {
    bar.withLock { bar in
      var shown = bar ?? ProgressBar(what, total: total, from: Self.shortest)
      shown.show(rows)
      bar = shown
    }
  }

  /// Takes the bar away.
  func end() {
    bar.withLock { bar in
      bar?.end()
      bar = nil
    }
  }
}
