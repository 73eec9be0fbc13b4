// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Hummingbird
import HTTPTypes
public import Mainstay
import MainstayHTTP
import NIOCore

/// Answers every error that a handler or a middleware throws with problem details.
///
/// It stands first, so that it sees what the others throw. Errors of Hummingbird keep their status,
/// with a code made of it, such as `http.request.400`. An error that says itself how it is answered
/// (`HTTPResponseError`) is answered so, unless it is an `AppErrorConvertible`. What was collected
/// and is too long is 413 where the request's own body may be meant, and 502 where another service
/// must have sent it.
///
/// The cancellation of a request is thrown on, for whoever cancelled is gone; where something else
/// was cancelled the caller gets 503.
///
/// What a body fails with while it is sent cannot be answered any more: it is reported, unless it
/// is a cancellation or the reader has gone.
///
/// With a monitor each request has breadcrumbs of its own, so that a report holds nothing of what
/// is done for others meanwhile.
public struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
  private let answers: ProblemAnswers
  private let monitor: ErrorMonitor?

  /// Makes the middleware.
  ///
  /// - Parameters:
  ///   - answers: How errors are answered.
  ///   - monitor: What is told of errors that are answered with 500 or more, and of those of bodies
  ///     that are being sent; the default is nobody. It is not told of what ``LoadShedding`` has
  ///     refused, nor of what the caller gave no time for (``RequestDeadline``).
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
    guard let monitor else { return try await answered(request, context, nil, next) }
    let refusal = OwnRefusal()
    return try await OwnRefusal.$current.withValue(refusal) {
      try await monitor.withTrail { try await answered(request, context, refusal, next) }
    }
  }

  private func answered(
    _ request: Request, _ context: Context, _ refusal: OwnRefusal?,
    _ next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await reporting(next(request, context), request, context)
    } catch {
      // Whoever cancelled the request is gone, and reads no answer.
      if error.isCancellation && Task.isCancelled { throw error }
      var (response, failure) = try answer(to: error, request, context)
      if response.status.kind == .serverError, refusal?.explains(error) != true {
        monitor?.capture(failure, during: Self.operation(request, context))
      }
      // An answer to HEAD with a body would be read as the start of the next answer.
      if request.method == .head { response = response.createHeadResponse() }
      return response
    }
  }

  /// The same answer, of which is reported what its body fails with.
  private func reporting(
    _ response: Response, _ request: Request, _ context: Context
  ) -> Response {
    guard let monitor else { return response }
    var response = response
    let (body, operation) = (response.body, Self.operation(request, context))
    // The body is sent after this has returned.
    let trail = monitor.currentTrail
    response.body = ResponseBody(contentLength: body.contentLength) { [answers] writer in
      let reader = ReaderWatch()
      let connection = reader.watching(writer)
      try await monitor.resume(trail) {
        do {
          try await body.write(connection)
        } catch {
          if !reader.hasGone && !error.isCancellation {
            monitor.capture(answers.classified(error), during: operation)
          }
          throw error
        }
      }
    }
    return response
  }

  /// By what name a request is reported: by its method and route, for paths would be too many.
  private static func operation(_ request: Request, _ context: Context) -> String {
    // Where there is no route a stranger may have made up the method.
    context.endpointPath.map { "Answer \(request.method.rawValue) \($0)" } ?? "Answer a request"
  }

  /// The answer to an error, and what is reported of it.
  private func answer(
    to error: any Error, _ request: Request, _ context: Context
  ) throws -> (Response, any Error) {
    if let error = error as? Hummingbird.HTTPError {
      return (Response(error, answers), error)
    }
    if let error = error as? NIOTooManyBytesError {
      guard request.mayHold(moreThan: error.maxBytes) else {
        let answer = answers.answer(
          to: answers.answerTooLong(error), languages: request.headers[.acceptLanguage])
        return (Response(answer), answer.error)
      }
      let error = Hummingbird.HTTPError(.contentTooLarge)
      return (Response(error, answers), error)
    }
    // What can be told to a person goes before what only has an answer of its own.
    if let error = error as? any HTTPResponseError, !(error is any AppErrorConvertible) {
      return (try error.response(from: request, context: context), error)
    }
    let answer = answers.answer(to: error, languages: request.headers[.acceptLanguage])
    return (Response(answer), answer.error)
  }
}

extension Request {
  /// Whether its body may be longer than somebody wanted to collect.
  ///
  /// Hummingbird takes each such error for one of the request's body. It may as well be the answer
  /// of another service, which its client collects in the same way.
  fileprivate func mayHold(moreThan limit: Int?) -> Bool {
    if let length = headers[.contentLength].flatMap({ Int($0) }) { return length > limit ?? 0 }
    // Under HTTP/2 a body needs no field that announces it.
    return headers[.transferEncoding] != nil || [.post, .put, .patch].contains(method)
  }
}

extension Response {
  /// What is said about an error.
  init(_ answer: ProblemAnswers.Answer) {
    self.init(
      status: answer.status, headers: answer.fields,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
  }

  /// An error of the framework as problem details: its status, a code that is made of that, and
  /// its message where it has one, which is English as its title is.
  fileprivate init(_ error: Hummingbird.HTTPError, _ answers: ProblemAnswers) {
    let code = "http.request.\(error.status.code)"
    var members: [String: JSONValue] = [
      "status": .integer(error.status.code), "type": .string(answers.types + code),
      "code": .string(code),
    ]
    members["title"] = .string(error.status.reasonPhrase)
    members["detail"] = error.body.map(JSONValue.string)
    var fields = error.headers
    fields[.contentType] = "application/problem+json"
    fields[.contentLanguage] = "en"
    fields[.contentLength] = nil
    if error.status == .unauthorized, fields[.wwwAuthenticate] == nil {
      fields[.wwwAuthenticate] = answers.challenge
    }
    self.init(
      status: error.status, headers: fields,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: JSONValue.object(members).encoded)))
  }
}
