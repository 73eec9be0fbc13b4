// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What Mainstay knows about the errors of Swift and Foundation.
///
/// Foundation's errors are told apart by domain and number rather than by type: that is what both
/// their Swift and their `NSError` form have, and on Linux it spares the core from linking
/// FoundationNetworking.
enum BuiltInMapping {
  /// The error that people see; nil for one that is not known.
  static func map(_ error: any Error, at site: SourceSite) -> AppError? {
    switch error {
    case let error as DecodingError: return decodingFailure(error, at: site)
    case let error as EncodingError: return encodingFailure(error, at: site)
    // None of Foundation's, and bridging an app's own error asks for its `appError` again.
    case is RecordedError, is any AppErrorConvertible: return nil
    default: break
    }
    let bridged = ConversionDepth.bridged(error)
    guard let row = row(for: bridged) ?? vague(bridged) else { return nil }
    return AppError(
      row, details: details(of: bridged), metadata: ["error.domain": bridged.domain], cause: error,
      at: site)
  }

  /// What kind of error an `NSError` is by the table; nil for one that is not known.
  static func kind(of error: NSError) -> ErrorKind? { (row(for: error) ?? vague(error))?.kind }

  /// The row of the table for an `NSError`, or else for the first of its causes that has one.
  private static func row(for error: NSError) -> BuiltInError? {
    for link in ErrorChain(error) {
      let link = ConversionDepth.bridged(link)
      let row: BuiltInError? =
        switch link.domain {
        case "NSURLErrorDomain": url(link.code)
        case NSPOSIXErrorDomain: POSIXErrorCode(rawValue: Int32(clamping: link.code)).flatMap(posix)
        case NSCocoaErrorDomain: cocoa(CocoaError.Code(rawValue: link.code))
        default: nil
        }
      if let row { return row }
      // Only Foundation's own wrappers speak for their causes: a foreign error that merely has a
      // network failure somewhere below stays unknown (T13).
      guard foundation.contains(link.domain) else { return nil }
    }
    return nil
  }

  private static let foundation: Set<String> = [
    "NSURLErrorDomain", NSPOSIXErrorDomain, NSCocoaErrorDomain,
  ]

  private static func details(of error: NSError) -> String {
    let text = "\(error.domain) \(error.code): \(error.localizedDescription)"
    return Redaction.redact(text)
  }
}
