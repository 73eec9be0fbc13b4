// SPDX-License-Identifier: Apache-2.0

/// What a server, or the way to it, failed with; people meet it as an `OutboxError`.
package struct PostgresError: Error, Sendable, Equatable {
  package enum Kind: Sendable, Hashable, CaseIterable {
    /// The address holds a value that cannot be used.
    case address
    /// No server answers there.
    case unreachable
    /// Password, rights, database or certificate are not what they have to be.
    case refused
    /// The server is older than what the statements need.
    case tooOld
    /// The server has no connection left.
    case tooMany
    /// All connections of the pool were busy for too long, or too many callers wait.
    case busy
    /// The connection ended in the middle of something.
    case lost
    /// The server refused the statement; `sqlState` says why.
    case statement
    /// Another transaction was in the way: doing it again helps.
    case conflict
    /// It took longer than it may.
    case timeout
    /// The task that asked was cancelled.
    case cancelled
    /// The server takes no changes.
    case readOnly
    /// The server has no room left.
    case full
    /// The server's files are damaged.
    case damaged
    /// A value is not of the type that was asked for, or cannot be sent.
    case value
    /// The pool or the connection was closed.
    case closed
  }

  package let kind: Kind
  /// The five letters of the SQL standard, where a server said them.
  package let sqlState: String?
  /// What happened and what to do, without passwords and without values of rows.
  package let text: String
  /// The name of the constraint that was violated, if one was.
  package var constraint: String?
  /// Whether what was asked for may have been done all the same.
  package var mayHaveHappened = false

  package init(
    _ kind: Kind, sqlState: String? = nil, constraint: String? = nil, mayHaveHappened: Bool = false,
    _ text: String
  ) {
    self.kind = kind
    self.sqlState = sqlState
    self.constraint = constraint
    self.mayHaveHappened = mayHaveHappened
    self.text = text
  }

  /// Whether asking again is of no use before somebody changes something.
  var isLasting: Bool { [.address, .refused, .tooOld].contains(kind) }

  func mayHaveHappened(_ mayHave: Bool) -> PostgresError {
    var error = self
    error.mayHaveHappened = mayHave
    return error
  }

  static let cancelled = PostgresError(.cancelled, "The task was cancelled.")
  static let closed = PostgresError(.closed, "The store was closed.")
}

extension PostgresError: CustomStringConvertible {
  package var description: String {
    let state = sqlState.map { " (\($0))" } ?? ""
    return text + state + (mayHaveHappened ? " It may have been done all the same." : "")
  }
}
