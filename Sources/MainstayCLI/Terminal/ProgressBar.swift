// SPDX-License-Identifier: Apache-2.0

/// One line on standard error that tells a person how far a long piece of work is.
struct ProgressBar {
  private let total: Int
  private let what: String
  private var shown = -1

  /// Below this much work nobody has to wait.
  private static let shortest = 20_000_000
  private static let width = 30

  init(_ what: String, total: Int) {
    self.what = what
    self.total = total
  }

  private var isShown: Bool { Terminal.complaints.isInteractive && total >= Self.shortest }

  mutating func show(_ done: Int) {
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

  func end() {
    guard shown >= 0 else { return }
    Terminal.complaints.tell("\r\u{1b}[K")
  }
}
