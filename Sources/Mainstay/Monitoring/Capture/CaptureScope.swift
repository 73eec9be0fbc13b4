// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Knows that an error is being described or sent, where another capture would begin the same
/// anew.
enum CaptureScope {
  @TaskLocal private static var innermost: LiveScope?

  /// Whether this runs inside a capture or a sink.
  static var isInside: Bool { innermost?.isLive ?? false }

  /// Runs what may ask errors about themselves.
  static func enter<T>(_ body: () -> T) -> T {
    let scope = LiveScope(inside: innermost)
    defer { scope.end() }
    return $innermost.withValue(scope, operation: body)
  }

  /// Runs what sends reports.
  static func enter<T>(_ body: () async throws -> T) async rethrows -> T {
    let scope = LiveScope(inside: innermost)
    defer { scope.end() }
    return try await $innermost.withValue(scope, operation: body)
  }
}

/// A call that is marked for all that runs inside of it, and for as long as it lasts.
///
/// A task that is begun inside inherits the mark and may outlive the call, such as the loop of a
/// session that a sink was the first to use.
final class LiveScope: Sendable {
  private let outer: LiveScope?
  private let isOver = Atomic(false)

  init(inside outer: LiveScope?) { self.outer = outer }

  /// Whether it, or one around it, lasts.
  var isLive: Bool { !isOver.load(ordering: .acquiring) || outer?.isLive ?? false }

  func end() { isOver.store(true, ordering: .releasing) }
}
