// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Mainstay
internal import NIOCore

extension Site {
  func answer(_ request: Request, _ page: Page) -> Response {
    var page = page
    let session = forms.session(of: request)
    page.token = forms.token(for: session)
    page.notice = request.uri.queryParameters["done"].flatMap { Self.notice(String($0)) }
    var response = html(.ok, page)
    if session.isNew {
      response.setCookie(
        Cookie(
          name: FormGuard.cookie, value: session.id, path: home,
          secure: transport.isSecure(request.head), httpOnly: true, sameSite: .strict))
    }
    return response
  }

  /// - Parameters:
  ///   - status: The status.
  ///   - words: What went wrong.
  ///   - showsPlaces: Whether it names the other pages, and so what the dashboard is about.
  /// - Returns: The answer.
  func failure(
    _ status: HTTPResponse.Status, _ words: String, showsPlaces: Bool = true
  ) -> Response {
    html(
      status, Page(title: "This did not work", place: "", lead: words), showsPlaces: showsPlaces)
  }

  /// What a person is told of an error, of which the log gets the code.
  func words(for error: any Error) -> String {
    let shown = ErrorMapping.current.map(error)
    dashboard.logger.error(
      "A page of the dashboard failed.", metadata: ["error": "\(shown.code.rawValue)"])
    return shown.message.description
  }

  private func html(
    _ status: HTTPResponse.Status, _ page: Page, showsPlaces: Bool = true
  ) -> Response {
    var page = page
    (page.root, page.home) = (root, home)
    page.links = showsPlaces ? links(on: page) : []
    page.visitor = CurrentVisitor.visitor.map { visitor in
      visitor.role == .looks ? "\(visitor.name), who may only look" : visitor.name
    }
    return Response(
      status: status, headers: [.contentType: "text/html; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: library.render(page))))
  }

  /// The pages that there are, for the head of each.
  private func links(on page: Page) -> [Page.Link] {
    var links = [Page.Link(title: "Overview", address: home)]
    func add(_ title: String, _ path: String, where isThere: Bool) {
      if isThere { links.append(Page.Link(title: title, address: "\(root)/\(path)")) }
    }
    links += queues.map { Page.Link(title: $0.name, address: $0.address) }
    add("Circuits", "circuits", where: !dashboard.circuits.isEmpty)
    add("Pipelines", "pipelines", where: !dashboard.pipelines.isEmpty)
    add("Errors", "errors", where: dashboard.errors != nil)
    add("Connection", "connection", where: dashboard.connectivity != nil)
    add("Levels", "levels", where: dashboard.levels != nil)
    return links.map { link in
      var link = link
      link.isCurrent = link.address == page.place ?? home
      return link
    }
  }

  func redirect(to address: String) -> Response {
    Response(status: .seeOther, headers: [.location: address])
  }

  /// What was done, by the word and the number that the address carries; nothing else is said.
  private static func notice(_ text: String) -> String? {
    let parts = text.split(separator: "-")
    guard parts.count == 2, let count = Int(parts[1]), (0...1_000_000).contains(count) else {
      return nil
    }
    func circuits(_ what: String) -> String {
      "\(Words.plural(count, "circuit was", "circuits were")) \(what)."
    }
    func kinds(_ what: String) -> String {
      "\(Words.plural(count, "kind was", "kinds were")) \(what)."
    }
    switch parts[0] {
    case "redrive": return "\(Words.number(count)) given another try."
    case "discard": return "\(Words.number(count)) discarded."
    case "pause": return kinds("paused")
    case "resume": return kinds("resumed")
    case "lanes": return "\(Words.plural(count, "lane was", "lanes were")) resumed."
    case "reset": return circuits("reset")
    case "isolate": return circuits("isolated")
    case "release": return circuits("released")
    default: return nil
    }
  }
}

/// A file that pages need.
struct PublicFile: Sendable {
  let name: String
  let type: String
  let bytes: [UInt8]

  static var all: [PublicFile] {
    [
      PublicFile(
        name: "dashboard.css", type: "text/css; charset=utf-8",
        bytes: PackageResources.dashboard_css),
      PublicFile(
        name: "dashboard.js", type: "text/javascript; charset=utf-8",
        bytes: PackageResources.dashboard_js),
    ]
  }

  var answer: Response {
    Response(
      status: .ok, headers: [.contentType: type],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}
