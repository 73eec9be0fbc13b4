// SPDX-License-Identifier: Apache-2.0

import Logging
import Mainstay
import MainstayOutbox

extension OutboxMetricsService {
  /// Tells, once a minute at most, that an outbox cannot be asked.
  struct BlindLog: Sendable {
    private let log: SparingLog<String>
    private let name: String

    init(_ logger: Logger?, _ timeline: Timeline, of name: String) {
      log = SparingLog(logger ?? Logger(label: "mainstay.outbox"), timeline)
      self.name = name
    }

    func failed(_ error: OutboxError) {
      log.add(
        error.code.rawValue,
        "An outbox does not say how much waits in it: metrics keep what it said last.",
        ["outbox": "\(name)", "code": "\(error.code.rawValue)", "details": "\(error.details)"])
    }
  }
}
