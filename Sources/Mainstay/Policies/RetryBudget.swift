// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Limits how many repetitions a dependency gets on top of its calls, so that a retry never becomes
/// the outage.
///
/// Each call that is made for the first time pays a part of a token in, each second pays a little
/// more, and each repetition takes a whole token out. Where there is none left, the repetition is
/// not made, and the caller gets the error that the call ended with. Make one per dependency and
/// hand it to everything that repeats calls of that dependency:
///
/// ```swift
/// let budget = RetryBudget()
/// let (retry, hedge) = (Retry(budget: budget), Hedge(budget: budget))
/// ```
///
/// What lies in it is counted in whole thousandths of a token. Paying in costs one atomic addition,
/// and nothing but a load while the budget is full; the clock is read only when something is taken
/// out.
///
/// Source: Google, "Site Reliability Engineering" (2016), chapter 21; the refund is that of the AWS
/// SDKs.
public final class RetryBudget: Sendable {
  /// No limit at all: every repetition is made.
  ///
  /// Choose it knowingly: during an outage each call then costs the dependency as many calls as
  /// there are attempts.
  public static let unlimited = RetryBudget()

  private let isLimited: Bool
  private let timeline: Timeline
  // Asked by each call; the machine has both as well.
  private let deposited: Atomic<Int>
  private let capacity: Atomic<Int>
  /// What calls have paid in since somebody took something out.
  ///
  /// Once it holds as much as the budget does, more would be lost anyway.
  private let inbox = Atomic(0)
  private let known: Locked<Known>

  private struct Known {
    var machine: RetryBudgetStateMachine
    var configuration: Configuration
  }

  /// Makes a budget from settings that stand in the code; one that is not legal stops the program.
  ///
  /// - Parameters:
  ///   - ratio: How many repetitions each call pays for; 0 to 1, the default is 0.2.
  ///   - minimumPerSecond: How many repetitions each second pays for; 0 to 1,000,000, the default
  ///     is 1, which suits an app; 10 suits a service. Not zero where the ratio is.
  ///   - capacity: How many tokens it holds at most; 1 to 1,000,000, the default is 50.
  ///   - initial: How many tokens it holds at first; 0 to the capacity, the default is 10, or the
  ///     capacity where that is less.
  ///   - costs: What repetitions cost; the default is one token each.
  ///   - clock: The clock; the default is the continuous one.
  public convenience init(
    ratio: Double = 0.2, minimumPerSecond: Double = 1, capacity: Int = 50, initial: Int? = nil,
    costs: Costs = Costs(), clock: some Clock<Duration> = ContinuousClock()
  ) {
    let configuration = Configuration(
      ratio: ratio, minimumPerSecond: minimumPerSecond, capacity: capacity, initial: initial,
      costs: costs)
    do throws(ConfigurationError) {
      try self.init(validating: configuration, clock: clock)
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// Makes a budget from settings that come from outside.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - clock: The clock; the default is the continuous one.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  public convenience init(
    validating configuration: Configuration, clock: some Clock<Duration> = ContinuousClock()
  ) throws(ConfigurationError) {
    try configuration.check()
    self.init(checked: configuration, on: Timeline(clock))
  }

  init(checked configuration: Configuration, on timeline: Timeline) {
    let limits = RetryBudgetStateMachine.Limits(configuration)
    isLimited = true
    self.timeline = timeline
    deposited = Atomic(limits.deposit)
    capacity = Atomic(limits.capacity)
    let machine = RetryBudgetStateMachine(
      limits: limits, initial: Double(configuration.effectiveInitial).inThousandths,
      now: timeline.now)
    known = Locked(Known(machine: machine, configuration: configuration))
  }

  private init() {
    isLimited = false
    timeline = .live
    deposited = Atomic(0)
    capacity = Atomic(0)
    let machine = RetryBudgetStateMachine(
      limits: .init(deposit: 0, perSecond: 0, capacity: 0), initial: 0, now: .zero)
    known = Locked(Known(machine: machine, configuration: Configuration()))
  }

  /// The settings in force; those of ``unlimited`` mean nothing.
  public var configuration: Configuration { known.withLock { $0.configuration } }

  /// Goes on with other settings, without losing what lies in it.
  ///
  /// A smaller capacity drops what does not fit, and `initial` is of no use any more.
  ///
  /// - Parameter configuration: The settings.
  /// - Throws: ``ConfigurationError`` with everything that is not legal, and where this is
  ///   ``unlimited``, which stays so; nothing is changed then.
  public func update(_ configuration: Configuration) throws(ConfigurationError) {
    try configuration.check()
    guard isLimited else {
      let violation = ConfigurationError.Violation(
        option: "unlimited", value: "true", rule: "a budget without a limit takes no settings")
      throw ConfigurationError(subject: "RetryBudget", violations: [violation])
    }
    let limits = RetryBudgetStateMachine.Limits(configuration)
    let now = timeline.now
    known.withLock { known in
      known.machine.deposit(inbox.exchange(0, ordering: .relaxed))
      known.machine.update(limits, now: now)
      known.configuration = configuration
      deposited.store(limits.deposit, ordering: .relaxed)
      capacity.store(limits.capacity, ordering: .relaxed)
    }
  }

  /// How many tokens there are right now; infinite where there is no limit.
  public var available: Double {
    guard isLimited else { return .infinity }
    let balance = step { machine, now in
      _ = machine.withdraw(0, now: now)
      return machine.balance
    }
    return Double(balance) / Double(RetryBudgetStateMachine.aToken)
  }
}

// What policies do with it; amounts are thousandths of a token.
extension RetryBudget {
  /// A call is made for the first time.
  package func deposit() {
    guard inbox.load(ordering: .relaxed) < capacity.load(ordering: .relaxed) else { return }
    inbox.add(deposited.load(ordering: .relaxed), ordering: .relaxed)
  }

