// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Mainstay
internal import MainstayOutbox

/// The routes of a dashboard that is mounted somewhere.
///
/// What a page shows is in `Pages`, in a file of the page's name.
struct Site: Sendable {
  /// How many operations a page lists.
  static let pageSize = 50
  /// How many rows of everything else a table has at most.
  static let maximumRows = 50

  let dashboard: Dashboard
  /// What the addresses of all pages begin with, such as `/mainstay`; empty at the top of a server.
  let root: String
  let refusals: RefusalLog
  let forms: FormGuard
  let transport: Transport
  let live: Live
  let holds = Holds()
  let answered = AnsweredQuestions()
  let library = PageLibrary()

  init(dashboard: Dashboard, root: String) {
    var dashboard = dashboard
    dashboard.diagnostics = dashboard.diagnostics ?? dashboard.ownDiagnostics
    self.dashboard = dashboard
    self.root = root
    refusals = RefusalLog(dashboard.logger, dashboard.timeline)
    forms = FormGuard(dashboard.timeline, secret: dashboard.formSecret)
    transport = Transport(isAlwaysSecure: dashboard.isAlwaysSecure)
    live = Live(dashboard)
  }

  func add<Context: RemoteAddressRequestContext>(
    to group: RouterGroup<Context>, of context: Context.Type
  ) {
    live.start()
    let routes = Routes(site: self, group: group.add(middleware: Gate(site: self)))
    routes.page("") { _, _ in try await overview() }
    routes.page("circuits") { _, _ in circuits() }
    routes.page("pipelines") { _, _ in pipelines() }
    routes.page("errors") { _, _ in try errors() }
    routes.page("errors/:fingerprint") { _, context in
      try errorGroup(Self.parameter("fingerprint", of: context))
    }
    routes.page("connection") { _, _ in try connection() }
    routes.page("levels") { _, _ in try levels() }
    routes.page("outboxes/:name") { request, context in
      try await operations(of: queue(context), request)
    }
    routes.page("outboxes/:name/dead") { request, context in
      try await deadLetters(of: queue(context), request)
    }
    routes.page("outboxes/:name/operations/:id") { _, context in
      try await operation(Self.id(context.parameters.get("id")), of: queue(context))
    }
    routes.read("diagnostics") { _, _ in try await diagnostics() }
    // A stream has no end that its head could tell of.
    routes.add("events", [.get: { try EventStream(self, $0.head, from: $1.remoteAddress).open() }])
    for file in PublicFile.all {
      routes.read("public/\(file.name)") { _, _ in file.answer }
    }
    if !dashboard.isReadOnly {
      for action in LetterAction.allCases {
        let path = "outboxes/:name/dead/\(action.rawValue)"
        routes.action(path) { try await act(action, on: queue($1), $0) }
      }
      for action in ConflictAction.allCases {
        let path = "outboxes/:name/conflicts/\(action.rawValue)"
        routes.action(path) { try await act(action, on: queue($1), $0) }
      }
      for action in KindAction.allCases {
        let path = "outboxes/:name/kinds/\(action.rawValue)"
        routes.action(path) { try await act(action, on: queue($1), $0) }
      }
      routes.action("outboxes/:name/\(Self.lanesToResume)") {
        try await resumeLanes(of: queue($1), $0)
      }
      for action in CircuitAction.allCases {
        routes.action("circuits/\(action.rawValue)") { request, _ in
          try await act(action, request)
        }
      }
    }
    routes.addUnknown()
  }

  // MARK: What a request names

  private func queue(_ context: some RequestContext) throws -> Queue {
    guard let name = Self.parameter("name", of: context), let outbox = dashboard.outboxes[name]
    else {
      throw Refusal.unknownPage
    }
    return Queue(name: name, outbox: outbox, address: address(ofOutbox: name))
  }

  /// A part of the address as it was meant; the router leaves it as it came.
  static func parameter(_ name: String, of context: some RequestContext) -> String? {
    context.parameters.get(name)?.removingPercentEncoding
  }

  /// The address of the overview.
  var home: String { root.isEmpty ? "/" : root }

  func address(ofOutbox name: String) -> String { "\(root)/outboxes/\(Self.escaped(name))" }

  /// The outboxes, by name.
  var queues: [Queue] {
    dashboard.outboxes.sorted { $0.key < $1.key }.map { name, outbox in
      Queue(name: name, outbox: outbox, address: address(ofOutbox: name))
    }
  }

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

  /// Where a page of a list begins.
  ///
  /// Work is done in the order of the list: the operation that ended the last page has often gone.
  static func start(_ request: Request) throws -> SearchPlace? {
    guard let text = request.uri.queryParameters["after"].map(String.init) else { return nil }
    let parts = text.split(separator: "~", maxSplits: 1, omittingEmptySubsequences: false)
    let number = parts.count > 1 ? Int64(parts[1]) : nil
    guard parts.count == 1 || number != nil else { throw Refusal.unknownPage }
    return SearchPlace(id: try id(String(parts[0])), number: number)
  }
}

/// An outbox that a request names.
struct Queue: Sendable {
  let name: String
  let outbox: Outbox
  let address: String
}
