// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Mainstay
import MainstayHTTP
import MainstayServer
import MainstayTesting
import TestSupport
import Testing

/// Errors as a service answers them.
@Suite(.ends(withinMinutes: 2)) struct ProblemTests {
  private struct Oops: Error {}

  /// What a route answers that throws this.
  private func answer(
    to error: any Error & Sendable, languages: String? = nil, monitor: ErrorMonitor? = nil
  ) async throws -> (response: TestResponse, problem: ProblemDetails?) {
    let router = Router()
    router.add(middleware: ProblemMiddleware(reportingTo: monitor))
    router.get("books/{id}") { _, _ -> String in throw error }
    let headers = languages.map { [.acceptLanguage: $0] as HTTPFields } ?? HTTPFields()
    return try await Application(router: router).test(.router) { client in
      let response = try await client.execute(uri: "/books/7", method: .get, headers: headers)
      return (response, ProblemDetails(json: Data(response.body.readableBytesView)))
    }
  }

  private func error(
    _ kind: ErrorKind, _ disposition: Disposition, field: JSONPointer? = nil
  ) -> AppError {
    AppError(
      code: "shop.sold-out", kind: kind, disposition: disposition, title: "Sold out",
      message: "The last one has gone.", suggestion: "Look again tomorrow.",
      details: "row 7 of /var/lib/shop.db", field: field)
  }

  @Test func `an error is answered with what a person may read, and nothing else`() async throws {
    let sold = error(.conflict, .permanent)
    let (response, problem) = try await answer(to: sold)
    #expect(response.status == .conflict)
    #expect(response.headers[.contentType] == "application/problem+json")
    #expect(response.headers[.cacheControl] == "no-store")
    #expect(problem?.type == "urn:problem:shop.sold-out")
    #expect(problem?.title == "Sold out")
    #expect(problem?.detail == "The last one has gone.")
    #expect(problem?.instance == "urn:uuid:" + sold.id.uuidString.lowercased())
    #expect(problem?.extensions["suggestion"]?.string == "Look again tomorrow.")
    #expect(!String(buffer: response.body).contains("shop.db"))
  }

  @Test func `an error that nobody knows is 500, and says nothing of itself`() async throws {
    let (response, problem) = try await answer(to: Oops())
    #expect(response.status == .internalServerError)
    #expect(problem?.status == 500)
    #expect(!String(buffer: response.body).contains("Oops"))
  }

  @Test(arguments: [
    (ErrorKind.validation, Disposition.permanent, 422), (.unauthorized, .needsUser, 401),
    (.denied, .permanent, 403), (.notFound, .permanent, 404), (.conflict, .permanent, 409),
    (.throttled, .throttled(), 429), (.timeout, .transient(), 504), (.storageFull, .needsUser, 507),
    (.offline, .transient(), 503), (.defect, .permanent, 500), (.server, .transient(), 503),
    (.rejected, .rejected(), 503), (.storage, .permanent, 500),
  ]) func `each kind has its status`(_ kind: ErrorKind, _ disposition: Disposition, _ status: Int)
    async throws
  {
    #expect(ProblemAnswers.status(of: error(kind, disposition)).code == status)
  }

  @Test func `what a service behind has answered is not this one's own answer`() async throws {
    let gone = HTTPError(status: 404, method: "GET", url: "http://catalog.example/books/7")
    #expect(try await answer(to: gone).response.status == .badGateway)
    let busy = HTTPError(
      status: 503, method: "GET", url: "http://catalog.example/", headers: ["Retry-After": "7"])
    let (response, _) = try await answer(to: busy)
    #expect(response.status == .serviceUnavailable)
    #expect(response.headers[.retryAfter] == "7")
    #expect(try await answer(to: gone.appError).response.status == .badGateway)
  }

  @Test func `who asks for more than is ever let through is not told to try again`() async throws {
    let refusal = Rejection(policy: "prices", reason: .costTooHigh)
    let (response, problem) = try await answer(to: refusal)
    #expect(response.status == .serviceUnavailable)
    #expect(problem?.extensions["suggestion"]?.string == "Ask for less at a time.")
    #expect(!String(buffer: response.body).contains("Try again"))
  }

  @Test func `a wait is told in whole seconds, rounded up and never too long`() async throws {
    for (wait, text) in [(0.2, "1"), (1.5, "2"), (1e9, "86400")] {
      let limited = error(.throttled, .throttled(retryAfter: .seconds(wait)))
      #expect(try await answer(to: limited).response.headers[.retryAfter] == text)
    }
    let running = error(.conflict, .transient(retryAfter: .seconds(1)))
    #expect(try await answer(to: running).response.headers[.retryAfter] == "1")
    let unknown = error(.server, .transient())
    #expect(try await answer(to: unknown).response.headers[.retryAfter] == nil)
  }

  @Test func `a mistake in a field has its pointer`() async throws {
    let (_, problem) = try await answer(
      to: error(.validation, .permanent, field: JSONPointer(tokens: ["age"])))
    #expect(problem?.fieldErrors.map(\.pointer.description) == ["/age"])
    #expect(problem?.fieldErrors.map(\.detail) == ["The last one has gone."])
  }

  /// An app's own error about several fields.
  private struct Mistakes: AppErrorConvertible {
    static func part(_ name: String) -> AppError {
      AppError(
        code: "order.mistake", kind: .validation, disposition: .permanent, title: "A mistake",
        message: "Mend the \(name).", field: JSONPointer(tokens: [name]))
    }

    var appError: AppError {
      AppError(
        code: "order.invalid", kind: .validation, disposition: .permanent, title: "Two mistakes",
        message: "Mend both.", underlying: [Self.part("book"), Self.part("count")])
    }
  }

  @Test func `all mistakes of an app's own error have their pointers`() async throws {
    let (_, problem) = try await answer(to: Mistakes())
    #expect(problem?.fieldErrors.map(\.pointer.description) == ["/book", "/count"])
  }

  @Test func `texts that are not there in a language are not told as being in it`() {
    let answers = ProblemAnswers()
    let own = answers.answer(to: Mistakes(), languages: "de, fr")
    #expect(own.fields[.contentLanguage] == "en")
    let known = answers.answer(
      to: ConfigurationError(subject: "X", violations: []), languages: "de")
    #expect(known.fields[.contentLanguage] == "de")
  }

  @Test func `a caller reads no words for whoever holds a device`() async throws {
    for error in [AppError.Network.offline.appError, AppError.portal()] {
      let (response, problem) = try await answer(to: error)
      #expect(response.status == .serviceUnavailable)
      #expect(
        problem?.title
          == AppError.http(status: 503, isRepeatable: true).title.string(
            in: Locale(identifier: "en")))
    }
  }

  @Test(arguments: [
    (nil, "en"), ("de", "de"), ("fr-CH, fr;q=0.9, en;q=0.8", "fr"), ("xx, es;q=0.5", "es"),
    ("zh-CN,zh;q=0.9,en;q=0.8", "zh-Hans"), ("zh", "zh-Hans"), ("zh-Hans-SG", "zh-Hans"),
    ("zh-TW, ja;q=0.5", "ja"), ("en-GB, de;q=0.9", "en"), ("-, de-", "de"), ("de;q=0, ja", "ja"),
    ("*", "en"), ("\u{7f};;;q=q,,", "en"),
    (String(repeating: "xx,", count: 10_000) + "de", "en"),
  ]) func `texts are in the first language that there is`(_ header: String?, _ tag: String)
    async throws
  {
    let answer = ProblemAnswers().answer(
      to: ConfigurationError(subject: "X", violations: []), languages: header)
    #expect(answer.fields[.contentLanguage] == tag)
    let problem = try #require(ProblemDetails(json: answer.body))
    #expect(problem.title == answer.error.title.string(in: Locale(identifier: tag)))
  }

  @Test func `an app's texts for a region are read beside those for its script`() throws {
    let oops = ConfigurationError(subject: "X", violations: [])
    let key = try #require(oops.appError.title.key)
    let catalog = TextCatalog.standard.adding([key: "本店"], language: "zh-CN")
    TextCatalog.with(catalog) {
      for languages in ["zh-CN", "zh-Hans-CN", "zh-CN,zh"] {
        let answer = ProblemAnswers().answer(to: oops, languages: languages)
        #expect(answer.fields[.contentLanguage] == "zh-CN")
        #expect(ProblemDetails(json: answer.body)?.title == "本店")
      }
    }
  }

  @Test func `a caller who has to sign in hears with what`() async throws {
    let answers = ProblemAnswers(challenge: "Bearer")
    let unknown = error(.unauthorized, .needsUser)
    #expect(answers.answer(to: unknown).fields[.wwwAuthenticate] == "Bearer")
    #expect(ProblemAnswers().answer(to: unknown).fields[.wwwAuthenticate] == nil)
    #expect(answers.answer(to: error(.denied, .permanent)).fields[.wwwAuthenticate] == nil)
    let router = Router()
    router.add(middleware: ProblemMiddleware(answers))
    router.get("bare") { _, _ -> String in throw Hummingbird.HTTPError(.unauthorized) }
    router.get("own") { _, _ -> String in
      throw Hummingbird.HTTPError(.unauthorized, headers: [.wwwAuthenticate: "Basic"])
    }
    try await Application(router: router).test(.router) { client in
      for (path, challenge) in [("/bare", "Bearer"), ("/own", "Basic")] {
        let response = try await client.execute(uri: path, method: .get)
        #expect(response.status == .unauthorized)
        #expect(response.headers[.wwwAuthenticate] == challenge)
      }
    }
  }

  @Test func `errors of the framework keep their status`() async throws {
    let router = Router()
    router.add(middleware: ProblemMiddleware())
    router.get("tea") { _, _ -> String in
      throw Hummingbird.HTTPError(.init(code: 418), message: "no coffee here")
    }
    try await Application(router: router).test(.router) { client in
      let tea = try await client.execute(uri: "/tea", method: .get)
      let problem = ProblemDetails(json: Data(tea.body.readableBytesView))
      #expect(tea.status.code == 418)
      #expect(tea.headers[.contentType] == "application/problem+json")
      #expect(problem?.detail == "no coffee here")
      let nowhere = try await client.execute(uri: "/nowhere", method: .get)
      #expect(nowhere.status == .notFound)
      #expect(ProblemDetails(json: Data(nowhere.body.readableBytesView))?.status == 404)
    }
  }

  @Test func `only what is the service's own fault is reported, by the route and not the path`()
    async throws
  {
    let monitor = ErrorMonitor()
    _ = try await answer(to: error(.conflict, .permanent), monitor: monitor)
    #expect(monitor.groups.isEmpty)
    _ = try await answer(to: Oops(), monitor: monitor)
    #expect(monitor.groups.count == 1)
    let report = try #require(monitor.history.last)
    #expect(report.operation == "Answer GET /books/{id}")
  }

  @Test func `a text of a caller cannot add a field`() async throws {
    let hostile = AppError(
      code: "shop.bad", kind: .validation, disposition: .permanent, title: "Bad",
      message: "\("a\r\nSet-Cookie: admin=1")")
    let (response, problem) = try await answer(to: hostile)
    #expect(response.headers[.setCookie] == nil)
    #expect(problem?.detail == "a\r\nSet-Cookie: admin=1")
  }
}
