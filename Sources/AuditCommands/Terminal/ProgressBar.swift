// SPDX-License-Identifier: Apache-2.0

/// How far a long piece of work is, in words and blocks.
package struct ProgressText: Sendable {
  private let what: String
  private let total: Int

  private static let width = 30

  /// The text of a piece of work.
  ///
  /// - Parameters:
  ///   - what: What is being done.
  ///   - total: How much there is to do; 1 or more.
  package init(_ what: String, total: Int) {
    self.what = what
    self.total = total
  }

  /// How much is done, in percent; all of it where more came up than was known.
  package func percent(_ done: Int) -> Int {
    Int(min(max(Double(done) / Double(max(total, 1)), 0), 1) * 100)
  }

  /// The bar, without the marks of a terminal.
  package func bar(_ done: Int) -> String {
    let percent = percent(done)
    let filled = Self.width * percent / 100
    let blocks =
      String(repeating: "█", count: filled) + String(repeating: "·", count: Self.width - filled)
    return "\(what) \(blocks) \(percent) %"
  }
}

/// One line on standard error that tells a person how far a long piece of work is.
package struct ProgressBar {
  private let text: ProgressText
  private let isShown: Bool
  private var shown: Int?

  /// A bar that is not shown yet.
  ///
  /// - Parameters:
  ///   - what: What is being done.
  ///   - total: How much there is to do.
  ///   - shortest: Below this much nobody has to wait, and no bar is shown; by default in bytes.
  package init(_ what: String, total: Int, from shortest: Int = 20_000_000) {
    text = ProgressText(what, total: total)
    isShown = Terminal.complaints.isInteractive && total >= shortest
  }

  /// Shows how much is done.
  package mutating func show(_ done: Int) {
    guard isShown else { return }
    let percent = text.percent(done)
    guard percent != shown else { return }
    shown = percent
    Terminal.complaints.tell("\r" + text.bar(done))
  }

  /// Takes the bar away.
  package func end() {
    guard shown != nil else { return }
    Terminal.complaints.tell("\r\u{1b}[K")
  }
}
