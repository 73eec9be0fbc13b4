// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import Hummingbird
import Mainstay

/// Gives each request a time in which it has to be answered.
///
/// The handler's policies know the time that is left: a retry that could not finish is not begun,
/// and a `ResilientClient` tells the next service. A request whose time is over is answered with
/// 504.
public struct DeadlineMiddleware<Context: RequestContext>: RouterMiddleware {
  private let deadline: RequestDeadline

  /// Makes the middleware.
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
    deadline = RequestDeadline(limit, callerSaysIn: field, clock: clock)
  }

  /// Answers a request within its time.
  ///
  /// - Throws: What the handler throws, and what `Deadline` throws once the time is over.
  public func handle(
    _ request: Request, context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    try await deadline.run(request.head) { try await next(request, context) }
  }
}
