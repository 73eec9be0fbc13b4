// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An error and what caused it, from the outside in.
///
/// Each step takes all causes of one error before the causes of those. The walk ends after 64
/// errors and visits no object and no equal value of an app's own error twice, since a chain of
/// causes may lead back to itself.
package struct ErrorChain: Sequence, IteratorProtocol {
  private var pending: [any Error]
  private var position = 0
  private var visited = 0
  private var seen: Set<AnyHashable> = []

  private static let limit = 64

  package init(_ error: any Error) { pending = [error] }

  package mutating func next() -> (any Error)? {
    while position < pending.count, visited < Self.limit {
      let error = pending[position]
      position += 1
      if let identity = Self.identity(of: error), !seen.insert(identity).inserted { continue }
      visited += 1
      // All that was visited stays in `pending`: the address of a released object is used again.
      pending += Self.causes(of: error).prefix(Self.limit)
      return error
    }
    return nil
  }

  /// By what an error is known that may be met again; nil for a value that only its cause can hold.
  static func identity(of error: any Error) -> AnyHashable? {
    if let object = ErrorObject.of(error) { return ObjectIdentifier(object) }
    return error is any AppErrorConvertible ? HashableError.value(of: error) : nil
  }

  /// What one error names as its direct causes.
  package static func causes(of error: any Error) -> [any Error] {
    if let error = error as? AppError { return error.underlying }
    if let error = error as? any Fingerprint.Wrapper { return [error.wrapped] }
    if let error = error as? any AppErrorConvertible {
      return ConversionDepth.asking { error.appError.underlying } ?? []
    }
    if let error = error as? RecordedError { return error.causes }
    switch error {
    case let error as DecodingError: return error.context?.underlyingError.map { [$0] } ?? []
    case let error as EncodingError: return error.context?.underlyingError.map { [$0] } ?? []
    default: break
    }
    let info = ConversionDepth.bridged(error).userInfo
    if let cause = info[NSUnderlyingErrorKey] as? any Error { return [cause] }
    // The constant of this name is missing on Linux.
    return info["NSMultipleUnderlyingErrorsKey"] as? [any Error] ?? []
  }
}

/// Errors that can be compared.
enum HashableError {
  /// The error as a value that can be compared; nil where its type is not hashable.
  ///
  /// The type is asked, since every `any Error` is hashable once it is bridged to `NSError`.
  static func value<T>(of error: T) -> AnyHashable? {
    guard type(of: error as Any) is any Hashable.Type else { return nil }
    return (error as Any) as? AnyHashable
  }
}

extension DecodingError {
  var context: Context? {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .keyNotFound(_, let context), .dataCorrupted(let context):
      context
    @unknown default: nil
    }
  }
}

extension EncodingError {
  var context: Context? {
    switch self {
    case .invalidValue(_, let context): context
    @unknown default: nil
    }
  }
}
