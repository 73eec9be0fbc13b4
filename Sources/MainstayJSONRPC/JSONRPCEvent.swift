// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// Something happened in a client; no event carries what was sent or received.
///
/// Cases will be added, so a `switch` keeps an `@unknown default`.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
public enum JSONRPCEvent: Sendable {
  /// A connection is open and restored; the first one has the number 1.
  case connected(number: Int)
  /// A connection ended.
  case disconnected(number: Int, AppError)
  /// No connection could be made; the next attempt comes after the wait, or never where nil.
  case connectingFailed(attempt: Int, AppError, retryAfter: Duration?)
  /// A call or notification was sent.
  case requested(method: String, id: JSONRPCID?)
  /// A call was answered.
  case answered(method: String, id: JSONRPCID, after: Duration)
  /// A call failed, was stopped, or was answered with an error.
  case failed(method: String, id: JSONRPCID?, AppError, after: Duration)
  /// The server sent something without being asked.
  case pushed(method: String)
  /// Something arrived that belongs to no call.
  case ignored(Stray)

  /// What arrived and belongs to no call; more may come, so keep an `@unknown default`.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum Stray: String, Sendable, Hashable, CaseIterable {
    /// An answer to a call that had ended: its time was over, or it was stopped.
    case late
    /// A second answer to a call.
    case duplicate
    /// An answer to an id that was not used.
    case unknown
    /// An error for nobody: several calls were on their way, and it has no id.
    case anonymous
    /// Something that cannot be read.
    case unreadable
    /// A push that nobody fetched in time made room for a newer one.
    case overflow
  }
}
