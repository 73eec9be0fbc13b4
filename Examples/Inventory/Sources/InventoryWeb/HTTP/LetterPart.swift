// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

/// Which part of what was given up is asked for.
struct LetterPart: Sendable {
  /// How many a part may have.
  static let maximum = 1000

  /// How many there are at most.
  let limit: Int
  /// The last one of the part before; nil for the first part.
  let after: UUID?

  /// - Parameters:
  ///   - query: What the address asks for: `limit` and `after`.
  ///   - usual: How many there are where it does not say so.
  /// - Throws: `AppError` with the status 400 that says what is wrong with it.
  init(_ query: Form, usual: Int = Self.maximum) throws(AppError) {
    var limit = usual
    if query.has("limit") {
      guard let number = Int(query["limit"]), (1...Self.maximum).contains(number) else {
        throw .badAddress("`limit` must be a whole number from 1 to \(Self.maximum).")
      }
      limit = number
    }
    self.limit = limit
    guard !query["after"].isEmpty else {
      after = nil
      return
    }
    guard let id = UUID(uuidString: query["after"]) else {
      throw .badAddress("`after` must be the `next` of an earlier answer.")
    }
    after = id
  }
}
