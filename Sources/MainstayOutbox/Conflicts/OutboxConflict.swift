// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

/// An operation that waits, because somebody else changed the same thing.
public struct OutboxConflict: Sendable, Identifiable {
  /// The operation; its payload is the version of this side.
  public let operation: StoredOperation
  /// The document of the other side, as the worker handed it over; nil where it had none.
  public let remote: Data?
  /// What could not be merged; empty where nothing was tried: see ``MergingOperation``.
  ///
  /// Of any operation it says ``FieldConflict/Cause/outcomeUnknown`` where an earlier run may have
  /// been carried out, and nobody could be asked.
  public let fields: [FieldConflict]
  /// When it was found.
  public let since: Date

  /// The identity of the operation.
  public var id: OperationID { operation.id }

  /// Makes a conflict; for stores.
  public init(
    operation: StoredOperation, remote: Data?, fields: [FieldConflict] = [], since: Date
  ) {
    self.operation = operation
    self.remote = remote
    self.fields = fields
    self.since = since
  }
}

/// What a worker throws when the other side's version has changed: it keeps that version.
///
/// The operation then waits, with all that follow it under the same ordering key, until
/// ``Outbox/resolve(_:with:)`` is called. An error of the kind `conflict` without a document does
/// the same where the worker merges, and is a refusal where it does not: a dead letter.
public struct RemoteConflict: AppErrorConvertible {
  /// The document of the other side, in the app's own form.
  public let remote: Data
  /// What a person reads about it.
  public let appError: AppError

  /// Makes the error.
  ///
  /// - Parameters:
  ///   - remote: The document of the other side, in the app's own form.
  ///   - error: What a person reads about it; the default is that of HTTP status 409.
  public init(remote: Data, error: AppError = .http(status: 409)) {
    self.remote = remote
    appError = error
  }
}
