// SPDX-License-Identifier: Apache-2.0

/// Owns the state of one part of an app: nobody changes it but through here, and all who watch are
/// told.
///
/// ```swift
/// let cart = StateClient("cart", Cart(), invariants: [.init("no line is empty") { $0.isSound }])
/// try await cart.update { $0.add(book) }
/// for await snapshot in await cart.updates { show(snapshot.state) }
/// ```
///
/// A change is made as a whole or not at all: what throws, or breaks an invariant, leaves the state
/// as it was. See <doc:KeepingState>.
public final actor StateClient<State: Sendable> {
  /// The name, for errors and logs.
  public nonisolated let name: String

  @usableFromInline var history: SnapshotHistory<State>
  private let invariants: [Invariant]
  private let runs: Coalesce<String>
  /// One for all runs without a policy of their own: its budget is about all of them.
  private let retry = Retry()
  private var listeners: [UInt64: AsyncStream<Snapshot<State>>.Continuation] = [:] {
    didSet { isLookedAfter = !invariants.isEmpty || saver != nil || !listeners.isEmpty }
  }
  /// Whether somebody checks, keeps or watches the state.
  ///
  /// Where nobody does, a change is made in the caller's own module, and costs little more than a
  /// call of an actor. That takes a `final` actor: though nobody can inherit from any, calls from
  /// other modules go through its table of methods otherwise, and are not specialised.
  @usableFromInline var isLookedAfter: Bool
  private var nextListener: UInt64 = 0
  private var hasEnded = false
  let saver: SnapshotSaver<State>?
  var saving: Task<Void, Never>?
  var savedVersion: UInt64?
  /// Why the newest state is not in the file; nil where it is, or is being written, and where there
  /// is no file.
  ///
  /// The client tries again by itself, after 1 second at first and after a minute at most, and at
  /// each change.
  public internal(set) var saveFailure: AppError?
  var saveFailureCount = 0
  /// Tries again after a while.
  var savingAgain: Task<Void, Never>?

  /// Makes a client of a state that stands in the code; one that breaks an invariant stops the
  /// program.
  ///
  /// - Parameters:
  ///   - name: The name, for errors and logs.
  ///   - state: The state at the beginning, which counts as known to be good.
  ///   - history: How many older states are kept; 0 to 1,000, the default is 10.
  ///   - invariants: What must be true of the state at any time; the default is nothing.
  public init(
    _ name: String, _ state: State, history: Int = 10, invariants: [Invariant] = []
  ) {
    let broken = invariants.broken(by: state)
    precondition(
      broken.isEmpty, "StateClient(\"\(name)\") begins with a state that breaks: \(broken)")
    precondition(
      (0...1_000).contains(history),
      "StateClient(history: \(history)) is not legal: 0 to 1,000")
    self.init(name, Snapshot(version: 0, state: state), history, invariants, nil)
  }

  /// Makes a client of a state that comes from outside.
  ///
  /// - Parameters:
  ///   - name: The name, for errors and logs.
  ///   - state: The state at the beginning, which counts as known to be good.
  ///   - history: How many older states are kept; 0 to 1,000, the default is 10. Others are taken
  ///     for the nearest of these.
  ///   - invariants: What must be true of the state at any time; the default is nothing.
  /// - Throws: `AppError` of ``AppError/Framework/stateCorruption(_:)`` where the state breaks an
  ///   invariant.
  public init(
    validating name: String, _ state: State, history: Int = 10,
    invariants: [Invariant] = []
  ) throws(AppError) {
    let broken = invariants.broken(by: state)
    guard broken.isEmpty else { throw .broken(broken, in: name) }
    self.init(
      name, Snapshot(version: 0, state: state), min(max(history, 0), 1_000), invariants, nil)
  }

  init(
    _ name: String, _ first: Snapshot<State>, _ history: Int,
    _ invariants: [Invariant], _ saver: SnapshotSaver<State>?, saved: UInt64? = nil
  ) {
    self.name = name
    self.history = SnapshotHistory(first, capacity: history)
    self.invariants = invariants
    self.saver = saver
    isLookedAfter = !invariants.isEmpty || saver != nil
    savedVersion = saved
    runs = Coalesce(name)
  }

  deinit {
    for listener in listeners.values { listener.finish() }
    savingAgain?.cancel()
  }

  // MARK: Reading

  /// The state as it is, and which one it is.
  public var snapshot: Snapshot<State> { history.current }

  /// The state as it is.
  public var state: State { history.current.state }

  /// The older states that are still kept, the youngest first.
  public var olderSnapshots: [Snapshot<State>] { history.older }

  /// The state that ``restoreKnownGood()`` goes back to: the one at the beginning, or the last one
  /// that was marked.
  public var knownGood: Snapshot<State> { history.knownGood }

  /// The state, now and after each change.
  ///
  /// Who listens slowly misses states in between and never the newest; versions only grow.
  public var updates: AsyncStream<Snapshot<State>> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Snapshot<State>.self, bufferingPolicy: .bufferingNewest(1))
    continuation.yield(history.current)
    guard !hasEnded else {
      continuation.finish()
      return stream
    }
    nextListener += 1
    let id = nextListener
    listeners[id] = continuation
    continuation.onTermination = { [weak self] _ in
      Task { await self?.forget(id) }
    }
    return stream
  }

  /// How many watch.
  public var listenerCount: Int { listeners.count }

  // MARK: Changing

  /// Changes the state, as a whole or not at all.
  ///
  /// - Parameter change: What changes it.
  /// - Returns: What the change returned.
  /// - Throws: `AppError`: what the change threw, converted, or of
  ///   ``AppError/Client/changeRefused(_:)`` where the new state breaks an invariant. The state is
  ///   as it was then.
  @discardableResult @inlinable
  public func update<T: Sendable>(
    _ change: @Sendable (inout State) throws -> T
  ) throws(AppError) -> T {
    var state = history.current.state
    let result: T
    do { result = try change(&state) } catch { throw AppError.refused(error, by: name) }
    if isLookedAfter { try accept(state) } else { history.accept(state) }
    return result
  }

  /// Makes a state of the past, or of elsewhere, the newest one.
  ///
  /// What is replaced is returned, and stays among ``olderSnapshots``: nothing that a person did is
  /// thrown away without a word.
  ///
  /// - Parameter snapshot: The state; it gets a version of its own.
  /// - Returns: What it replaces.
  /// - Throws: `AppError` of ``AppError/Client/changeRefused(_:)`` where it breaks an invariant.
  @discardableResult
  public func restore(_ snapshot: Snapshot<State>) throws(AppError) -> Snapshot<State> {
    let replaced = history.current
    try accept(snapshot.state)
    return replaced
  }

  /// Goes back to the last state that was known to be good.
  ///
  /// - Returns: What it replaces; see ``restore(_:)``.
  @discardableResult
  public func restoreKnownGood() -> Snapshot<State> {
    let replaced = history.current
    // It was sound when it was the newest, and states do not change.
    publish(history.knownGood.state)
    return replaced
  }

  /// Says that the present state is good: one to go back to.
  public func markKnownGood() { history.markKnownGood() }

  /// Runs something under a name, with up to three attempts, and changes the state by what it
  /// returned.
  ///
  /// All runs of this client pay for their further attempts from one ``RetryBudget``; see
  /// ``perform(_:by:_:then:)`` for the rest.
  ///
  /// ```swift
  /// try await library.perform("load") { try await api.books() } then: { $0.books = $1 }
  /// ```
  ///
  /// - Parameters:
  ///   - key: The name; what has the same name does the same.
  ///   - operation: What is run, outside of the actor.
  ///   - change: Changes the state by the result.
  /// - Throws: `AppError`: what the operation threw in the end, converted, or what ``update(_:)``
  ///   throws. A caller that is cancelled leaves; the run is cancelled when all have left.
  public nonisolated func perform<T: Sendable>(
    _ key: String, _ operation: @escaping @Sendable () async throws -> T,
    then change: @escaping @Sendable (inout State, T) throws -> Void
  ) async throws(AppError) {
    try await perform(key, by: retry, operation, then: change)
  }

  /// Runs something under a name and a policy, and changes the state by what it returned.
  ///
  /// Who asks for the same name while it runs waits for that run: it is made once, and changes the
  /// state once. Nothing is remembered of it afterwards, however it ended, and one that all have
  /// left changes nothing.
  ///
  /// - Parameters:
  ///   - key: The name; what has the same name does the same.
  ///   - policy: What guards it, such as a ``Pipeline`` that is kept: one that is made for each
  ///     call knows nothing of those before.
  ///   - operation: What is run, outside of the actor.
  ///   - change: Changes the state by the result.
  /// - Throws: `AppError`: what the operation threw in the end, converted, or what ``update(_:)``
  ///   throws. A caller that is cancelled leaves; the run is cancelled when all have left.
  public nonisolated func perform<T: Sendable>(
    _ key: String, by policy: some Policy & Sendable,
    _ operation: @escaping @Sendable () async throws -> T,
    then change: @escaping @Sendable (inout State, T) throws -> Void
  ) async throws(AppError) {
    do {
      try await runs.run(key) {
        let value = try await policy.run { try await operation() }
        try await self.updateByRun { try change(&$0, value) }
      }
    } catch {
      throw ErrorMapping.current.map(error)
    }
  }

  /// Changes the state by what a run returned, unless everybody has left that run.
  ///
  /// That is asked in the turn of the change: who runs the name anew changes the state after it.
  private func updateByRun(_ change: @Sendable (inout State) throws -> Void) throws {
    try Task.checkCancellation()
    try update(change)
  }

  /// How many names are being run.
  public nonisolated var runCount: Int { runs.runCount }

  /// Ends what is told: all who watch get the newest state, and then the end.
  public func end() {
    hasEnded = true
    for listener in listeners.values { listener.finish() }
    listeners = [:]
  }

  @usableFromInline
  func accept(_ state: State) throws(AppError) {
    if !invariants.isEmpty {
      let broken = invariants.broken(by: state)
      guard broken.isEmpty else { throw .refused(broken, by: name) }
    }
    publish(state)
  }

  private func publish(_ state: State) {
    history.accept(state)
    for listener in listeners.values { listener.yield(history.current) }
    startSaving()
  }

  private func forget(_ id: UInt64) { listeners[id] = nil }
}

