// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import GRDB
internal import Mainstay

/// An outbox whose tables stand among those of an app, so that what the app changes and what is to
/// be told of it are one transaction.
extension Outbox {
  /// What was accepted within a transaction of an app.
  public struct Enqueued: Sendable, Hashable, Identifiable {
    /// The identity of the operation.
    public let id: OperationID
    /// How much of it is certain to be there later, once the transaction is committed.
    ///
    /// It is less than an outbox in a file of its own promises where the app's connection says so:
    /// see ``Outbox/durability()``.
    public let durability: OutboxDurability
  }

  /// Opens an outbox in the database of an app, takes back what a dead process had begun, and
  /// starts to work.
  ///
  /// Its tables begin with `mainstay_`, and have migrations of their own. The settings of the
  /// connection stay as they are: see ``durability()``. On Apple platforms a database in an app
  /// group has to be asked for: see <doc:AppleLifecycle>.
  ///
  /// - Parameters:
  ///   - writer: The app's connection.
  ///   - migrator: The app's own migrations; nil, the default, where it has run them. Hand them
  ///     over where they have `eraseDatabaseOnSchemaChange`: they run when the outbox is opened,
  ///     and are refused while something waits that they could erase.
  ///   - configuration: How it behaves; illegal settings stop the program. Check those that come
  ///     from outside by ``Configuration/validate()``.
  ///   - clock: What waits are measured with; the default is `ContinuousClock`.
  ///   - now: The time of day, read once; nil, the default, for the system's.
  ///   - workers: What runs the operations, one for each kind and version.
  /// - Throws: ``OutboxError``, naming the path; `unavailable` where the migrations could erase
  ///   what waits.
  public convenience init(
    in writer: any DatabaseWriter, migrator: DatabaseMigrator? = nil,
    configuration: Configuration = Configuration(),
    clock: some Clock<Duration> = ContinuousClock(), now: (@Sendable () -> Date)? = nil,
    @WorkerBuilder workers: () -> [Worker]
  ) async throws(OutboxError) {
    let surroundings = Surroundings(clock)
    let live = SettingsInForce(configuration)
    let store = SQLiteStore(
      in: writer, migrator: migrator, limits: { live.now.limits },
      clock: surroundings.fileClock(now?()))
    try AppGroup.check(store.url, isAllowed: configuration.allowsAppGroup)
    try await self.init(
      store: store, configuration: configuration, ownLimits: live, surroundings: surroundings,
      workers: workers())
  }

  /// How much of what was accepted is certain to be there later.
  ///
  /// An outbox in a file of its own survives a power cut. In the database of an app it is what the
  /// app's connection says: with `synchronous = FULL` the same, on Apple platforms where
  /// `fullfsync` is on, too; else only the death of the process. A store of another kind answers
  /// for itself: here it counts as gone with the process.
  ///
  /// - Throws: ``OutboxError``.
  public func durability() async throws(OutboxError) -> OutboxDurability {
    guard let store = store as? SQLiteStore else { return .processOnly }
    do { return try await store.durability() } catch { throw OutboxError(error) }
  }

  /// Accepts an operation within the app's own transaction: it is there if and only if that is
  /// committed, and runs no sooner.
  ///
  /// ```swift
  /// try await database.write { db in
  ///   try outbox.enqueue(SyncTwin(id: item.id), in: db)  // beside what the app changes here
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - operation: What is to be done.
  ///   - options: The wishes; none by default.
  ///   - db: The connection of the database that the outbox was opened in.
  /// - Returns: Its identity, as ``enqueue(_:options:)`` does, and how certain it is to be there
  ///   after the commit.
  /// - Throws: ``OutboxError``; then nothing was accepted, and the transaction can go on.
  @discardableResult
  public func enqueue<Operation: QueuedOperation>(
    _ operation: Operation, options: EnqueueOptions = EnqueueOptions(), in db: Database
  ) throws(OutboxError) -> Enqueued {
    guard let store = store as? SQLiteStore, store.host != nil else {
      throw OutboxError(
        .failed,
        details: "only an outbox that was opened by Outbox(in:) takes part in a transaction")
    }
    let (new, plain) = try prepared(operation, options)
    let (id, durability): (OperationID, OutboxDurability)
    // Outside of a transaction it is committed already, and the next one is somebody else's.
    let isInside = db.isInsideTransaction
    do {
      // Before anything is changed: what cannot be read accepts nothing.
      durability = try SQLiteStore.durability(of: db)
      if isInside { try store.note(new.id, in: db) }
      id = try insert(new, plain, of: Operation.self, options, store, db)
    } catch {
      throw OutboxError(error, path: store.path)
    }
    if isInside {
      db.afterNextTransaction { [self] db in
        // A savepoint may have been rolled back, and it with that.
        accepted(store.hasNote(new.id, in: db) ? [id] : [], of: [new])
      }
    } else {
      accepted([id], of: [new])
    }
    return Enqueued(id: id, durability: durability)
  }

  /// Accepts an operation that runs in order with others of the same key, within the app's own
  /// transaction.
  ///
  /// - Parameters:
  ///   - operation: What is to be done.
  ///   - orderingKey: What it changes.
  ///   - db: The connection of the database that the outbox was opened in.
  /// - Returns: Its identity, and how certain it is to be there after the commit.
  /// - Throws: ``OutboxError``; then nothing was accepted, and the transaction can go on.
  @discardableResult
  public func enqueue<Operation: QueuedOperation>(
    _ operation: Operation, orderedBy orderingKey: some CustomStringConvertible, in db: Database
  ) throws(OutboxError) -> Enqueued {
    try enqueue(operation, options: EnqueueOptions(orderedBy: orderingKey.description), in: db)
  }

  /// Keeps an operation, or what it and the last one of its key come to: nobody changes that
  /// meanwhile.
  private func insert<Operation: QueuedOperation>(
    _ new: NewOperation, _ plain: Data, of type: Operation.Type, _ options: EnqueueOptions,
    _ store: SQLiteStore, _ db: Database
  ) throws -> OperationID {
    var merged: NewOperation?
    if let kind = type as? any CoalescingOperation.Type, let key = new.orderingKey,
      options.allowsCoalescing, let last = try store.last(of: key, in: db),
      last.isOpen(to: new)
    {
      merged = try self.merged(new, plain, with: last, by: kind)
    }
    do {
      return try store.insert(merged ?? new, in: db)
    } catch let error as OutboxError where error.code == .changedMeanwhile {
      // The store knows why the last one stays alone, such as another that needs it.
      return try store.insert(new, in: db)
    } catch let error as OutboxError where error.code == .keyReused {
      let twin = try store.operation(keyed: new.idempotencyKey, in: db)
      guard let twin, isSame(twin, new, plain, of: type) else { throw error }
      return twin.id
    }
  }
}
