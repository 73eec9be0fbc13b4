// SPDX-License-Identifier: Apache-2.0

/// Why an operation that is scheduled or waiting waits, as its row says.
package enum WaitingCause: String, Sendable {
  case delay, failure, unreachable, policy, constraint

  /// The cause by the columns of an operation; null for one that neither is scheduled nor waits.
  package static let sql = """
    CASE state WHEN 'scheduled' THEN
      CASE WHEN unreachable > 0 THEN 'unreachable'
        WHEN attempt > 0 OR error_code IS NOT NULL THEN 'failure' ELSE 'delay' END
    WHEN 'waiting' THEN CASE WHEN run_at IS NULL THEN 'constraint'
      WHEN unreachable > 0 THEN 'unreachable' ELSE 'policy' END END
    """
}

extension StoredOperation {
  /// Why it waits; nil where it neither is scheduled nor waits.
  var waitingCause: WaitingCause? {
    switch state {
    case .scheduled where unreachable > 0: .unreachable
    case .scheduled: attempts > 0 || failure != nil ? .failure : .delay
    case .waiting: due == nil ? .constraint : unreachable > 0 ? .unreachable : .policy
    case .ready, .blocked, .leased, .parked, .conflicted, .dead: nil
    }
  }
}
