// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox

/// Stands for a service somewhere else, which can be cut off by hand.
actor Service {
  private var shelf = Shelf()
  private var answers: [IdempotencyKey: Shelf] = [:]
  private(set) var isReachable = true

  func setReachable(_ isReachable: Bool) { self.isReachable = isReachable }

  func load() throws(AppError) -> Shelf {
    try check()
    return shelf
  }

  /// The same key twice is the same change once.
  func save(_ item: Item, key: IdempotencyKey) throws(AppError) -> Shelf {
    try check()
    if let answer = answers[key] { return answer }
    shelf = shelf.keeping(item)
    answers[key] = shelf
    return shelf
  }

  private func check() throws(AppError) {
    if !isReachable { throw AppError.Network.offline.appError }
  }
}
