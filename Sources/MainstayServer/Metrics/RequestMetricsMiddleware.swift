// SPDX-License-Identifier: Apache-2.0

public import Hummingbird
import HTTPTypes
import Mainstay

/// Counts and times requests until their answers have been sent whole.
///
/// It stands before all others, so that it sees what ``ProblemMiddleware`` makes of errors. It has
/// the metrics of `MetricsMiddleware` of Hummingbird, and counts failures as well; one of both is
/// enough. The answer to HEAD has no body, and ends with its head. A body that fails by itself,
/// after its head was sent, counts as 500.
public struct RequestMetricsMiddleware<Context: RequestContext>: RouterMiddleware {
  private let metrics: RequestMetrics

  /// Makes the middleware.
  ///
  /// - Parameter metrics: What is told of requests.
  public init(_ metrics: RequestMetrics = RequestMetrics()) {
    self.metrics = metrics
  }

  /// Answers a request, and measures it.
  ///
  /// - Throws: What the handler throws.
  public func handle(
    _ request: Request, context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    let measurement = metrics.begin(request.head)
    do {
      var response = try await next(request, context)
      let (body, status, route) = (response.body, response.status, Self.route(of: context))
      // The router may take away the body, and with it whatever waits for its end.
      guard request.method != .head else {
        measurement.end(status, route: route)
        return response
      }
      response.body = ResponseBody(contentLength: body.contentLength) { writer in
        let reader = ReaderWatch()
        do {
          try await body.write(reader.watching(writer))
          measurement.end(status, route: route)
        } catch {
          let isGone = reader.hasGone || error.isGone
          measurement.end(isGone ? nil : .internalServerError, route: route)
          throw error
        }
      }
      return response
    } catch {
      let status = (error as? any HTTPResponseError)?.status ?? .internalServerError
      measurement.end(error.isGone ? nil : status, route: Self.route(of: context))
      throw error
    }
  }

  /// The pattern that matched; what matched none has a word in its place.
  private static func route(of context: Context) -> String? {
    context.endpointPath.flatMap { $0.hasPrefix("/") ? $0 : nil }
  }
}

extension Error {
  /// Whether a request was cancelled, so that nobody hears of this error.
  fileprivate var isGone: Bool { isCancellation && Task.isCancelled }
}