extension AppError {
  private static let clientKey = "client.name"

  /// A change that threw: its own error where somebody knows it, else that it could not be made.
  @usableFromInline
  static func refused(_ error: any Error, by client: String) -> AppError {
    let mapped = ErrorMapping.current.map(error)
    let isKnown = mapped.disposition != .unclassified
    return (isKnown ? mapped : Client.updateFailed(error).appError).naming(client)
  }

  /// A change that would break invariants: nothing is broken, since it was not made.
  static func refused(_ invariants: [String], by client: String) -> AppError {
    Client.changeRefused(reason(invariants, client)).appError.naming(client)
  }

  /// A state from outside that breaks invariants.
  static func broken(_ invariants: [String], in client: String) -> AppError {
    Framework.stateCorruption(reason(invariants, client)).appError.naming(client)
  }

  private static func reason(_ invariants: [String], _ client: String) -> String {
    "\(client): \(invariants.joined(separator: "; "))"
  }

  /// Says whose state it is about, unless it says so already.
  private func naming(_ client: String) -> AppError {
    metadata[Self.clientKey] == nil ? adding(metadata: [Self.clientKey: client]) : self
  }

  /// Whether it is about the state of a client, as far as it says so.
  func mayBeAbout(client: String) -> Bool { metadata[Self.clientKey] ?? client == client }
}
