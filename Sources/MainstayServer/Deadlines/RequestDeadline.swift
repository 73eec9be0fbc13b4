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
  private let timeline: Timeline

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
    timeline = Timeline(clock)
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
    func make(_ limit: Duration, _ clock: some Clock<Duration>) -> Deadline {
      Deadline(limit, clock: clock)
    }
    guard let said = said(by: request) else { return try await make(limit, clock).run(operation) }
    // Who waits for nothing, or not long enough, is no failure of the service.
    guard said > .zero else {
      let refusal = Rejection(policy: "deadline", reason: .deadlineTooClose)
      OwnRefusal.note(refusal)
      throw refusal
    }
    let end = timeline.now + said
    do {
      return try await OwnRefusal.$isHurried.withValue(true) {
        try await make(said, clock).run(operation)
      }
    } catch {
      // What met the end by itself has an error of its own for it.
      if timeline.now >= end || Self.isForWantOfTime(error) { OwnRefusal.note(error) }
      throw error
    }
  }

  /// Whether a policy has refused to begin what would have come too late.
  private static func isForWantOfTime(_ error: any Error) -> Bool {
    let reason = Rejection.Reason.deadlineTooClose
    if let rejection = error as? Rejection { return rejection.reason == reason }
    return (error as? AppError)?.metadata["policy.reason"] == reason.rawValue
  }

  /// How long the caller waits, where that is shorter than the limit; zero where it waits no more.
  private func said(by request: HTTPRequest) -> Duration? {
    // What is no number says nothing.
    guard let field, let text = request.headerFields[field], let said = UInt32(text) else {
      return nil
    }
    let time = Duration.milliseconds(Int64(said))
    return time < limit ? time : nil
  }
}
