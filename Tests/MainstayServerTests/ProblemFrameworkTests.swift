// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Mainstay
import MainstayHTTP
import MainstayOutbox
import MainstayServer
import NIOCore
import Testing
import TestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Problem details beside what the framework says about errors and methods.
@Suite(.ends(withinMinutes: 2)) struct ProblemFrameworkTests {
  /// An error that says itself how it is answered, as those of many packages do.
  private struct Teapot: HTTPResponseError {
    var status: HTTPResponse.Status { .init(code: 418) }

    func response(from request: Request, context: some RequestContext) throws -> Response {
      Response(status: status, headers: [.location: "/kettle"])
    }
  }

  private func answer(
    to error: any Error & Sendable, method: HTTPRequest.Method = .get,
    monitor: ErrorMonitor? = nil
  ) async throws -> TestResponse {
    let router = Router()
    router.add(middleware: ProblemMiddleware(reportingTo: monitor))
    router.on("books", method: method) { _, _ -> Response in throw error }
    return try await Application(router: router).test(.router) { client in
      try await client.execute(uri: "/books", method: method)
    }
  }

  @Test func `an error that says how it is answered is answered so`() async throws {
    let response = try await answer(to: Teapot())
    #expect(response.status.code == 418)
    #expect(response.headers[.location] == "/kettle")
  }

  @Test func `an answer of another service that is too long is 502, and a body of the caller 413`()
    async throws
  {
    let monitor = ErrorMonitor()
    let router = Router(context: SmallContext.self)
    router.add(middleware: ProblemMiddleware(reportingTo: monitor))
    router.on("fetched", method: .get) { _, _ -> Response in
      throw NIOTooManyBytesError(maxBytes: 8)
    }
    router.post("fetched") { _, _ -> Response in throw NIOTooManyBytesError(maxBytes: 8) }
    router.post("books") { request, context in
      try await request.decode(as: [String].self, context: context).joined()
    }
    let json: HTTPFields = [.contentType: "application/json"]
    try await Application(router: router).test(.router) { client in
      let fetched = try await client.execute(uri: "/fetched", method: .get)
      #expect(fetched.status == .badGateway)
      #expect(monitor.history.first?.code == "server.answer-too-long")
      let small = try await client.execute(
        uri: "/fetched", method: .post, body: ByteBuffer(string: "short"))
      #expect(small.status == .badGateway)
      #expect(monitor.ledger.captured == 2)
      let long = try await client.execute(
        uri: "/books", method: .post, headers: json,
        body: ByteBuffer(string: #"["a long book", "and another one"]"#))
      #expect(long.status == .contentTooLarge)
      for answer in [fetched, small, long] {
        #expect(answer.headers[.contentType] == "application/problem+json")
      }
      #expect(monitor.ledger.captured == 2)
    }
  }

  @Test func `an answer that is too long is 502 also where it is classified`() async throws {
    let mapping = ErrorMapping.standard.adding(NIOTooManyBytesError.self) { error in
      AppError(
        code: "shop.long", kind: .decoding, disposition: .permanent, title: "Too long",
        message: "The answer is too long.", underlying: [error])
    }
    let router = Router()
    router.add(middleware: ProblemMiddleware(ProblemAnswers(mapping: mapping)))
    router.get("books") { _, _ -> Response in throw NIOTooManyBytesError(maxBytes: 8) }
    try await Application(router: router).test(.router) { client in
      let response = try await client.execute(uri: "/books", method: .get)
      #expect(response.status == .badGateway)
      #expect(String(buffer: response.body).contains("shop.long"))
    }
  }

  /// Takes bodies of a few bytes.
  private struct SmallContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    var maxUploadSize: Int { 16 }

    init(source: Source) { coreContext = CoreRequestContextStorage(source: source) }
  }

  @Test(arguments: [
    DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "not JSON"))
      as any Error & Sendable,
    EncodingError.invalidValue(1.0, .init(codingPath: [], debugDescription: "not a number")),
  ]) func `callers of a service read no words for the user of an app`(
    _ error: any Error & Sendable
  ) async throws {
    let response = try await answer(to: error)
    #expect(response.status == .internalServerError)
    let problem = try #require(ProblemDetails(json: Data(response.body.readableBytesView)))
    #expect(problem.title == "The service has a problem")
    #expect(!String(buffer: response.body).contains("app"))
  }

  @Test func `a body that cannot be decoded is answered with a type and a code`() async throws {
    let router = Router(context: SmallContext.self)
    router.add(middleware: ProblemMiddleware(ProblemAnswers(types: "https://example.com/")))
    router.post("books") { request, context in
      try await request.decode(as: [String].self, context: context).joined()
    }
    let fields: HTTPFields = [.contentType: "application/json", .acceptLanguage: "de"]
    try await Application(router: router).test(.router) { client in
      for (body, status) in [("[1]", 400), ("{}", 400), ("[", 400), (#"["a long book"]  "#, 413)] {
        let answer = try await client.execute(
          uri: "/books", method: .post, headers: fields, body: ByteBuffer(string: body))
        #expect(answer.status.code == status, "\(body)")
        let problem = try #require(ProblemDetails(json: Data(answer.body.readableBytesView)))
        #expect(problem.type == "https://example.com/http.request.\(status)")
        #expect(problem.extensions["code"]?.string == "http.request.\(status)")
        #expect(problem.status == status && problem.title != nil)
        #expect(answer.headers[.contentLanguage] == "en")
      }
    }
  }

  @Test func `an error of the framework that is the service's fault is reported`() async throws {
    let monitor = ErrorMonitor()
    _ = try await answer(to: Hummingbird.HTTPError(.badRequest), monitor: monitor)
    #expect(monitor.groups.isEmpty)
    _ = try await answer(to: Hummingbird.HTTPError(.internalServerError), monitor: monitor)
    #expect(monitor.groups.count == 1)
  }

  /// What a service hears of a body that fails while it is sent.
  private func monitor(
    hearing error: any Error & Sendable, length: Int? = nil,
    over connection: BrokenConnection? = nil
  ) async throws -> ErrorMonitor {
    let monitor = ErrorMonitor()
    let router = Router()
    if let connection { router.add(middleware: connection) }
    router.add(middleware: ProblemMiddleware(reportingTo: monitor))
    router.get("books/{id}") { _, _ in
      Response(
        status: .ok,
        body: ResponseBody(contentLength: length) { writer in
          try await writer.write(ByteBuffer(string: "one "))
          throw error
        })
    }
    try await Application(router: router).test(.router) { client in
      _ = try? await client.execute(uri: "/books/7", method: .get)
    }
    return monitor
  }

  @Test(arguments: [nil, 7]) func `what a body fails with while it is sent is reported`(
    _ length: Int?
  ) async throws {
    let monitor = try await monitor(hearing: Loud(), length: length)
    #expect(monitor.groups.count == 1)
    #expect(monitor.history.last?.operation == "Answer GET /books/{id}")
  }

  @Test func `each request has breadcrumbs of its own, until its body is sent`() async throws {
    let monitor = ErrorMonitor()
    monitor.addBreadcrumb("started")
    let router = Router()
    router.add(middleware: ProblemMiddleware(reportingTo: monitor))
    router.get("books/{id}") { _, context in
      let id = context.parameters.get("id") ?? ""
      monitor.addBreadcrumb("asked for \(id)")
      if id == "1" { throw Loud() }
      return Response(
        status: .ok,
        body: ResponseBody { writer in
          monitor.addBreadcrumb("sends \(id)")
          try await writer.write(ByteBuffer(string: "one "))
          throw Teapot()
        })
    }
    try await Application(router: router).test(.router) { client in
      for id in 1...2 { _ = try? await client.execute(uri: "/books/\(id)", method: .get) }
    }
    let trails = monitor.history.map { $0.breadcrumbs.map(\.message) }
    #expect(trails == [["asked for 2", "sends 2"], ["asked for 1"]])
    #expect(monitor.breadcrumbs.map(\.message) == ["started"])
  }

  @Test func `a body that is cancelled or has lost its reader is no failure of the service`()
    async throws
  {
    #expect(try await monitor(hearing: CancellationError()).groups.isEmpty)
    let connection = BrokenConnection(parts: 0)
    #expect(try await monitor(hearing: Loud(), over: connection).groups.isEmpty)
  }

  @Test func `who still waits is answered when something within was cancelled`() async throws {
    let response = try await answer(to: CancellationError())
    #expect(response.status == .serviceUnavailable)
    #expect(response.headers[.contentType] == "application/problem+json")
    let problem = ProblemDetails(json: Data(response.body.readableBytesView))
    #expect(problem?.status == 503)
  }

  @Test func `the answer to HEAD has no body, whatever went wrong`() async throws {
    for error in [Teapot(), Hummingbird.HTTPError(.notFound, message: "gone"), CancellationError()]
      as [any Error & Sendable]
    {
      let response = try await answer(to: error, method: .head)
      #expect(response.status.code >= 400)
      #expect(response.body.readableBytes == 0, "\(error)")
    }
  }

  /// An error of some library, with words for its developers.
  private struct Loud: LocalizedError {
    var errorDescription: String? { "no route to postgresql://app:s3cret@10.0.0.5/shop" }
    var recoverySuggestion: String? { "restart 10.0.0.5" }
  }

  @Test func `the words of an error that nobody has classified stay inside`() async throws {
    let response = try await answer(to: Loud())
    #expect(response.status == .internalServerError)
    let body = String(buffer: response.body)
    #expect(!body.contains("10.0.0.5"), "\(body)")
    let problem = ProblemDetails(json: Data(response.body.readableBytesView))
    #expect(problem?.detail == "The app met a problem that it does not recognize.")
    let german = ProblemAnswers().answer(to: Loud(), languages: "de")
    let answer = try #require(ProblemDetails(json: german.body))
    #expect(answer.title == "Etwas Unerwartetes ist passiert")
    #expect(answer.extensions["suggestion"]?.string?.contains("10.0.0.5") == false)
  }

  @Test(arguments: [
    (CocoaError(.fileReadNoSuchFile) as any Error & Sendable, 500),
    (CocoaError(.fileReadNoPermission), 500), (POSIXError(.ENOENT), 500),
    (POSIXError(.EACCES), 500), (POSIXError(.ENAMETOOLONG), 500),
    (URLError(.userAuthenticationRequired), 502), (URLError(.fileDoesNotExist), 500),
    (AppError.from(POSIXError(.EACCES)), 500), (AppError.sql(state: "42501"), 500),
  ]) func `what the service itself could not do is not the caller's mistake, and is reported`(
    _ error: any Error & Sendable, _ status: Int
  ) async throws {
    let monitor = ErrorMonitor()
    let response = try await answer(to: error, monitor: monitor)
    #expect(response.status.code == status)
    #expect(monitor.groups.count == 1)
  }

  @Test func `what the app itself says of files and accounts keeps its status`() {
    for (kind, status) in [(ErrorKind.notFound, 404), (.denied, 403), (.unauthorized, 401)] {
      let own = AppError(
        code: "books.file", kind: kind, disposition: .permanent, title: "Not there",
        message: "There is no such book.", underlying: [CocoaError(.fileReadNoSuchFile)])
      #expect(ProblemAnswers.status(of: own).code == status)
    }
    #expect(ProblemAnswers.status(of: .sql(state: "23505")).code == 409)
  }

  @Test(arguments: [
    URLError(.notConnectedToInternet) as any Error & Sendable, POSIXError(.ENOSPC),
    CocoaError(.fileWriteOutOfSpace), AppError.sqlite(result: 13),
    MainstayHTTP.HTTPError(status: 401, method: "GET", url: "http://tax.example/"),
    MainstayHTTP.HTTPError(status: 422, method: "POST", url: "http://tax.example/"),
  ]) func `callers of a service read no words for whoever holds a phone`(
    _ error: any Error & Sendable
  ) async throws {
    let response = try await answer(to: error)
    #expect(response.status.code >= 500)
    let problem = try #require(ProblemDetails(json: Data(response.body.readableBytesView)))
    #expect(problem.title == "The service has a problem")
    #expect(problem.detail == "The service could not answer just now. It is not your fault.")
    #expect(problem.extensions["suggestion"]?.string == "Try again in a moment.")
  }

  @Test func `who meets an outbox that is away is told when to ask again`() async throws {
    let away = try await answer(to: OutboxError(.failed, details: "no connection"))
    #expect(away.status == .serviceUnavailable)
    #expect(away.headers[.retryAfter] == "1")
    let lost = try await answer(to: OutboxError(.corrupted, details: "a page"))
    #expect(lost.status == .internalServerError)
    #expect(lost.headers[.retryAfter] == nil)
  }

  @Test func `fields that a service behind names are not those of this one's caller`()
    async throws
  {
    let refused = MainstayHTTP.HTTPError(
      status: 422, method: "POST", url: "http://tax.example/",
      headers: ["Content-Type": "application/problem+json"],
      body: Data(#"{"errors":[{"pointer":"/internalVat","detail":"not a number"}]}"#.utf8))
    let response = try await answer(to: refused)
    #expect(response.status == .badGateway)
    #expect(!String(buffer: response.body).contains("internalVat"))
  }
}
