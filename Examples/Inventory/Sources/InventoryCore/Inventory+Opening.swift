// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
package import MainstayOutbox

// What was found when the two files were opened.
extension Inventory {
  /// What was found, in one sentence for each file of which there is something to say.
  package var opening: [String] { findings.map(\.sentence) }

  private var findings: [(sentence: String, style: ToastDocument.Style)] {
    var findings: [(String, ToastDocument.Style)] = []
    if let salvage = store.salvage { findings.append((salvage.sentence, .warning)) }
    let report = outbox.opening
    let count = handedOverAgain.withLock(\.self)
    if let sentence = report.sentence(handedOverAgain: count) {
      let isBad = report.salvage != nil || report.quarantined > 0 || count > 0
      findings.append((sentence, isBad ? .warning : .info))
    }
    return findings
  }

  /// Tells those who kept a page open while the app was started again.
  func tellOpening() {
    for finding in findings {
      feed.tell(
        .toast,
        ToastDocument(
          style: finding.style, title: "Found at the start", message: finding.sentence, item: nil))
    }
  }
}

extension OpeningReport {
  /// What was found in the queue, in one sentence; nil where there is nothing to say.
  package func sentence(handedOverAgain count: Int = 0) -> String? {
    var parts: [String] = []
    if let salvage {
      let lost = salvage.missing.map { "\($0) are missing" } ?? "how many are missing is unknown"
      parts.append(
        "the file of the queue was damaged, and of what was queued "
          + "\(salvage.operations) operations and \(salvage.deadLetters) dead letters were saved, "
          + "\(lost), and the damaged file is kept as \(salvage.movedTo.first ?? "nothing")")
    }
    if recovered > 0 {
      parts.append("\(recovered) operations that were running when the app stopped go on")
    }
    if quarantined > 0 {
      parts.append("\(quarantined) of them were given up, since they were lost three times")
    }
    if count > 0 { parts.append("\(count) changes that the queue did not have were queued again") }
    guard let first = parts.first else { return nil }
    return ([first.prefix(1).uppercased() + first.dropFirst()] + parts.dropFirst())
      .joined(separator: "; ") + "."
  }
}
