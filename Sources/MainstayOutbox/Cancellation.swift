// SPDX-License-Identifier: Apache-2.0

/// What became of an operation that somebody cancelled.
public enum Cancellation: String, Sendable, Hashable, Codable, CaseIterable {
  /// It is gone, and nothing of it was sent; a receipt counts it.
  case cancelled
  /// A worker has it: the run is cancelled, and what it reports decides.
  ///
  /// It is done where the run ends well all the same, gone where nothing was sent, and reconciled
  /// where nobody knows.
  case stopping
  /// It may have been sent by an earlier run: the other side is asked, and it is done or gone.
  ///
  /// Without `reconcile` it is gone, and nobody knows whether it happened; so is one that is
  /// parked or conflicted, which nobody here can ask about.
  case mayHaveHappened
}
