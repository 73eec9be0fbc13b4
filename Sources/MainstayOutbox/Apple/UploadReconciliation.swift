// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// What becomes of the uploads of a background session when an app begins anew.
///
/// The system goes on with them while the app does not run. Each carries the identity of its
/// operation, so what the session has and what the outbox has can be brought together:
///
/// ```swift
/// let uploads = UploadReconciliation(
///   await session.allTasks.map { .init($0.taskIdentifier, describedBy: $0.taskDescription) },
///   with: try await outbox.operations(limit: .max))
/// ```
public struct UploadReconciliation: Sendable, Equatable {
  /// A task of the session.
  public struct Upload: Sendable, Hashable {
    /// The number by which the session knows it.
    public let number: Int
    /// The operation that it belongs to; nil where it says none.
    public let operation: OperationID?

    /// Reads what a task says of itself.
    ///
    /// - Parameters:
    ///   - number: Its `taskIdentifier`.
    ///   - description: Its `taskDescription`: the identity of an operation as text.
    public init(_ number: Int, describedBy description: String?) {
      self.number = number
      operation = description.flatMap(UUID.init(uuidString:)).map { OperationID($0) }
    }
  }

  /// The uploads that go on, by their operations: the workers of those wait for them.
  public let adopted: [OperationID: Int]
  /// The uploads to cancel, in ascending order: their operations are done, gone, given up or
  /// cancelled, or have another upload already.
  public let cancelled: [Int]
  /// The operations that may have been uploaded, and that no upload goes on for, in the order in
  /// which they were given.
  ///
  /// Where the session told of an end, reconcile by that; else ask the other side. An upload that
  /// is not found there is started again by the next run.
  public let lost: [OperationID]

  /// Brings together what a session has and what an outbox has.
  ///
  /// Uploads that name no operation are somebody else's, and left alone.
  ///
  /// - Parameters:
  ///   - uploads: All tasks of the session.
  ///   - operations: All operations that are not finished, of the kinds that are uploaded so: one
  ///     that is left out counts as gone, and its upload is cancelled.
  public init(_ uploads: [Upload], with operations: [StoredOperation]) {
    let wanted = Set(operations.filter { !$0.isCancelled }.map(\.id))
    var adopted: [OperationID: Int] = [:]
    var cancelled: [Int] = []
    // The first one began first; another may have been added by a run that did not know of it.
    for upload in uploads.sorted(by: { $0.number < $1.number }) {
      guard let id = upload.operation else { continue }
      if wanted.contains(id), adopted[id] == nil {
        adopted[id] = upload.number
      } else {
        cancelled.append(upload.number)
      }
    }
    self.adopted = adopted
    self.cancelled = cancelled
    lost = operations.filter { $0.mayBeUploading && adopted[$0.id] == nil }.map(\.id)
  }
}

extension StoredOperation {
  /// Whether an earlier run of it may have handed over an upload, and none looks after that now.
  fileprivate var mayBeUploading: Bool { state != .leased && effect == .sentUnknown }
}
