// SPDX-License-Identifier: Apache-2.0

/// What an app does about a failure before it tries again: sets a capability up, goes back to a
/// good state, switches to offline mode.
///
/// ```swift
/// let plan = RecoveryPlan([
///   .restoringKnownGood(cart),
///   .init("sign in again", for: .unauthorized) { _ in try await session.refresh() },
/// ])
/// try await Retry().recovering(by: plan).run { try await send(await cart.state) }
/// ```
///
/// The first step that fits the error is run, one time for each failed attempt, before the wait.
/// See <doc:KeepingState>.
public struct RecoveryPlan: Sendable {
  /// One thing that may mend a failure.
  public struct Step: Sendable {
    /// What it does, such as "sign in again"; for logs and reports, never shown.
    public let name: String
    let fits: @Sendable (AppError) -> Bool
    let limit: Timeout.Abandoning
    let action: @Sendable (AppError) async throws -> Void

    /// Makes a step for errors of some kinds.
    ///
    /// - Parameters:
    ///   - name: What it does; for logs and reports, never shown.
    ///   - kinds: The kinds of errors that it may mend.
    ///   - limit: How long it may take; more than zero, the default is ten seconds. One that takes
    ///     longer is cancelled and left behind.
    ///   - clock: The clock; the default is the continuous one.
    ///   - action: Does it; what it throws says that nothing was mended.
    public init(
      _ name: String, for kinds: ErrorKind..., within limit: Duration = .seconds(10),
      clock: some Clock<Duration> = ContinuousClock(),
      _ action: @escaping @Sendable (AppError) async throws -> Void
    ) {
      self.init(name, when: { kinds.contains($0.kind) }, within: limit, clock: clock, action)
    }

    /// Makes a step for errors that a condition picks.
    ///
    /// - Parameters:
    ///   - name: What it does; for logs and reports, never shown.
    ///   - condition: Whether it may mend an error.
    ///   - limit: How long it may take; more than zero, the default is ten seconds. One that takes
    ///     longer is cancelled and left behind.
    ///   - clock: The clock; the default is the continuous one.
    ///   - action: Does it; what it throws says that nothing was mended.
    public init(
      _ name: String, when condition: @escaping @Sendable (AppError) -> Bool,
      within limit: Duration = .seconds(10), clock: some Clock<Duration> = ContinuousClock(),
      _ action: @escaping @Sendable (AppError) async throws -> Void
    ) {
      self.name = name
      fits = condition
      self.limit = Timeout.Abandoning(limit, disposition: .transient(), name: name, clock: clock)
      self.action = action
    }

    /// Goes back to the last good state where the app's state does not fit what was asked of it.
    ///
    /// What is replaced stays among ``StateClient/olderSnapshots``. A change that the client has
    /// refused is nothing to go back for: the state is as it was. Nor is an error that says that it
    /// is about the state of another client.
    ///
    /// - Parameter client: Whose state it is.
    /// - Returns: The step.
    public static func restoringKnownGood<State>(_ client: StateClient<State>) -> Step {
      let codes =
        [AppError.Client.invalidState(""), .isolationBreach("")].map(\.appError.code)
        + [AppError.Framework.stateCorruption("").appError.code]
      let name = client.name
      return Step(
        "restore \(name)", when: { codes.contains($0.code) && $0.mayBeAbout(client: name) }
      ) { _ in
        await client.restoreKnownGood()
      }
    }
  }

  /// How an attempt to mend a failure ended.
  public enum Outcome: Sendable {
    /// No step fits the error.
    case noStep
    /// A step was run, and threw nothing.
    case mended(by: String)
    /// A step was run, and threw this.
    case failed(step: String, AppError)
  }

  /// Whether the current task works on a step: what fails inside is not mended by another one, so
  /// that plans never go round in circles.
  private static let isRecovering = TaskLocal<Bool>(wrappedValue: false)

  private let steps: [Step]

  /// How long one step may take at most.
  var longestStep: Duration { steps.map(\.limit.limit.duration).max() ?? .zero }

  /// Makes a plan.
  ///
  /// - Parameter steps: The steps; the first one that fits an error is run.
  public init(_ steps: [Step]) { self.steps = steps }

  /// The step that fits an error; nil for cancellations, and inside of a step.
  func step(for error: any Error) -> (step: Step, error: AppError)? {
    guard !steps.isEmpty, !Self.isRecovering.get() else { return nil }
    let mapped = ErrorMapping.current.map(error)
    guard !mapped.isCancellation, let step = steps.first(where: { $0.fits(mapped) }) else {
      return nil
    }
    return (step, mapped)
  }

  /// Runs the step that fits an error, where there is one.
  ///
  /// - Parameter error: What failed.
  /// - Returns: What became of it; a cancellation, and what fails inside of a step, have none.
  public func recover(from error: any Error) async -> Outcome {
    guard let (step, mapped) = step(for: error) else { return .noStep }
    do {
      try await Self.run(step, mapped)
      return .mended(by: step.name)
    } catch {
      return .failed(step: step.name, error)
    }
  }

  /// Runs a step within its limit.
  static func run(_ step: Step, _ error: AppError) async throws(AppError) {
    do {
      try await isRecovering.withValue(true) {
        try await step.limit.runSendable { try await step.action(error) }
      }
    } catch {
      throw ErrorMapping.current.map(error)
    }
  }
}
