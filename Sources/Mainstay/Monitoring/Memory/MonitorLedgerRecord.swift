// SPDX-License-Identifier: Apache-2.0

/// The ledger of a monitor as it is written down.
struct MonitorLedgerRecord: Sendable, Equatable, TwicePlaced {
  typealias Ledger = ErrorMonitor.Ledger

  var version = 1
  var revision: UInt64 = 1
  /// Whether the monitor was shut down: nothing was captured after that.
  var isClosed = false
  var ledger = Ledger()
  /// What had become of all that each sink that keeps reports ever accepted, by its name.
  var accounts: [String: Ledger.Account] = [:]

  static let magic = Array("mainldg2".utf8)

  var isSound: Bool {
    let deliveries = Array(ledger.sinks.values) + accounts.values.map(\.delivery)
    let counts =
      [ledger.kept, ledger.interruptions] + ledger.dropped.values + accounts.values.map(\.accepted)
      + deliveries.flatMap { [$0.sent] + $0.dropped.values }
    return version == 1 && revision < .max / 2 && counts.count < 10_000
      && Self.areSound(counts) && ledger.isBalanced
  }
}
