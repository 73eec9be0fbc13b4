// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Error {
  /// Whether this error says that somebody stopped the work on purpose.
  ///
  /// True for `AppError.cancelled`, `CancellationError`, `URLError.cancelled`, `ECANCELED`,
  /// `NSUserCancelledError`, for what the current ``ErrorMapping`` maps to a cancellation, and for
  /// an error whose chain of single causes ends in one of these. So it is for a sheet of the system
  /// that somebody has put away, such as that of Face ID or of a purchase. An `AppError`, and an
  /// error that makes itself one, has the last word about itself: a time limit that stopped its own
  /// work is a `timeout`. It asks the error, never the task: a cancelled child in a living task is
  /// a cancellation, and a failure in a cancelled task is not.
  public var isCancellation: Bool {
    if let error = self as? AppError { return error.disposition == .cancelled }
    if self is CancellationError { return true }
    return CancellationCheck.holds(for: self, under: .current)
  }
}

package enum CancellationCheck {
  /// Whether an error says that it is a cancellation, as far as a mapping has to do with it.
  static func asks(_ error: any Error, by mapping: ErrorMapping?) -> Bool {
    mapping?.whileCurrent { error.isCancellation } ?? error.isCancellation
  }

  static func holds(for error: any Error, under mapping: ErrorMapping) -> Bool {
    // What needs no asking is seen however deep in questions about others.
    isKnown(error)
      ?? ConversionDepth.judging { isMade(of: error, under: mapping) } ?? false
  }

  /// Whether what an error is mapped to, makes itself or was caused by is a cancellation.
  private static func isMade(of error: any Error, under mapping: ErrorMapping) -> Bool {
    var current = error
    for _ in 0..<10 {  // a chain of causes may lead back to itself
      // A mapping that asks whether its error is a cancellation must not be asked again.
      if !ConversionDepth.isMapping, let mapped = mapping.registered(current) {
        return mapped.disposition == .cancelled
      }
      if let error = current as? any AppErrorConvertible {
        return error.appError.disposition == .cancelled
      }
      let causes = ErrorChain.causes(of: current)
      guard causes.count == 1, let cause = causes.first else { return false }
      if let isCancelled = isKnown(cause) { return isCancelled }
      current = cause
    }
    return false
  }

  /// Whether an error that nobody has to be asked about is a cancellation; nil for any other.
  private static func isKnown(_ error: any Error) -> Bool? {
    if let error = error as? AppError ?? AppError(bridged: error) {
      return error.disposition == .cancelled
    }
    return isPlain(error) ? true : nil
  }

  /// The forms that Swift, Foundation and other frameworks of Apple's give it.
  static func isPlain(_ error: any Error) -> Bool {
    if error is CancellationError { return true }
    // An app's own error says so in its `appError`; its code may even depend on this answer.
    if error is any AppErrorConvertible { return false }
    if isNamed(error, in: cases) { return true }
    let bridged = ConversionDepth.bridged(error)
    return codes[bridged.domain]?.contains(bridged.code) ?? false
  }

  /// Whether an error is a case of an enum that is known by its names: its number moves with every
  /// case that is added before it.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - cases: The name of a case, by the name of the type with its module.
  /// - Returns: Whether it is one of these.
  package static func isNamed(_ error: any Error, in cases: [String: String]) -> Bool {
    // The name of the case is cheap, that of the type is not.
    guard let name = EnumCase.name(of: error), cases.values.contains(name) else { return false }
    return cases[String(reflecting: Swift.type(of: error))] == name
  }

  private static let cases = ["StoreKit.StoreKitError": "userCancelled"]

  /// What a cancellation is called where; the page on an error's life has the same table.
  ///
  /// Frameworks are known by their names alone, so that none of them has to be there.
  private static let codes: [String: [Int]] = [
    "NSURLErrorDomain": [-999],
    "kCFErrorDomainCFNetwork": [-999],
    NSPOSIXErrorDomain: [Int(ECANCELED)],
    NSCocoaErrorDomain: [CocoaError.Code.userCancelled.rawValue],
    "NSOSStatusErrorDomain": [-128],
    // By the person, by the system, and by the app itself.
    "com.apple.LocalAuthentication": [-2, -4, -9],
    "com.apple.AuthenticationServices.AuthorizationError": [1001],
    "com.apple.AuthenticationServices.WebAuthenticationSession": [1],
    "SKErrorDomain": [2],
    "PHPhotosErrorDomain": [3072],
    "NFCError": [200],
    "CKErrorDomain": [20],
  ]
}
