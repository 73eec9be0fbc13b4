// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Counts how deep conversions are nested, so that those which ask each other come to an end.
///
/// An app's `appError` may name the error itself as its cause, call `isCancellation`, or be made
/// with `AppError.unknown(self)`; a mapping may map the very error that it was given. Each of these
/// would otherwise run until the stack is full, in the middle of handling a failure.
enum ConversionDepth {
  @TaskLocal private static var asked = 0
  @TaskLocal private static var mapped = 0
  @TaskLocal private static var judged = 0
  @TaskLocal private static var bridged = 0
  @TaskLocal private static var described = 0
  @TaskLocal private static var told = 0
  @TaskLocal private static var identified = 0
  @TaskLocal private static var quoted = 0

  /// Does something one level deeper; nil where it would be deeper than it may.
  private static func nested<T>(
    in depth: TaskLocal<Int>, upTo limit: Int, _ body: () -> T
  ) -> T? {
    let level = depth.get()
    guard level < limit else { return nil }
    return depth.withValue(level + 1, operation: body)
  }

  /// Asks an error about itself; nil where that is what is being done already.
  static func asking<T>(_ body: () -> T) -> T? {
    nested(in: $asked, upTo: 2, body)
  }

  /// Runs a mapping or an `appError`; nil where they have been calling each other for a while.
  static func mapping<T>(_ body: () -> T) -> T? {
    nested(in: $mapped, upTo: 4, body)
  }

  /// Whether a mapping or an `appError` is running.
  static var isMapping: Bool { mapped > 0 }

  /// Finds out whether an error is a cancellation, for which it may ask its cause the same; nil
  /// below four errors of an app and what they stand around.
  static func judging<T>(_ body: () -> T) -> T? {
    nested(in: $judged, upTo: 5, body)
  }

  /// Whether nothing is asked but whether an error is a cancellation, so that nobody reads words.
  static var isJudging: Bool { judged > 0 }

  /// Bridges a cause to `NSError`; nil below the fourth.
  static func bridging<T>(_ body: () -> T) -> T? {
    nested(in: $bridged, upTo: 4, body)
  }

  /// Any error as an `NSError`, without asking it for texts where it has no user info of its own.
  ///
  /// Linux asks for all of them at once. A text may come from what the error is mapped to, which
  /// asks for the `NSError` again; below the second it is known by domain and number alone.
  static func bridged(_ error: any Error) -> NSError {
    let type = type(of: error)
    if type is AnyClass { return error as NSError }
    let depth = quoted
    if type is any CustomNSError.Type {
      if depth < 2 { return $quoted.withValue(depth + 1) { error as NSError } }
      return NSError(domain: QualifiedTypeName.of(type), code: 1)
    }
    return NSError(domain: error._domain, code: error._code)
  }

  /// Asks an app's error for its `appError`, for one of its texts; nil below the fourth.
  static func telling<T>(_ body: () -> T) -> T? {
    nested(in: $told, upTo: 4, body)
  }

  /// Asks an error for its own words, for its group; nil below the second.
  static func identifying<T>(_ body: () -> T) -> T? {
    nested(in: $identified, upTo: 2, body)
  }

  /// Whether an error is being asked for its own words.
  static var isIdentifying: Bool { identified > 0 }

  /// Asks an error to describe itself; nil below the second.
  static func describing<T>(_ body: () -> T) -> T? {
    nested(in: $described, upTo: 2, body)
  }
}
