// SPDX-License-Identifier: Apache-2.0

/// Makes one policy per key, such as one breaker per host, and keeps it.
///
/// ```swift
/// let breakers = PolicyRegistry("hosts") { (host: String) in CircuitBreaker(host) }
/// let page = try await breakers.run(host) { try await api.page(on: host) }
/// ```
///
/// It keeps a bounded number of them: for a new key it forgets those that were not used for a long
/// time, and where it is full the one that was used the longest ago. It forgets only what remembers
/// nothing: never a breaker that is open or counts failures, nor a retry whose own budget was
/// spent, nor anything with a call on its way. Where all are like that it keeps more than the bound
/// and says so with `registryOverflowed`. What had to stay once comes up again after all others.
/// What is learned anew counts as nothing: how long calls took under a ``Hedge``, and, once nobody
/// has called for that long time, the limit of an ``AdaptiveLimit`` and the failures of a breaker.
/// One that is open is kept for an hour after its break.
///
/// A policy of somebody else's is taken to remember nothing once no call is on its way.
public final class PolicyRegistry<Key: Hashable & Sendable, P: ConcurrentPolicy>: Sendable {
  /// How much a registry keeps.
  public struct Statistics: Sendable, Hashable {
    /// How many policies are kept.
    public let count: Int
    /// How many should be kept at most.
    public let maximumCount: Int
    /// How many were made and kept so far.
    public let made: Int
    /// How many were forgotten so far.
    public let forgotten: Int
  }

  /// The name, for events.
  public let name: String

  private let make: @Sendable (Key) -> P
  private let timeline: Timeline
  private let audience: PolicyAudience
  private let machine: Locked<PolicyRegistryStateMachine<Key, P>>

  /// Makes an empty registry; settings that are not legal stop the program.
  ///
  /// - Parameters:
  ///   - name: The name, for events.
  ///   - maximumCount: How many policies are kept, unless none of them may be forgotten; 1 or more,
  ///     the default is 1000.
  ///   - idleAfter: After which time without a call a policy may be forgotten though there is room;
  ///     more than zero, cut to a year. The default is an hour; nil keeps them until there is no
  ///     room.
  ///   - clock: The clock; the default is the continuous one.
  ///   - observer: Who is told about its events, besides the observer of the process.
  ///   - make: Makes the policy of a key; called outside of all locks, and for a key that several
  ///     ask for at once maybe more than once: one of them is kept.
  public convenience init(
    _ name: String, maximumCount: Int = 1000, idleAfter: Duration? = .seconds(3600),
    clock: some Clock<Duration> = ContinuousClock(), observer: (any PolicyObserver)? = nil,
    make: @escaping @Sendable (Key) -> P
  ) {
    do throws(ConfigurationError) {
      try self.init(
        name, validating: .init(maximumCount: maximumCount, idleAfter: idleAfter), clock: clock,
        observer: observer, make: make)
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// Makes an empty registry from settings that come from outside.
  ///
  /// - Parameters:
  ///   - name: The name, for events.
  ///   - configuration: The settings.
  ///   - clock: The clock; the default is the continuous one.
  ///   - observer: Who is told about its events, besides the observer of the process.
  ///   - make: Makes the policy of a key; called outside of all locks, and for a key that several
  ///     ask for at once maybe more than once: one of them is kept.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  public init(
    _ name: String, validating configuration: RegistryConfiguration,
    clock: some Clock<Duration> = ContinuousClock(), observer: (any PolicyObserver)? = nil,
    make: @escaping @Sendable (Key) -> P
  ) throws(ConfigurationError) {
    try configuration.check()
    self.name = name
    self.make = make
    timeline = Timeline(clock)
    audience = PolicyAudience(own: observer)
    machine = Locked(
      PolicyRegistryStateMachine(
        .init(
          maximumCount: configuration.maximumCount, idleAfter: configuration.idleAfter?.clamped)))
  }

  /// How much is kept, and how much was forgotten.
  public var statistics: Statistics {
    machine.withLock {
      Statistics(
        count: $0.count, maximumCount: $0.limits.maximumCount, made: $0.made,
        forgotten: $0.forgotten)
    }
  }

  /// The keys whose policies are kept, the one that was used the longest ago first.
  public var keys: [Key] { machine.withLock { $0.keys } }

  /// The policy of a key, to look at; nil where none is kept.
  ///
  /// Call through `run`: a policy that is held beside the registry may be forgotten by it
  /// meanwhile, and the next call of its key gets another one.
  public func kept(_ key: Key) -> P? { machine.withLock { $0.value(of: key) } }

  /// Forgets what was not used for the idle time and remembers nothing.
  ///
  /// Calls for new keys do so too, a few at a time; call this where no new keys come.
  ///
  /// - Returns: How many were forgotten.
  @discardableResult
  public func forgetIdle() -> Int {
    let now = timeline.now
    let forgotten = machine.withLock {
      $0.forgetIdle(
        now: now, isPristine: \.isPristineIfStage,
        isPristineWhenIdle: \.isPristineWhenIdleIfStage)
    }
    return forgotten.count
  }

  /// Forgets the policy of a key, whatever it remembers, such as that of a host that nobody uses
  /// any more.
  ///
  /// A call on its way ends under it; the next call of the key gets another one.
  ///
  /// - Parameter key: The key.
  /// - Returns: The policy; nil where none is kept.
  @discardableResult
  public func forget(_ key: Key) -> P? { machine.withLock { $0.takeOut(key) } }
}

extension PolicyRegistry where P: Policy {
  /// Runs an operation where its caller is, under the policy of a key, which is made for the first
  /// call.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - operation: What is run.
  /// - Returns: What the operation returned.
  /// - Throws: What the operation threw, or the policy.
  @inlinable
  public func run<T>(_ key: Key, _ operation: () async throws -> T) async throws -> T {
    let loan = borrow(key)
    defer { giveBack(loan) }
    return try await loan.policy.run(operation)
  }
}

extension PolicyRegistry {
  /// Runs an operation that may run beside or beyond its caller, under the policy of a key, which
  /// is made for the first call.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - operation: What is run.
  /// - Returns: What the operation returned.
  /// - Throws: What the operation threw, or the policy.
  @_disfavoredOverload @inlinable
  public func run<T: Sendable>(
    _ key: Key, _ operation: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    let loan = borrow(key)
    defer { giveBack(loan) }
    return try await loan.policy.runSendable(operation)
  }

  /// A policy in use; it is not forgotten before it is given back.
  @usableFromInline
  struct Loan: Sendable {
    @usableFromInline let policy: P
    let slot: Int
  }

  @usableFromInline
  func borrow(_ key: Key) -> Loan {
    let now = timeline.now
    if let loan = machine.withLock({ $0.borrow(key, now: now) }) {
      return Loan(policy: loan.value, slot: loan.slot)
    }
    let made = make(key)
    let insertion = machine.withLock { machine in
      machine.insert(
        key, made, now: now, isPristine: \.isPristineIfStage,
        isPristineWhenIdle: \.isPristineWhenIdleIfStage)
    }
    if insertion.beganToOverflow, !audience.isEmpty {
      let statistics = statistics
      audience.tell(
        PolicyEvent(
          policy: name,
          what: .registryOverflowed(
            count: statistics.count, maximumCount: statistics.maximumCount),
          reading: now))
    }
    // What was forgotten is released here, outside of the lock: its end may run somebody's code.
    return Loan(policy: insertion.loan.value, slot: insertion.loan.slot)
  }

  @usableFromInline
  func giveBack(_ loan: Loan) { _ = machine.withLock { $0.giveBack(loan.slot) } }
}
