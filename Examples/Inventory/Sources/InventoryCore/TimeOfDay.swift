// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The time of day, for stamps; nothing is measured with it.
package enum TimeOfDay {
  /// Now.
  package static var live: @Sendable () -> Date { { Date.now } }
}
