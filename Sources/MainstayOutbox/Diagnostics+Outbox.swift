// SPDX-License-Identifier: Apache-2.0

public import Mainstay

extension Diagnostics.Section {
  /// What an outbox holds, and what became of what it had; no payload is in it.
  ///
  /// - Parameters:
  ///   - outbox: The outbox.
  ///   - name: The name of the section; the default is `outbox`.
  /// - Returns: A section with `waiting`, the counts by state and by cause, and `ledger`, the
  ///   account of all that was ever accepted, with receipts by kind and reason. For an outbox in a
  ///   file of its own `log` says how long its write-ahead log is, in bytes, and whether a reader
  ///   keeps it from getting shorter.
  public static func outbox(_ outbox: Outbox, name: String = "outbox") -> Self {
    Self(name) {
      OutboxAccount(
        waiting: try await outbox.snapshot(), ledger: try await outbox.ledger(),
        store: outbox.store as? SQLiteStore)
    }
  }
}

/// An outbox in the words of a diagnostics document.
private struct OutboxAccount: Encodable, Sendable {
  struct Waiting: Encodable {
    let pending: Int
    let ready: Int
    let running: Int
    let scheduled: Int
    let blocked: Int
    let waiting: Int
    let conflicted: Int
    let parked: Int
    let bytes: Int
    let causes: OutboxSnapshot.Causes
    /// In seconds.
    let oldestAge: Double?
  }

  struct Ledger: Encodable {
    let enqueued: Int
    let pending: Int
    let dead: Int
    let receipts: [String: Int]
    let isBalanced: Bool
  }

  struct Log: Encodable {
    let bytes: Int
    let isHeld: Bool
  }

  let waiting: Waiting
  let ledger: Ledger
  let log: Log?

  init(waiting: OutboxSnapshot, ledger: OutboxLedger, store: SQLiteStore?) {
    log = store.flatMap {
      $0.host == nil ? Log(bytes: $0.logBytes, isHeld: $0.isLogHeld) : nil
    }
    self.waiting = Waiting(
      pending: waiting.pending, ready: waiting.ready, running: waiting.running,
      scheduled: waiting.scheduled, blocked: waiting.blocked, waiting: waiting.waiting,
      conflicted: waiting.conflicted, parked: waiting.parked, bytes: waiting.bytes,
      causes: waiting.causes,
      oldestAge: waiting.oldestAge.map { $0 / .seconds(1) })
    self.ledger = Ledger(
      enqueued: ledger.enqueued, pending: ledger.pending, dead: ledger.dead,
      receipts: ledger.receipts.reduce(into: [:]) { counts, receipt in
        counts["\(receipt.kind)/\(receipt.reason.rawValue)", default: 0] += receipt.count
      }, isBalanced: ledger.isBalanced)
  }
}
