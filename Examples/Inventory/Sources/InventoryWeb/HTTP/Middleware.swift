// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import InventoryCore
import Mainstay
import NIOCore

/// Answers every error: people get a page, programs problem details.
struct ProblemMiddleware: RouterMiddleware {
  typealias Context = VisitContext

  let inventory: Inventory
  let pages: PageRenderer

  func handle(
    _ request: Request, context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as HTTPError where error.status == .notFound {
      return try await answer(.unknownAddress, request)
    } catch {
      if error.isCancellation { throw error }
      return try await answer(AppError.from(error, mapping: .inventory), request)
    }
  }

  private func answer(_ error: AppError, _ request: Request) async throws -> Response {
    // What is refused so that the rest stays fast is no failure.
    let isShed = Load.refused(error)
    if error.answerStatus.kind == .serverError, !isShed {
      inventory.report(error, during: "Answer a request")
    }
    var headers: HTTPFields = [:]
    headers[.retryAfter] = error.answerPause.map { String($0) }
    // A page that is drawn asks how everything stands: there is no time for that, and a foreign
    // page that was let in by its name must not read it.
    if isShed || error.code == "server.host-unknown", request.wantsPage {
      return .plain(error, headers)
    }
    if request.wantsPage {
      var response = await pages.draw(error, for: Visit(request))
      response.headers.append(contentsOf: headers)
      return response
    }
    headers[.allow] = error.metadata["http.allow"]
    return try .json(
      ProblemDocument(error), error.answerStatus, type: "application/problem+json",
      headers: headers)
  }
}

/// Refuses writes that a page of another host makes with its visitor's browser.
struct OriginMiddleware: RouterMiddleware {
  typealias Context = VisitContext

  func handle(
    _ request: Request, context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    if request.isWrite, let origin = request.headers[.origin], !isOwn(origin, request) {
      throw AppError.foreignOrigin
    }
    return try await next(request, context)
  }

  private func isOwn(_ origin: String, _ request: Request) -> Bool {
    guard let origin = URL(string: origin), let authority = request.head.authority,
      let own = URL(string: "http://\(authority)")
    else { return false }
    return origin.host()?.lowercased() == own.host()?.lowercased() && origin.port == own.port
  }
}
