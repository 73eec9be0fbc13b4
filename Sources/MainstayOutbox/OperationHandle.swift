// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import Mainstay

/// Follows one operation, from wherever its identity is known: also after a restart.
///
/// ```swift
/// let id = try await outbox.enqueue(scan)
/// let handle = outbox.handle(id, for: Scan.self)
/// if case .ended(.done, let book, _) = try await handle.outcome() { show(book) }
/// ```
public struct OperationHandle<Operation: QueuedOperation>: Sendable, Identifiable {
  /// Where an operation stands.
  public enum Status: Sendable {
    /// It is not finished; how much of it is done, where it runs and its worker says so.
    case pending(StoredOperation, progress: OperationProgress?)
    /// It was given up; somebody may redrive it.
    case deadLetter(DeadLetter)
    /// It ended for this reason; what its worker returned, where it did and that can be read.
    case ended(OutboxReceipt.Reason, output: Operation.Output?, at: Date)
    /// It was never there, or it ended so long ago that nobody remembers: see
    /// ``Outbox/Configuration/maximumOutcomes``.
    case unknown
  }

  /// The identity of the operation.
  public let id: OperationID
  let outbox: Outbox

  /// Where it stands now.
  ///
  /// - Throws: ``OutboxError``.
  public func status() async throws(OutboxError) -> Status {
    // It may move from one place to another between two looks.
    for _ in 0..<2 {
      if let operation = try await outbox.operation(id) {
        // A run is heard until its end is known here, which is after the store has recorded that.
        let isRunning = operation.state == .leased
        return .pending(operation, progress: isRunning ? outbox.progress[id] : nil)
      }
      if let letter = try await outbox.deadLetter(id) { return .deadLetter(letter) }
      if let outcome = try await outbox.outcome(id) {
        let output = outcome.output.flatMap {
          try? PayloadCoding.decode(
            Operation.Output.self, from: outbox.vault.opened($0, as: .output(Operation.kind)))
        }
        return .ended(outcome.reason, output: output, at: outcome.ended)
      }
    }
    return .unknown
  }

  /// Where it stands, now and after each change, until it has ended or is not known any more; the
  /// newest is never missed, older ones may be.
  ///
  /// A dead letter is no end: it may be redriven.
  public var updates: some AsyncSequence<Status, Never> & Sendable {
    looks.compactMap { try? $0.get() }
  }

  /// What each look at the operation finds that is news, until it is not looked at any more.
  ///
  /// A store that fails is asked again after half a second, then after twice that, and so on: where
  /// the outbox is at rest, nothing else would ask it.
  private var looks: AsyncStream<Result<Status, OutboxError>> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let bell = outbox.changeFeed.bell(for: id)
      let timeline = outbox.drainer.settings.timeline
      let task = Task {
        var last: Status?
        for await _ in bell {
          var failures = 0
          var found: Status?
          while found == nil, !Task.isCancelled {
            do throws(OutboxError) {
              found = try await status()
            } catch {
              // It may take the place of a status that nobody has read yet: that is news again.
              continuation.yield(.failure(error))
              last = nil
              if error.code == .shutDown { break }
              failures = error.failures(after: failures)
              try? await timeline.sleep(until: timeline.now + .milliseconds(250 << failures))
            }
          }
          guard let found else { break }
          if last?.isSame(as: found) != true { continuation.yield(.success(found)) }
          last = found
          if found.isFinal { break }
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Where it stands once it is not pending any more: when it ended or was given up.
  ///
  /// - Returns: Where it stands; also `pending`, where the caller is cancelled before.
  /// - Throws: ``OutboxError``, such as where the outbox is shut down before, or where the store
  ///   cannot be read and that does not pass by itself. What may pass is waited for.
  public func outcome() async throws(OutboxError) -> Status {
    for await look in looks {
      do throws(OutboxError) {
        let status = try look.get()
        if case .pending = status { continue }
        return status
      } catch {
        if [.newerFormat, .corrupted].contains(error.code) { throw error }
      }
    }
    let status = try await status()
    guard case .pending = status, !Task.isCancelled else { return status }
    // Nobody looks any more, and the store was asked just before it was closed.
    throw OutboxError(.shutDown, details: "\(id) is still pending")
  }

  /// Takes the operation back: see ``Outbox/cancel(_:)``.
  ///
  /// - Throws: ``OutboxError``.
  @discardableResult
  public func cancel() async throws(OutboxError) -> Cancellation? {
    try await outbox.cancel(id)
  }
}

extension OperationHandle.Status {
  fileprivate var isFinal: Bool {
    switch self {
    case .pending, .deadLetter: false
    case .ended, .unknown: true
    }
  }

  /// Whether it says the same as another one, of what is no end.
  fileprivate func isSame(as other: Self) -> Bool {
    switch (self, other) {
    case (.pending(let mine, let progress), .pending(let others, let theirs)):
      mine == others && progress == theirs
    case (.deadLetter(let mine), .deadLetter(let others)):
      mine.operation == others.operation && mine.since == others.since
    default: false
    }
  }
}

extension Outbox {
  /// Follows an operation.
  ///
  /// - Parameters:
  ///   - id: The operation.
  ///   - type: What it is; only what its worker returned depends on it.
  /// - Returns: The handle, also where there is no such operation.
  public func handle<Operation: QueuedOperation>(
    _ id: OperationID, for type: Operation.Type
  ) -> OperationHandle<Operation> {
    OperationHandle(id: id, outbox: self)
  }
}
