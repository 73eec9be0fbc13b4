// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting

/// A time of day that a test sets.
final class WallClock: Sendable {
  private let date: Locked<Date>

  init(_ second: Double = 1_000_000_000) {
    date = Locked(Date(timeIntervalSince1970: second))
  }

  var now: Date { date.withLock { $0 } }

  func advance(by seconds: Double) { date.withLock { $0 += seconds } }
}

/// An error of the app, of a group of its own for each number.
func storeError(_ number: Int = 0, severity: Severity? = nil) -> AppError {
  AppError(
    code: ErrorCode("store.failed-\(number)") ?? "store.failed", kind: .storage,
    disposition: .permanent, severity: severity, title: "Not saved",
    message: "Item \(number) was not saved.")
}

enum ShopError: Error {
  case closed, sold(to: String)
}

/// An error that is an object.
final class BrokenShop: Error {}

extension ErrorMonitor {
  /// Whether the ledger says of a sink at rest what the sink has accepted and what its queue holds:
  /// both are counted by others than the ledger.
  ///
  /// - Parameters:
  ///   - sink: The sink.
  ///   - count: How many reports it has accepted; the default is all that it was handed.
  /// - Returns: Whether all agree.
  func balances(_ sink: MemorySink, accepted count: Int? = nil) -> Bool {
    let ledger = ledger
    let (accepted, waiting) = (count ?? sink.reports.count, waiting(for: sink.name))
    return ledger.isBalanced && ledger.sent(to: sink.name) == accepted
      && ledger.stored(for: sink.name) == waiting
      && ledger.captured
        == accepted + waiting + ledger.dropped(for: sink.name).values.reduce(0, +)
  }
}
