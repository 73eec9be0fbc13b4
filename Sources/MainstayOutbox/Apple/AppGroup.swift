// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The containers that an app shares with its extensions.
package enum AppGroup {
  /// Whether a path leads into the container of an app group of any Apple platform.
  package static func contains(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    return zip(parts, parts.dropFirst()).dropLast().contains { pair in
      pair == ("Shared", "AppGroup") || pair == ("Library", "Group Containers")
    }
  }

  /// Looks whether a file may lie where it does.
  ///
  /// - Parameters:
  ///   - path: Where it lies.
  ///   - isAllowed: Whether somebody asked for an app group.
  /// - Returns: Why it may not; nil where it may.
  package static func refusal(of path: String, isAllowed: Bool) -> OutboxError? {
    guard !isAllowed, contains(path) else { return nil }
    return OutboxError(
      .unavailable,
      details: """
        \(path) lies in an app group, where a system ends an app that is suspended while it holds \
        a lock: set allowsAppGroup, and call suspend() and shutDown() in time
        """)
  }

  /// Refuses a file in an app group that nobody asked for.
  static func check(_ url: URL, isAllowed: Bool) throws(OutboxError) {
    #if canImport(Darwin)
      let path = url.withoutLinks.path(percentEncoded: false)
      if let refusal = refusal(of: path, isAllowed: isAllowed) { throw refusal }
    #endif
  }
}