  /// Takes the cost of a repetition, or nothing where there is too little.
  package func withdraw(_ cost: Int) -> Bool {
    guard isLimited, cost > 0 else { return true }
    return step { machine, now in machine.withdraw(cost, now: now) }
  }

  /// Gives a cost back, for a repetition that was not made or that succeeded.
  package func refund(_ cost: Int) {
    guard isLimited, cost > 0 else { return }
    known.withLock { $0.machine.refund(cost) }
  }

  /// How long it takes until a repetition can be paid for by time alone; nil where it never can.
  package func wait(for cost: Int) -> Duration? {
    guard isLimited, cost > 0 else { return .zero }
    return step { machine, now in machine.wait(for: cost, now: now) }
  }

  /// Whether it holds at least as much as at first, so that one made anew would allow no more.
  var isPristine: Bool {
    guard isLimited else { return true }
    let initial = Double(known.withLock { $0.configuration.effectiveInitial }).inThousandths
    return step { machine, now in
      _ = machine.withdraw(0, now: now)
      return machine.balance >= initial
    }
  }

  /// What the next attempt costs after an error.
  package func cost(after error: any Error, _ disposition: Disposition) -> Int {
    let costs = costs
    if error is TimedOut { return costs.timedOut.inThousandths }
    return switch disposition {
    case .throttled: costs.throttled.inThousandths
    case .unknownOutcome: costs.unknownOutcome.inThousandths
    case .rejected, .cancelled: 0
    // Whoever repeats after one of the last three has said so, and the dependency is called again.
    case .transient, .permanent, .needsUser, .unclassified: costs.transient.inThousandths
    }
  }

  /// What the next attempt costs after a result that is not acceptable.
  var costAfterResult: Int { costs.transient.inThousandths }

  /// What one more run of a stored operation costs.
  package var costOfRun: Int { costs.transient.inThousandths }

  /// What one more copy of a call costs.
  var costOfHedge: Int { costs.hedge.inThousandths }

  private var costs: Costs { known.withLock { $0.configuration.costs } }

  private func step<T: Sendable>(
    _ move: (inout RetryBudgetStateMachine, Duration) -> T
  ) -> T {
    let now = timeline.now
    return known.withLock { known in
      known.machine.deposit(inbox.exchange(0, ordering: .relaxed))
      return move(&known.machine, now)
    }
  }
}

extension RetryBudgetStateMachine.Limits {
  /// The settings that were checked.
  fileprivate init(_ configuration: RetryBudget.Configuration) {
    self.init(
      deposit: configuration.ratio.inThousandths,
      perSecond: configuration.minimumPerSecond.inThousandths,
      capacity: Double(configuration.capacity).inThousandths)
  }
}

extension Double {
  /// A checked number of tokens in thousandths of a token.
  fileprivate var inThousandths: Int { Int((self * 1_000).rounded()) }
}
