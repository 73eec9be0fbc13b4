// SPDX-License-Identifier: Apache-2.0

/// How much an answer is worth: whether it is of now, or kept from before.
public enum CacheFreshness: Sendable, Equatable {
  /// It was loaded just now, or so short a time ago that nobody need ask again.
  case fresh
  /// It is older than that, and a newer one is being loaded; nil where its age is not known.
  case revalidating(age: Duration?)
  /// It is older than that, and this is why there is no newer one; an age that nobody knows and a
  /// load that nobody tried are nil.
  case stale(age: Duration?, cause: AppError?)
  /// Nothing was ever loaded, or it is not kept any more: the value is made of local changes alone.
  case missing
}

extension CacheFreshness {
  /// Whether it is of now.
  public var isFresh: Bool { self == .fresh }

  /// How old it is; nil for what is fresh, missing, or of unknown age.
  public var age: Duration? {
    switch self {
    case .revalidating(let age), .stale(let age, _): age
    case .fresh, .missing: nil
    }
  }

  /// Why there is no newer one; nil where it is fresh, or where nobody tried.
  public var cause: AppError? {
    if case .stale(_, let cause) = self { cause } else { nil }
  }
}

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
