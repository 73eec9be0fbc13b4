// SPDX-License-Identifier: Apache-2.0

/// One line on standard error that tells a person how far a long piece of work is.
package struct ProgressBar {
  private let total: Int
  private let what: String
  private let shortest: Int
  private var shown = -1

  private static let width = 30

  /// A bar that is not shown yet.
  ///
  /// - Parameters:
  ///   - what: What is being done.
  ///   - total: How much there is to do.
  ///   - shortest: Below this much nobody has to wait, and no bar is shown; by default in bytes.
  package init(_ what: String, total: Int, from shortest: Int = 20_000_000) {
    self.what = what
    self.total = total
    self.shortest = shortest
  }

  private var isShown: Bool { Terminal.complaints.isInteractive && total >= shortest }

  /// Shows how much is done.
  package mutating func show(_ done: Int) {
    guard isShown else { return }
    let percent = Int(Double(done) / Double(total) * 100)
    guard percent != shown else { return }
    shown = percent
    let filled = Self.width * min(percent, 100) / 100
    let bar =
      String(repeating: "█", count: filled)
      + String(repeating: "·", count: Self.width - filled)
    Terminal.complaints.tell("\r\(what) \(bar) \(percent) %")
  }

  /// Takes the bar away.
  package func end() {
    guard shown >= 0 else { return }
    Terminal.complaints.tell("\r\u{1b}[K")
  }
}
