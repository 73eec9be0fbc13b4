// SPDX-License-Identifier: Apache-2.0

public import Hummingbird

/// Refuses requests that were sent to a name that is none of the service's own.
///
/// It stands behind ``ProblemMiddleware``, which answers what it refuses with 403, and before all
/// routes that it is to protect.
public struct HostMiddleware<Context: RequestContext>: RouterMiddleware {
  private let hosts: AllowedHosts

  /// Makes the middleware.
  ///
  /// - Parameter hosts: The names by which the service may be called; `localhost` and IP addresses
  ///   alone by default.
  public init(_ hosts: AllowedHosts = AllowedHosts()) {
    self.hosts = hosts
  }

  /// Answers a request that was sent to one of the names.
  ///
  /// - Throws: `AppError` where it was not, and what the handler throws.
  public func handle(
    _ request: Request, context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    try hosts.check(request.head)
    return try await next(request, context)
  }
}
