// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Hummingbird
import HTTPTypes
public import Mainstay
import MainstayHTTP
import NIOCore

/// Answers every error that a handler or a middleware throws with problem details.
///
/// It stands first, so that it sees what the others throw. Errors of Hummingbird keep their status.
/// A cancellation is thrown on, for whoever cancelled is gone.
public struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
  private let answers: ProblemAnswers
  private let monitor: ErrorMonitor?

  /// Makes the middleware.
  ///
  /// - Parameters:
  ///   - answers: How errors are answered.
  ///   - monitor: What is told of errors that are answered with 500 or more; the default is nobody.
  public init(
    _ answers: ProblemAnswers = ProblemAnswers(), reportingTo monitor: ErrorMonitor? = nil
  ) {
    self.answers = answers
    self.monitor = monitor
  }

  /// Answers a request, and its error if there is one.
  public func handle(
    _ request: Request, context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as Hummingbird.HTTPError {
      return Response(error, for: request)
    } catch {
      if error.isCancellation { throw error }
      let answer = answers.answer(to: error, languages: request.headers[.acceptLanguage])
      if answer.status.kind == .serverError {
        monitor?.capture(answer.error, during: "Answer \(context.endpointPath ?? "a request")")
      }
      return Response(answer)
    }
  }
}

extension Response {
  /// What is said about an error.
  init(_ answer: ProblemAnswers.Answer) {
    self.init(
      status: answer.status, headers: answer.fields,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
  }

  /// An error of the framework as problem details: its status, and its message where it has one.
  fileprivate init(_ error: Hummingbird.HTTPError, for request: Request) {
    var members: [String: JSONValue] = ["status": .integer(error.status.code)]
    members["title"] = .string(error.status.reasonPhrase)
    members["detail"] = error.body.map(JSONValue.string)
    var fields = error.headers
    fields[.contentType] = "application/problem+json"
    self.init(
      status: error.status, headers: fields,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: JSONValue.object(members).encoded)))
  }
}
