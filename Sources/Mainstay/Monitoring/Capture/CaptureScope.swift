// SPDX-License-Identifier: Apache-2.0

/// Knows that an error is being described or sent, where another capture would begin the same
/// anew.
enum CaptureScope {
  @TaskLocal private static var isEntered = false

  /// Whether this runs inside a capture or a sink.
  static var isInside: Bool { isEntered }

  /// Runs what may ask errors about themselves.
  static func enter<T>(_ body: () -> T) -> T { $isEntered.withValue(true, operation: body) }

  /// Runs what sends reports.
  static func enter<T>(_ body: () async throws -> T) async rethrows -> T {
    try await $isEntered.withValue(true, operation: body)
  }
}
