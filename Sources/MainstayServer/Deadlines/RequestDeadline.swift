// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import Mainstay

/// The time in which a request has to be answered.
///
/// It knows no framework; ``DeadlineMiddleware`` adapts it to Hummingbird. What it runs knows the
/// time that is left (`Deadline.remaining`).
public struct RequestDeadline: Sendable {
  private let limit: Duration
  private let field: HTTPField.Name?
  private let clock: any Clock<Duration>

  /// Makes the rules.
  ///
  /// - Parameters:
  ///   - limit: How long an answer may take; more than zero.
  ///   - field: The field in which a caller says for how many milliseconds it waits; what it says
  ///     counts where it is shorter than the limit. The default is none, for no standard names one.
  ///   - clock: What tells the time.
  public init(
    _ limit: Duration, callerSaysIn field: HTTPField.Name? = nil,
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    precondition(limit > .zero, "RequestDeadline(limit): it must be more than zero")
    self.limit = limit
    self.field = field
    self.clock = clock
  }

  /// Handles a request within its time.
  ///
  /// - Parameters:
  ///   - request: The head of the request.
  ///   - operation: Handles it.
  /// - Returns: What the operation returned.
  /// - Throws: What the operation throws; `Rejection`, answered with 504, where the caller waits no
  ///   more; and what `Deadline` throws once the time is over.
  public func run<T>(
    _ request: HTTPRequest, _ operation: () async throws -> T
  ) async throws -> T {
    try await deadline(of: request).run(operation)
  }

  private func deadline(of request: HTTPRequest) throws -> Deadline {
    func make(_ limit: Duration, _ clock: some Clock<Duration>) -> Deadline {
      Deadline(limit, clock: clock)
    }
    // What is no number says nothing; zero says that nobody waits any more.
    guard let field, let text = request.headerFields[field], let said = UInt32(text) else {
      return make(limit, clock)
    }
    guard said > 0 else { throw Rejection(policy: "deadline", reason: .deadlineTooClose) }
    return make(min(limit, .milliseconds(Int64(said))), clock)
  }
}
