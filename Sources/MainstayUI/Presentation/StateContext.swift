// SPDX-License-Identifier: Apache-2.0

public import Mainstay
public import Observation

/// Holds what a screen shows of the state of a `StateClient`, on the main actor.
///
/// ```swift
/// let context = await StateContext(cart)
/// Text("\(context.state.count) books")
/// await context.update { $0.add(book) }
/// ```
///
/// What a person does goes to the client, which may refuse; the screen shows what the client has,
/// so it never shows what did not happen.
@MainActor @Observable
public final class StateContext<State: Sendable> {
  /// What the screen shows, and which state it is.
  public private(set) var snapshot: Snapshot<State>
  /// Why the last change was refused, or why changes are no longer seen; nil where all is well.
  public private(set) var failure: AppError?

  @ObservationIgnored private let client: StateClient<State>
  @ObservationIgnored private let monitor: ErrorMonitor?
  @ObservationIgnored private var watching: Task<Void, Never>?

  /// Makes a context, and begins to watch.
  ///
  /// - Parameters:
  ///   - client: Who has the state.
  ///   - monitor: Who is told of failures; nil, the default, tells nobody.
  public init(_ client: StateClient<State>, monitor: ErrorMonitor? = nil) async {
    self.client = client
    self.monitor = monitor
    snapshot = await client.snapshot
    let updates = await client.updates
    watching = Task { [weak self] in
      for await snapshot in updates { self?.take(snapshot) }
      guard !Task.isCancelled else { return }
      // Whoever looks at a screen that stands still has to know that it does.
      self?.fail(AppError.Context.observationFailed("the client has ended").appError, "Observe")
    }
  }

  isolated deinit { watching?.cancel() }

  /// What the screen shows.
  public var state: State { snapshot.state }

  /// Changes the state; on return the screen has the change, or ``failure`` says why not.
  ///
  /// A cancellation is no failure.
  ///
  /// - Parameters:
  ///   - doing: What is being done, for reports; never shown.
  ///   - change: What changes it.
  /// - Returns: Whether it was changed.
  @discardableResult
  public func update(
    _ doing: String = "Change state", _ change: @escaping @Sendable (inout State) throws -> Void
  ) async -> Bool {
    failure = nil
    do {
      try await client.update(change)
      take(await client.snapshot)
      return true
    } catch {
      if !error.isCancellation { fail(error, doing) }
      return false
    }
  }

  /// Writes one property, as a control does; a value that is refused is put back.
  ///
  /// - Parameters:
  ///   - value: The new value.
  ///   - property: Where it goes.
  ///   - name: The property's name, for reports; never shown.
  public func set<Value: Sendable>(
    _ value: Value, at property: any WritableKeyPath<State, Value> & Sendable, named name: String
  ) async {
    failure = nil
    do {
      try await client.update { $0[keyPath: property] = value }
      take(await client.snapshot)
    } catch {
      let refused = AppError.Context.bindingFailed(property: name).appError
        .adding(metadata: ["context.refusal": error.code.rawValue])
      fail(
        refused.saying(error.message, suggestion: error.suggestion, underlying: [error]),
        "Set \(name)")
    }
  }

  /// Puts the failure away.
  public func dismissFailure() { failure = nil }

  private func take(_ newer: Snapshot<State>) {
    // What the watcher brings may be older than what a change has brought already.
    if newer.version > snapshot.version { snapshot = newer }
  }

  private func fail(_ error: AppError, _ doing: String) {
    failure = error
    monitor?.capture(error, during: doing)
  }
}
