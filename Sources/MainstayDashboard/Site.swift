// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import MainstayOutbox
internal import NIOCore

/// The routes of a dashboard that is mounted somewhere.
struct Site: Sendable {
  /// How many operations a page lists.
  static let pageSize = 50

  let dashboard: Dashboard
  /// The address of the overview, such as `/mainstay`.
  let root: String
  let refusals: RefusalLog
  let forms = FormGuard()
  private let library = PageLibrary()

  init(dashboard: Dashboard, root: String) {
    self.dashboard = dashboard
    self.root = root
    refusals = RefusalLog(dashboard.logger, elapsed: dashboard.elapsed)
  }

  func add<Context: RemoteAddressRequestContext>(
    to group: RouterGroup<Context>, of context: Context.Type
  ) {
    group.add(middleware: Gate(site: self))
    group.get("") { request, _ in try await answer(request, overview()) }
    group.get("public/dashboard.css") { _, _ in style }
    group.get("outboxes/:name") { request, context in
      try await answer(request, operations(of: queue(context), request))
    }
    group.get("outboxes/:name/dead") { request, context in
      try await answer(request, deadLetters(of: queue(context), request))
    }
    group.get("outboxes/:name/operations/:id") { request, context in
      let id = try Self.id(context.parameters.get("id"))
      return try await answer(request, operation(id, of: queue(context)))
    }
    if !dashboard.isReadOnly { addActions(to: group) }
    // So that what does not exist is refused behind the same gate, with the same headers.
    for method in [HTTPRequest.Method.get, .head, .post, .put, .patch, .delete] {
      group.on("**", method: method) { _, _ -> Response in throw Refusal.unknownPage }
      if method != .get {
        group.on("", method: method) { _, _ -> Response in throw Refusal.unknownPage }
      }
    }
  }

  private func addActions<Context: RemoteAddressRequestContext>(to group: RouterGroup<Context>) {
    for action in LetterAction.allCases {
      group.post(RouterPath("outboxes/:name/dead/\(action.rawValue)")) { request, context in
        try await act(action, on: queue(context), request)
      }
    }
    group.post("circuits/reset") { request, _ in try await reset(request) }
  }

  // MARK: What a request names

  private func queue(_ context: some RequestContext) throws -> Queue {
    guard let name = context.parameters.get("name"), let outbox = dashboard.outboxes[name] else {
      throw Refusal.unknownPage
    }
    return Queue(name: name, outbox: outbox, address: address(ofOutbox: name))
  }

  func address(ofOutbox name: String) -> String { "\(root)/outboxes/\(Self.escaped(name))" }

  /// Escapes whatever is not a letter or digit of ASCII, so that it can stand in any address.
  static func escaped(_ text: String) -> String {
    text.utf8.map { byte in
      let isPlain =
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
      return isPlain ? String(UnicodeScalar(byte)) : String(format: "%%%02X", Int(byte))
    }.joined()
  }

  static func id(_ text: String?) throws -> OperationID {
    guard let uuid = text.flatMap({ UUID(uuidString: $0) }) else { throw Refusal.unknownPage }
    return OperationID(uuid)
  }

  /// The operation after which a page of a list begins.
  static func start(_ request: Request) throws -> OperationID? {
    try request.uri.queryParameters["after"].map { try id(String($0)) }
  }

  // MARK: Answers

  func answer(_ request: Request, _ page: Page) -> Response {
    var page = page
    let session = forms.session(of: request)
    page.root = root
    page.token = forms.token(for: session)
    page.notice = request.uri.queryParameters["done"].flatMap { Self.notice(String($0)) }
    var response = html(.ok, page)
    if session.isNew {
      let isSecure = HTTPField.Name("X-Forwarded-Proto").flatMap { request.headers[$0] } == "https"
      response.setCookie(
        Cookie(
          name: FormGuard.cookie, value: session.id, path: root, secure: isSecure,
          httpOnly: true, sameSite: .strict))
    }
    return response
  }

  func failure(_ status: HTTPResponse.Status, _ words: String) -> Response {
    var page = Page(title: "This did not work", lead: words)
    page.root = root
    return html(status, page)
  }

  private func html(_ status: HTTPResponse.Status, _ page: Page) -> Response {
    Response(
      status: status, headers: [.contentType: "text/html; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: library.render(page))))
  }

  private var style: Response {
    Response(
      status: .ok, headers: [.contentType: "text/css; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: PackageResources.dashboard_css)))
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
    switch parts[0] {
    case "redrive": return "\(count) given another try."
    case "discard": return "\(count) discarded."
    case "reset": return "The circuit is closed again."
    default: return nil
    }
  }
}

/// An outbox that a request names.
struct Queue: Sendable {
  let name: String
  let outbox: Outbox
  let address: String
}
