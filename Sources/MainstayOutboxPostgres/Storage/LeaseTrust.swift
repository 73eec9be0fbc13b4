// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// For how long a process may count on what it has leased.
package struct LeaseTrust: Sendable {
  package let lease: Duration

  package init(lease: Duration) { self.lease = lease }

  /// How long before its end a lease counts as lost where it was not renewed.
  ///
  /// Work needs some time to notice that it is cancelled.
  private var margin: Duration { min(lease / 6, .seconds(5)) }

  /// When work is cancelled whose leases were renewed at a moment, and not since.
  package func end(renewedAt moment: Duration) -> Duration { moment + lease - margin }

  /// When it is looked at again, once all leases were lost.
  ///
  /// The process may enter anew at once. So it is as if it had done so now.
  package func look(lostAt moment: Duration) -> Duration { end(renewedAt: moment) }
}
