// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An error and what caused it, from the outside in.
///
/// Each step takes all causes of one error before the causes of those. The walk ends after 64 errors
/// and never visits an object twice, since a chain of `NSError` may lead back to itself.
package struct ErrorChain: Sequence, IteratorProtocol {
  private var pending: [any Error]
  private var visited = 0
  private var seen: Set<ObjectIdentifier> = []

  private static let limit = 64

  package init(_ error: any Error) { pending = [error] }

  package mutating func next() -> (any Error)? {
    while !pending.isEmpty, visited < Self.limit {
      let error = pending.removeFirst()
      if type(of: error) is AnyClass,
        !seen.insert(ObjectIdentifier(error as AnyObject)).inserted
      {
        continue
      }
      visited += 1
      pending += Self.causes(of: error)
      return error
    }
    return nil
  }

  /// What one error names as its direct causes.
  package static func causes(of error: any Error) -> [any Error] {
    if let error = error as? AppError { return error.underlying }
    if let error = error as? any AppErrorConvertible { return error.appError.underlying }
    if error is RecordedError { return [] }
    switch error {
    case let error as DecodingError: return error.context?.underlyingError.map { [$0] } ?? []
    case let error as EncodingError: return error.context?.underlyingError.map { [$0] } ?? []
    default: break
    }
    let info = (error as NSError).userInfo
    return (info[NSUnderlyingErrorKey] as? any Error).map { [$0] } ?? []
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
