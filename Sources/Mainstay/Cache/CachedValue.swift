// SPDX-License-Identifier: Apache-2.0

/// A value with what it is worth; what a ``ResponseCache`` answers.
public struct CachedValue<Value: Sendable>: Sendable {
  /// The value.
  public let value: Value
  /// Whether it is of now, or kept from before.
  public let freshness: CacheFreshness
  /// How many changes that were made here, and that the service does not know yet, are laid over
  /// it.
  public let localChanges: Int

  /// Labels a value.
  public init(_ value: Value, _ freshness: CacheFreshness, localChanges: Int = 0) {
    self.value = value
    self.freshness = freshness
    self.localChanges = localChanges
  }
}

extension CachedValue {
  /// Whether it shows changes that the service does not know yet.
  public var hasLocalChanges: Bool { localChanges > 0 }

  /// What a person is to see: what is kept, with what was changed here laid over it.
  ///
  /// - Parameters:
  ///   - changes: What was changed here and is not delivered yet, the oldest first.
  ///   - kept: What is kept; nil where nothing is.
  ///   - apply: Makes one change; it may make something of nothing, and nothing of something. It
  ///     should set what is to be, not add to what is: a change that is delivered just now may be
  ///     in the kept value already.
  /// - Returns: What is to be seen; nil where there is nothing, or nothing any more.
  public static func overlaying<Change>(
    _ changes: [Change], on kept: CachedValue?, _ apply: (inout Value?, Change) throws -> Void
  ) rethrows -> CachedValue? {
    guard !changes.isEmpty else { return kept }
    var value = kept?.value
    for change in changes { try apply(&value, change) }
    return value.map {
      CachedValue(
        $0, kept?.freshness ?? .missing, localChanges: (kept?.localChanges ?? 0) + changes.count)
    }
  }
}

extension CachedValue: Equatable where Value: Equatable {}
