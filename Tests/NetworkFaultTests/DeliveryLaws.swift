// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayOutbox
import NetworkTestSupport

/// What holds after everything that was accepted has been brought to a ledger, whatever went wrong
/// on the way.
struct DeliveryLaws {
  /// What was accepted, by key: in the order of acceptance for each account.
  let accepted: [LedgerBook.Entry]
  /// What the service knows.
  let book: LedgerBook
  /// What the client tried.
  let attempts: [LedgerClient.Attempt]
  let ledger: OutboxLedger
  /// Longer than a policy lets anything take, on a machine that is busy.
  var patience = Duration.seconds(60)

  /// What does not hold.
  var violations: [String] {
    once + order + honesty + questions + balance
      + attempts.filter { $0.duration > patience }.map { "it hung: \($0)" }
  }

  /// Every accepted operation is applied exactly once, by its key.
  private var once: [String] {
    Set(accepted) == Set(book.entries) && accepted.count == book.entries.count
      ? [] : ["applied \(book.entries.count) of \(accepted.count), or others"]
  }

  private var order: [String] {
    Set(accepted.map(\.account)).sorted().compactMap { account in
      let wanted = accepted.filter { $0.account == account }.map(\.number)
      return wanted == book.numbers(of: account)
        ? nil : "the order of \(account): \(book.numbers(of: account))"
    }
  }

  /// What is said not to have been sent did not arrive.
  private var honesty: [String] {
    let arrivals = Set(book.arrivals)
    return attempts.compactMap { attempt in
      guard attempt.step == .put, case .failed(let code, mayBeSent: false) = attempt.end,
        arrivals.contains("\(attempt.key)/\(attempt.run)")
      else { return nil }
      return "\(attempt.key) was sent all the same: \(code)"
    }
  }

  /// What nobody knows is asked about before it is sent again, and nothing else is.
  private var questions: [String] {
    Dictionary(grouping: attempts, by: \.key).sorted { $0.key < $1.key }.flatMap { key, attempts in
      var isUnknown = false
      return attempts.compactMap { attempt -> String? in
        let expected = isUnknown ? LedgerClient.Attempt.Step.ask : .put
        switch attempt.end {
        case .cancelled, .failed(_, mayBeSent: true):
          if attempt.step == .put { isUnknown = true }
        case .done, .answered: isUnknown = false
        case .failed(_, mayBeSent: false): break
        }
        return attempt.step == expected ? nil : "\(key): \(attempt.step) instead of \(expected)"
      }
    }
  }

  private var balance: [String] {
    let count = accepted.count
    let isRight =
      ledger.isBalanced && ledger.enqueued == count && ledger.count(.done) == count
      && ledger.pending == 0 && ledger.dead == 0
    return isRight ? [] : ["the books: \(ledger)"]
  }
}
