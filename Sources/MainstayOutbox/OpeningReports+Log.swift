// SPDX-License-Identifier: Apache-2.0

internal import Logging

extension Logger {
  /// Writes what was wrong with a store that was opened.
  func write(_ report: OpeningReport) {
    if let salvage = report.salvage {
      let missing = salvage.missing.map(String.init) ?? "unknown"
      self.error(
        "The outbox was damaged: what could be read of it was saved",
        metadata: [
          "operations": "\(salvage.operations)", "deadLetters": "\(salvage.deadLetters)",
          "missing": "\(missing)", "movedTo": .array(salvage.movedTo.map { "\($0)" }),
        ])
    }
    if !report.isBalanced {
      self.error("The ledger of the outbox does not balance: see `mainstay outbox verify`")
    }
    for found in report.warnings {
      self.warning(
        "Something may harm the outbox later", metadata: ["warning": "\(found.rawValue)"])
    }
  }
}
