// SPDX-License-Identifier: Apache-2.0

/// Where items are kept: a file, or a database that several processes share.
package protocol ItemPlace: Sendable {
  /// Whether other processes work with the same items.
  var isShared: Bool { get }

  /// Runs a change as one transaction, one after the other; returns when it survives a power cut.
  ///
  /// - Returns: What the change returned, and whether it wrote anything.
  func write<T: Sendable>(
    _ body: @escaping @Sendable (any ItemDatabase) throws -> T
  ) async throws -> (value: T, hasWritten: Bool)

  /// Asks about one state of the items.
  func read<T: Sendable>(
    _ body: @escaping @Sendable (any ItemDatabase) throws -> T
  ) async throws -> T

  /// Calls a body that sets items and queue right, and says whether no other process uses them.
  ///
  /// Else another one has done so, and only what was given up since then is to be looked at.
  func settling(_ body: (_ isFirst: Bool) async throws -> Void) async throws

  /// Tells of the items that other processes changed, until the task is cancelled.
  ///
  /// - Parameter changed: Called with the id of an item; with nil where it may have been any.
  func watchOthers(_ changed: @escaping @Sendable (String?) async -> Void) async

  /// Leaves it; later calls fail.
  func close()
}
