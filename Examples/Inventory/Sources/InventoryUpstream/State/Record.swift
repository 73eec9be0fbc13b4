// SPDX-License-Identifier: Apache-2.0

/// A line of the journal: something that happened, from which the state can be made again.
enum Record: Sendable, Codable {
  /// The first line of every journal: the name that its cursors carry.
  case history(name: String)

  /// A request with a key came in.
  case received(key: String)

  /// A write was applied.
  case applied(effect: Effect)

  /// A stored answer was given again.
  case replayed(key: String)

  /// The first bytes of a photo are about to come.
  case started(upload: Upload)

  /// A request was answered, or cut.
  case answered(request: Ledger.Request)
}
