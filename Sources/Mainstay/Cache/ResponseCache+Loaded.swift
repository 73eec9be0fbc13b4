// SPDX-License-Identifier: Apache-2.0

extension ResponseCache {
  /// What a load brought, and what the service says about keeping it.
  public struct Loaded<Value: Sendable>: Sendable {
    /// The value; nil where the one that is kept is still right.
    public let value: Value?
    /// What the service names this version by, such as an ETag; nil where it does not.
    public var validator: String?
    /// What it is about, to be invalidated by.
    public var tags: Set<String> = []
    /// How old it was already when it came, such as in a cache on the way; zero or more, cut to a
    /// year.
    public var age: Duration = .zero
    /// For how long the service says that it is fresh; nil, the default, for as long as the policy
    /// says.
    public var freshFor: Duration?
    /// Whether it must not be given once it is no longer fresh, whatever the policy allows.
    public var mustRevalidate = false
    /// How long after that the service lets it be given while a newer one is loaded: the policy
    /// allows that much or less; nil, the default, where only the policy says.
    public var staleWhileRevalidate: Duration?
    /// How long after that the service lets it be given where loading failed: the policy allows
    /// that much or less; nil, the default, where only the policy says.
    public var staleIfError: Duration?
    /// Whether it is for nobody but who asked: it is not kept for ``CachePartition/everybody``.
    public var isPersonal = false
    /// Whether it may be kept; what was kept before goes where it may not.
    public var isKept = true

    /// A value.
    public static func value(
      _ value: Value, validator: String? = nil, tags: Set<String> = []
    ) -> Loaded {
      var loaded = Loaded(value: value)
      loaded.validator = validator
      loaded.tags = tags
      return loaded
    }

    /// The value that is kept is still right, such as after an answer with the status 304.
    ///
    /// What it is kept with stays as it was, unless it is said anew.
    public static var unchanged: Loaded { Loaded(value: nil) }
  }
}
