// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox

/// Stands for a service somewhere else, which can be cut off by hand.
actor Service {
  private struct Books: Codable {
    var shelf = Shelf()
    var keys: Set<String> = []
  }

  private let file: URL
  private var books: Books
  private var isReachable = true

  init(at file: URL) throws {
    self.file = file
    let isThere = FileManager.default.fileExists(atPath: file.path(percentEncoded: false))
    // What cannot be read is not replaced by nothing.
    books = isThere ? try JSONDecoder().decode(Books.self, from: Data(contentsOf: file)) : Books()
  }

  func setReachable(_ isReachable: Bool) { self.isReachable = isReachable }

  func load() throws -> Shelf {
    if !isReachable { throw AppError.Network.offline }
    return books.shelf
  }

  /// The same key twice is the same change once.
  func save(_ item: Item, key: IdempotencyKey) throws -> Shelf {
    let shelf = try load()
    guard !books.keys.contains(key.rawValue) else { return shelf }
    var newer = books
    newer.keys.insert(key.rawValue)
    newer.shelf = shelf.keeping(item)
    try JSONEncoder().encode(newer).write(to: file, options: .atomic)
    books = newer
    return newer.shelf
  }
}
