// SPDX-License-Identifier: Apache-2.0

import AuditCommands
import Mainstay
import MainstayOutbox

/// What was found while an outbox was opened and changed.
struct FoundOnTheWay: Encodable {
  /// An operation that was given up, and not by the end of its run.
  struct Letter: Encodable {
    let id: String
    let kind: String
    let reason: String
  }

  /// How many operations a dead process had begun.
  let recovered: Int
  let isBalanced: Bool
  /// What was saved of a damaged file.
  let salvage: OpeningReport.Salvage?
  let warnings: [String]
  /// What was given up for having been lost too often, or for want of another one.
  let givenUp: [Letter]

  init(_ report: OpeningReport, givenUp: [GivenUp]) {
    recovered = report.recovered
    isBalanced = report.isBalanced
    salvage = report.salvage
    warnings = report.warnings.map(\.rawValue)
    self.givenUp = givenUp.map {
      Letter(id: $0.id.description, kind: $0.kind.rawValue, reason: $0.reason.rawValue)
    }
  }

  /// What there is to say, in sentences.
  var lines: [String] {
    var lines: [String] = []
    if let salvage {
      let missing = salvage.missing.map { Format.count($0, "operation") } ?? "nobody knows how many"
      let letters = Format.count(salvage.deadLetters, "dead letter")
      lines.append(
        """
        The file was damaged and was mended. Missing: \(missing); saved: \
        \(Format.count(salvage.operations, "operation")) and \(letters).
        """)
      lines += salvage.movedTo.map { "The damaged file is kept as \($0)." }
    }
    if recovered > 0 {
      lines.append("Taken back from a dead process: \(Format.count(recovered, "operation")).")
    }
    if !givenUp.isEmpty {
      let reasons = Dictionary(grouping: givenUp, by: \.reason).mapValues(\.count)
      let text = reasons.keys.sorted().map { "\(reasons[$0, default: 0]) \($0)" }
      lines.append(
        """
        Given up meanwhile: \(Format.count(givenUp.count, "operation")) \
        (\(text.joined(separator: ", "))). `mainstay outbox list --state dead` shows them.
        """)
    }
    if !isBalanced { lines.append("The ledger does not balance: see `mainstay outbox verify`.") }
    lines += warnings.map { warning in
      warning == OpeningReport.Warning.sharedByOldSQLite.rawValue
        ? """
        Others have the file open, and this SQLite is older than 3.51.3: in rare cases two that \
        write at the same moment damage it.
        """ : "Warning: \(warning)."
    }
    return lines
  }
}

/// Gathers what is found while an outbox is opened and changed.
final class OpeningFindings: Sendable {
  private let report = Locked(OpeningReport())
  private let givenUp = Locked<[GivenUp]>([])

  func opened(_ report: OpeningReport) { self.report.withLock { $0 = report } }

  /// Listens until the store is closed.
  func watch(_ store: any InspectableStore) async {
    guard let store = store as? any SharedStore else { return }
    await store.watchGivenUp { operation in
      self.givenUp.withLock { $0.append(operation) }
    }
  }

  /// Tells a person what was found.
  ///
  /// - Returns: It, for a document.
  func told() -> FoundOnTheWay {
    let found = FoundOnTheWay(report.withLock(\.self), givenUp: givenUp.withLock(\.self))
    for line in found.lines { Terminal.complaints.tell("mainstay: \(Terminal.safe(line))\n") }
    return found
  }
}
