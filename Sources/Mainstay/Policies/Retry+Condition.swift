// SPDX-License-Identifier: Apache-2.0

extension Retry {
  /// Which errors are followed by another attempt.
  public struct Condition: Sendable {
    let decide: @Sendable (any Error, Disposition) -> Disposition.RetryRule
    let readsDisposition: Bool

    /// Goes by the error's disposition; the default.
    public static let disposition = Condition(readsDisposition: true) { $1.retry }

    /// Repeats after anything but a cancellation, for operations of which you know that repeating
    /// them is safe; refusals by a policy still go by their own rule.
    public static let anythingButCancellation = Condition(readsDisposition: false) {
      switch $1 {
      case .cancelled, .rejected, .throttled: $1.retry
      default: .afterBackoff(hint: $1.retryAfter)
      }
    }

    /// Asks a function of yours.
    ///
    /// - Parameter decide: Gets the error and its disposition; `disposition.retry` is the usual
    ///   answer. It is never asked about a cancellation.
    public init(
      _ decide: @escaping @Sendable (any Error, Disposition) -> Disposition.RetryRule
    ) {
      self.init(readsDisposition: true, decide)
    }

    private init(
      readsDisposition: Bool,
      _ decide: @escaping @Sendable (any Error, Disposition) -> Disposition.RetryRule
    ) {
      self.readsDisposition = readsDisposition
      self.decide = decide
    }
  }

  /// Which results are followed by another attempt, although the operation returned.
  public struct ResultCondition: Sendable {
    /// When another attempt follows; nil for a result that is acceptable.
    let decide: @Sendable (Any) -> Disposition.RetryRule?

    /// Asks a function of yours about results of one type; all others are acceptable.
    ///
    /// - Parameter isUnacceptable: Whether another attempt is to be made, such as for work that is
    ///   not done yet.
    public init<Value>(_ isUnacceptable: @escaping @Sendable (Value) -> Bool) {
      self.init(decide: { (value: Value) in
        isUnacceptable(value) ? .afterBackoff(hint: nil) : nil
      })
    }

    private init<Value>(decide: @escaping @Sendable (Value) -> Disposition.RetryRule?) {
      self.decide = { value in (value as? Value).flatMap(decide) }
    }

    /// Asks a function of yours about results of one type when another attempt is to be made, such
    /// as where an answer that is not the final one says how long to wait.
    ///
    /// A wait that it names is kept as one that comes with an error: spread upward by a tenth at
    /// most, and bounded by `maximumServerDelay` and the ``Deadline``. Where it is too long, the
    /// result is returned at once. For a ``CircuitBreaker`` each result with a rule is a failure.
    ///
    /// - Parameter rule: Gets a result; nil is the answer for one that is acceptable.
    /// - Returns: The condition; results of all other types are acceptable.
    public static func rule<Value>(
      _ rule: @escaping @Sendable (Value) -> Disposition.RetryRule?
    ) -> ResultCondition {
      ResultCondition(decide: rule)
    }

    func isUnacceptable(_ value: Any) -> Bool { decide(value) != nil }
  }

  /// What a retry does inside of another one.
  public enum Nesting: Sendable, Hashable {
    /// Leaves repeating to the one further out: in one pipeline it runs the operation once.
    ///
    /// Between pipelines only the further attempts of the outer one run once; what the inner one
    /// did in the first is counted by the outer one, where an ``AppError`` carries the number.
    case runsOnce
    /// Makes all its attempts in each attempt of the one further out: the numbers multiply.
    case makesAllAttempts
  }

  /// An attempt returned a result that is not acceptable; seen by observers alone.
  public struct UnacceptableResult: Error, Sendable, Hashable {
    /// The type of the result.
    public let type: String
  }
}

extension Retry.UnacceptableResult: AppErrorConvertible {
  /// What happened, for logs: nobody is shown this, since the result itself is returned.
  public var appError: AppError {
    AppError(
      .unacceptableResult, details: "a result of type \(type)",
      at: SourceSite(function: "Retry.UnacceptableResult.appError"))
  }
}

extension BuiltInError {
  static let unacceptableResult = BuiltInError(
    "policy.unacceptable-result", .server, .transient(),
    title: "Not done yet",
    message: "The service has not finished what was asked for.",
    suggestion: "Try again in a moment.")
}
