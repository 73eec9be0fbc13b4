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
    let isUnacceptable: @Sendable (Any) -> Bool

    /// Asks a function of yours about results of one type; all others are acceptable.
    ///
    /// - Parameter isUnacceptable: Whether another attempt is to be made, such as for work that is
    ///   not done yet.
    public init<Value>(_ isUnacceptable: @escaping @Sendable (Value) -> Bool) {
      self.isUnacceptable = { value in (value as? Value).map(isUnacceptable) ?? false }
    }
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
