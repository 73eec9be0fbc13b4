// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Mainstay
import MainstayServer

/// How much the app takes on at once; what is more is refused after a short hold, so that what was
/// accepted stays fast.
package struct Load: Sendable {
  /// How many requests are answered at once; 1 or more.
  package var limit = 32
  /// How many wait for their turn.
  package var queue = 64
  /// How long they wait at most; more than zero.
  package var maximumWait = Duration.milliseconds(500)
  /// How long a refusal is held back; zero or more.
  ///
  /// Clients that ask again at once would leave no time for those who were let in.
  package var hold = Duration.milliseconds(250)
  /// How long an answer may take; more than zero.
  ///
  /// A photo may come over a slow line.
  package var deadline = Duration.seconds(60)

  package init() {}

  private static let name = "inventory"

  /// Whether this is why a request was refused.
  static func refused(_ error: AppError) -> Bool {
    error.metadata["policy.name"] == name
  }

  var shedding: LoadShedding {
    LoadShedding(
      Bulkhead(Self.name, limit: limit, queue: queue, maximumWait: maximumWait), holding: hold
    ) {
      // Whoever watches over the process must be answered when it is busy, and a page that listens
      // to events does so for hours.
      ["/live", "/ready", "/events", "/mainstay/events"]
        .contains($0.path?.prefix { $0 != "?" } ?? "")
        ? .vital : .usual
    }
  }
}
