// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import InventoryCore
import Mainstay
import NIOCore

/// Answers every error with problem details.
struct ProblemMiddleware: RouterMiddleware {
  typealias Context = BasicRequestContext

  let inventory: Inventory

  func handle(
    _ request: Request, context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as HTTPError where error.status == .notFound {
      return try answer(.unknownAddress)
    } catch {
      if error.isCancellation { throw error }
      return try answer(AppError.from(error, mapping: .inventory))
    }
  }

  private func answer(_ error: AppError) throws -> Response {
    if error.answerStatus.kind == .serverError { inventory.errors.add(error, at: TimeOfDay.live()) }
    var headers: HTTPFields = [:]
    headers[.allow] = error.metadata["http.allow"]
    return try .json(
      ProblemDocument(error), error.answerStatus, type: "application/problem+json",
      headers: headers)
  }
}

/// Refuses writes that a page of another host makes with its visitor's browser.
struct OriginMiddleware: RouterMiddleware {
  typealias Context = BasicRequestContext

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
