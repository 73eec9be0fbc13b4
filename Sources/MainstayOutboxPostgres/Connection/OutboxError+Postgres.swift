// SPDX-License-Identifier: Apache-2.0

package import MainstayOutbox

extension OutboxError {
  /// The error of a store, from what a server or the way to it failed with.
  ///
  /// What only a person can mend is `unavailable`, what passes is `busy` or `failed`. For
  /// `cancelled` use ``PostgresError/thrown``, since cancellation is no failure.
  package init(_ error: PostgresError) {
    let code: Code =
      switch error.kind {
      case .address, .refused, .tooOld, .readOnly: .unavailable
      case .tooMany, .busy, .conflict: .busy
      case .full: .diskFull
      case .damaged, .value: .corrupted
      case .closed: .shutDown
      case .unreachable, .lost, .statement, .timeout: .failed
      // mainstay:ignore MS304 -- `thrown` below is what callers get, and it tells them apart
      case .cancelled: .failed
      }
    self.init(code, details: error.description)
  }
}

extension PostgresError {
  /// What a store throws for it: an `OutboxError`, or `CancellationError`.
  package var thrown: any Error {
    kind == .cancelled ? CancellationError() : OutboxError(self)
  }
}
