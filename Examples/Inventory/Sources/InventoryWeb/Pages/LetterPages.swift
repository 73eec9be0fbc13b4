// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore

/// The pages of what was given up, the oldest first: where the one before and the one behind are.
///
/// The queue is read forwards only. So the address of a page says in `from` which ones it was
/// reached by, each by what it came after, and the page before is the last of them.
struct LetterPages: Sendable {
  /// Where the links below a page lead; nil for those that it does not have.
  struct Links: Sendable {
    /// The page before; the first one has none.
    var older: String?
    /// The page behind; the last one has none.
    var newer: String?
    /// The first page of all; only the page about an item has it.
    var all: String?
  }

  /// The address of the first page of all.
  static let all = "/status#letters"
  /// How many stand on one page.
  static let length = 50
  /// How many pages are remembered; before those the first one comes.
  static let maximumFrom = 20

  private let part: LetterPart
  private let from: ArraySlice<UUID>

  /// The page that an address asks for.
  init(_ query: Form, _ part: LetterPart) {
    self.part = part
    let ids = query["from"].split(separator: ".").compactMap { UUID(uuidString: String($0)) }
    from = ids.suffix(Self.maximumFrom)
  }

  /// The address of the page before; nil for the first one.
  var older: String? {
    part.after.map { _ in address(after: from.last, from: from.dropLast()) }
  }

  /// The address of the page behind the last one that this one shows.
  func newer(after last: UUID) -> String {
    address(after: last, from: (from + [part.after].compactMap(\.self)).suffix(Self.maximumFrom))
  }

  /// The address of the page with those about an item alone.
  ///
  /// It says nothing of the others, so it holds whatever becomes of them.
  static func address(about item: UUID) -> String { "/status?item=\(item.text)#letters" }

  private func address(after: UUID?, from: ArraySlice<UUID>) -> String {
    let parts = [
      part.limit == Self.length ? nil : "limit=\(part.limit)", after.map { "after=\($0.text)" },
      from.isEmpty ? nil : "from=" + from.map(\.text).joined(separator: "."),
    ].compactMap(\.self)
    return "/status" + (parts.isEmpty ? "" : "?" + parts.joined(separator: "&")) + "#letters"
  }
}
