// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// Whom a process has warned of, so that each holder of a snapshot is named once in a while.
package struct SnapshotWarnings: Sendable {
  /// After what time one that still holds it is named again.
  package static let pause = Duration.seconds(300)

  private var named: [Substring: Duration] = [:]

  package init() {}

  /// Whether this one is to be named now.
  ///
  /// - Parameters:
  ///   - holder: Who it is, and for how long, as the server tells it.
  ///   - now: A reading of the clock.
  /// - Returns: Whether it was not named for a while.
  package mutating func isNews(_ holder: String, at now: Duration) -> Bool {
    named = named.filter { now - $0.value < Self.pause }
    // How long it has held it is another text each time.
    let name = holder.firstRange(of: " has held ").map { holder[..<$0.lowerBound] } ?? holder[...]
    guard named[name] == nil else { return false }
    named[name] = now
    return true
  }
}
