// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore

/// A request of a browser: whose screen it belongs to, and the page that it is about.
struct Visit: Sendable {
  let screen: ScreenID
  /// Whether the browser has no cookie yet.
  private(set) var isNew: Bool
  /// The page that is drawn, or to go back to.
  let page: LocalPage
  /// Whether it asks for that page.
  let isReading: Bool

  /// - Parameters:
  ///   - request: The request.
  ///   - page: The page that it is about; nil for the one that it asks for.
  init(_ request: Request, page: LocalPage? = nil) {
    let known = ScreenID(request)
    screen = known ?? ScreenID()
    isNew = known == nil
    let asked = [.get, .head].contains(request.method) ? LocalPage(request.uri.string) : nil
    self.page = page ?? asked ?? .list
    isReading = asked != nil
  }

  /// The same visit, for what is drawn after its screen has been made.
  var onScreen: Visit {
    var visit = self
    visit.isNew = false
    return visit
  }
}

extension Response {
  /// The same answer, which makes the browser known by its cookie.
  func known(as visit: Visit) -> Response {
    guard visit.isNew else { return self }
    var response = self
    response.headers[.setCookie] = visit.screen.header
    return response
  }

  /// A page, which no other site can frame or feed with scripts.
  static func html(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
    let policy =
      "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; "
      + "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    return Response(
      status: status,
      headers: [
        .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
        .contentSecurityPolicy: policy, .xContentTypeOptions: "nosniff",
        .referrerPolicy: "same-origin",
      ], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}
