// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// Decides beforehand what happens at which call: the second fails, the third takes long, at the
/// fourth the task is cancelled.
///
/// It is a policy, to be put innermost into the pipeline under test, or around its operation:
///
/// ```swift
/// let plan = FailurePlan([2: .fails(with: error), 3: .takes(.seconds(2))], clock: clock)
/// let value = try await pipeline.run { try await plan.run { 42 } }
/// #expect(plan.passes == 3)
/// ```
///
/// Code with several suspensions passes the plan at each of them, by ``pass()``, so a test can
/// cancel it at the third await as well as at the first.
public final class FailurePlan: Policy {
  /// What happens when the plan is passed; the set is open.
  public struct Step: Sendable {
    enum Action: Sendable {
      case wait(Duration)
      case fail(any Error)
      case cancel
      case hang
    }

    let actions: [Action]

    /// Nothing happens.
    public static let succeeds = Step(actions: [])

    /// The task that passes the plan is cancelled, and the plan throws `CancellationError` as a
    /// suspension that heeds it does.
    public static let cancels = Step(actions: [.cancel])

    /// Nothing comes back until the task is cancelled.
    public static let hangs = Step(actions: [.hang])

    /// The plan throws an error.
    public static func fails(with error: any Error) -> Step { Step(actions: [.fail(error)]) }

    /// The plan is passed after a delay by its clock; cut to a year.
    public static func takes(_ delay: Duration) -> Step { Step(actions: [.wait(delay.clamped)]) }

    /// Another step follows this one, as in `.takes(.seconds(2)).then(.fails(with: error))`.
    public func then(_ next: Step) -> Step { Step(actions: actions + next.actions) }
  }

  private let steps: [Int: Step]
  private let otherwise: Step
  private let timeline: Timeline
  private let count = Locked(0)

  /// Makes a plan.
  ///
  /// - Parameters:
  ///   - steps: What happens at which pass; they are counted from 1.
  ///   - otherwise: What happens at all others; the default is nothing.
  ///   - clock: The clock of delays; the default is the continuous one.
  public init(
    _ steps: [Int: Step], otherwise: Step = .succeeds,
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    precondition(
      steps.keys.allSatisfy { $0 >= 1 },
      "FailurePlan(\(steps.keys.sorted())) is not legal: passes are counted from 1")
    self.steps = steps
    self.otherwise = otherwise
    timeline = Timeline(clock)
  }

  /// How often the plan was passed, failed passes included.
  public var passes: Int { count.withLock { $0 } }

  /// Passes the plan: whatever it says for this time happens.
  ///
  /// - Throws: The planned error, or `CancellationError`.
  public func pass() async throws {
    let pass = count.withLock { count in
      count += 1
      return count
    }
    for action in (steps[pass] ?? otherwise).actions {
      switch action {
      case .wait(let delay): try await timeline.sleep(until: timeline.now + delay)
      case .fail(let error): throw error
      case .cancel:
        withUnsafeCurrentTask { $0?.cancel() }
        throw CancellationError()
      case .hang:
        for await _ in AsyncStream<Never>.makeStream().stream {}
        throw CancellationError()
      }
    }
  }

  /// Passes the plan, then runs an operation.
  public func run<T>(_ operation: () async throws -> T) async throws -> T {
    try await pass()
    return try await operation()
  }
}

/// Fails the next call with a chosen error, once; all others go through.
///
/// ```swift
/// let failing = FailingOnce(with: error)
/// let pipeline = Pipeline("under test") {
///   Retry(backoff: .none)
///   failing
/// }
/// ```
public final class FailingOnce: Policy {
  private let next: Locked<(any Error)?>

  /// Makes a double that fails the next call.
  ///
  /// - Parameter error: The error; nil lets calls through until ``failNext(with:)``.
  public init(with error: (any Error)? = nil) { next = Locked(error) }

  /// Whether the next call will fail.
  public var isArmed: Bool { next.withLock { $0 != nil } }

  /// Lets the next call fail, instead of an earlier error that nobody has met.
  public func failNext(with error: any Error) { next.withLock { $0 = error } }

  /// Throws the error, once, or runs the operation.
  public func run<T>(_ operation: () async throws -> T) async throws -> T {
    if let error = next.withLock({ $0.take() }) { throw error }
    return try await operation()
  }
}
