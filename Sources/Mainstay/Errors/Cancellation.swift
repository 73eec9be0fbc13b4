// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Error {
  /// Whether this error says that somebody stopped the work on purpose.
  ///
  /// True for `AppError.cancelled`, `CancellationError`, `URLError.cancelled`, `ECANCELED`,
  /// `NSUserCancelledError`, for what the current ``ErrorMapping`` maps to a cancellation, and for an
  /// error whose chain of single causes ends in one of these. It asks the error, never the task: a
  /// cancelled child in a living task is a cancellation, and a failure in a cancelled task is not.
  public var isCancellation: Bool {
    if let error = self as? AppError { return error.disposition == .cancelled }
    if self is CancellationError { return true }
    return CancellationCheck.holds(for: self)
  }
}

enum CancellationCheck {
  static func holds(for error: any Error) -> Bool {
    var current = error
    for _ in 0..<10 {  // a chain of causes may lead back to itself
      if isPlain(current) { return true }
      if let error = current as? AppError { return error.disposition == .cancelled }
      if let error = current as? any AppErrorConvertible {
        return error.appError.disposition == .cancelled
      }
      if ErrorMapping.current.registered(current)?.disposition == .cancelled { return true }
      let causes = ErrorChain.causes(of: current)
      guard causes.count == 1, let cause = causes.first else { return false }
      current = cause
    }
    return false
  }

  /// The forms that Foundation and Swift themselves give it.
  static func isPlain(_ error: any Error) -> Bool {
    if error is CancellationError { return true }
    let bridged = error as NSError
    switch (bridged.domain, bridged.code) {
    case ("NSURLErrorDomain", -999): return true
    case (NSPOSIXErrorDomain, Int(ECANCELED)): return true
    case (NSCocoaErrorDomain, CocoaError.Code.userCancelled.rawValue): return true
    default: return false
    }
  }
}
