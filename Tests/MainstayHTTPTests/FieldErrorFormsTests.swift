// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import Testing

/// Which fields are wrong, as services say it that write no problem documents.
@Suite struct FieldErrorFormsTests {
  private static let api = "application/vnd.api+json"

  private func refusal(
    _ body: String, _ status: Int = 422, type: String = "application/json"
  ) -> AppError {
    HTTPError(
      status: status, method: "POST", url: "https://api.example.com/books",
      headers: ["Content-Type": type], body: Data(body.utf8)
    ).appError
  }

  private func causes(_ error: AppError) -> [AppError] {
    error.underlying.compactMap { $0 as? AppError }
  }

  private func problem(_ text: String) throws -> ProblemDetails {
    try #require(ProblemDetails(json: Data(text.utf8)))
  }

  @Test(arguments: [400, 422], [api, "application/json", "application/problem+json"])
  func `what JSON API says of attributes and relationships is about the field of that name`(
    _ status: Int, _ type: String
  ) {
    let error = refusal(
      """
      {"errors": [
        {"status": "422", "source": {"pointer": "/data/attributes/title"}, "title": "Invalid",
         "detail": "It is too long."},
        {"source": {"pointer": "/data/relationships/author/data"}, "title": "Nobody is chosen."},
        {"source": {"pointer": "/data/id"}, "detail": "It is taken."},
        {"source": {"pointer": "/data/attributes/a~1b/0"}, "detail": "No."},
        {"source": {"pointer": "/meta/title"}, "detail": "Not that either."}
      ]}
      """, status, type: type)
    #expect(error.kind == .validation && error.field == "/title")
    let causes = causes(error)
    #expect(
      causes.map(\.field) == ["/title", "/author/data", "/data/id", "/a~1b/0", "/meta/title"])
    #expect(causes.first?.message.string() == "It is too long.")
    #expect(causes.dropFirst().first?.message.string() == "Nobody is chosen.")
  }

  @Test func `what JSON API says of no field is a cause, and alone the words of the error`() {
    let nowhere = """
      {"source": {"pointer": ""}, "detail": "One."}, {"source": {"pointer": "/data"}, "detail": \
      "Two."}, {"source": {"parameter": "page"}, "detail": "Three."}, {"detail": "Four."}
      """
    let alone = refusal(#"{"errors": [\#(nowhere)]}"#, type: Self.api)
    #expect(alone.field == nil && causes(alone).map(\.field) == [nil, nil, nil, nil])
    #expect(alone.message.description == "One.\nTwo.\nThree.\nFour.")
    let field = #"{"source": {"pointer": "/data/attributes/title"}, "detail": "Five."}"#
    let both = refusal(#"{"errors": [\#(nowhere), \#(field)]}"#, type: "application/json")
    #expect(both.field == "/title" && causes(both).count == 5)
    // In JSON of any kind, such a list may be something else.
    #expect(causes(refusal(#"{"errors": [\#(nowhere)]}"#)).isEmpty)
  }

  @Test(arguments: [#""body""#, "null", #"{"service": "crm"}"#, #"{"pointer": 1}"#])
  func `a source that names no field takes nothing from the pointer beside it`(
    _ source: String
  ) throws {
    let body = #"""
      {"errors": [{"pointer": "/age", "detail": "Too young.", "source": \#(source)}]}
      """#
    #expect(try problem(body).fieldErrors == [.init(pointer: "/age", detail: "Too young.")])
    let error = refusal(body, type: "application/problem+json")
    #expect(error.field == "/age" && causes(error).map(\.field) == ["/age"])
  }

  @Test func `a source that names a field is asked before the pointer beside it`() throws {
    let problem = try problem(
      #"""
      {"errors": [
        {"pointer": "/b", "source": {"pointer": "/data/attributes/a"}, "detail": "No."}
      ]}
      """#)
    #expect(problem.fieldErrors == [.init(pointer: "/a", detail: "No.")])
  }

  @Test(arguments: [400, 422])
  func `what FastAPI finds in the body is about the field at that place`(_ status: Int) {
    let error = refusal(
      """
      {"detail": [
        {"type": "missing", "loc": ["body", "title"], "msg": "Field required", "input": {}},
        {"type": "int_type", "loc": ["body", "copies", 0, "shelf"], "msg": "Not a number"},
        {"type": "int_type", "loc": ["query", "page"], "msg": "Not a page"},
        {"type": "missing", "loc": ["body"], "msg": "Nothing was sent"},
        {"loc": ["body", "note"], "msg": " "}, {"loc": ["body", "note"]}, {"msg": "Nowhere"}, 7
      ]}
      """, status)
    #expect(error.kind == .validation && error.field == "/title")
    #expect(causes(error).map(\.field) == ["/title", "/copies/0/shelf", nil, nil])
    #expect(causes(error).first?.message.string() == "Field required")
  }

  @Test func `what Pydantic alone finds has its place from the top`() {
    let error = refusal(#"{"detail": [{"loc": ["title"], "msg": "Too long", "type": "x"}]}"#)
    #expect(error.field == "/title")
  }

  @Test(
    arguments: [
      #"{"detail": "Not enough credit"}"#, #"{"detail": ["a"]}"#, #"{"detail": []}"#,
      #"{"detail": [{"loc": ["query", "page"], "msg": "Not a page"}]}"#,
      #"{"detail": [{"loc": "title", "msg": "No."}]}"#,
      #"{"errors": [{"message": "Cannot query field"}], "data": null}"#, "[]", "{",
    ])
  func `JSON that is in no such form names no field`(_ body: String) {
    let error = refusal(body)
    #expect(error.field == nil && causes(error).isEmpty)
    #expect(error.kind == .validation && error.message == refusal("{}").message)
  }

  @Test(arguments: [401, 403, 404, 409, 503])
  func `another status is about something else than what was entered`(_ status: Int) {
    let body = #"{"detail": [{"loc": ["body", "title"], "msg": "Too long"}]}"#
    #expect(refusal(body, status).field == nil)
  }

  @Test func `at most a hundred are read in each form`() throws {
    let api = #"{"source": {"pointer": "/data/attributes/a"}, "detail": "b"}"#
    let fast = #"{"loc": ["body", "a"], "msg": "b"}"#
    for (member, element) in [("errors", api), ("detail", fast)] {
      let list = Array(repeating: element, count: 500).joined(separator: ",")
      #expect(try problem(#"{"\#(member)": [\#(list)]}"#).fieldErrors.count == 100)
    }
  }

  @Test func `writing replaces what stood there in another form`() throws {
    var problem = try problem(#"{"detail": [{"loc": ["body", "a"], "msg": "b"}], "x": 1}"#)
    #expect(problem.fieldErrors == [.init(pointer: "/a", detail: "b")])
    problem.fieldErrors = [.init(pointer: "/c", detail: "d")]
    #expect(problem.fieldErrors == [.init(pointer: "/c", detail: "d")])
    problem.fieldErrors = []
    #expect(String(decoding: problem.encoded, as: UTF8.self) == #"{"x":1}"#)
  }

  @Test func `a long answer that repeats what was sent still names its fields`() async throws {
    // As Pydantic does for a field that is missing: the whole body, for each of them.
    let echo = String(repeating: "a", count: 300_000)
    let body = #"""
      {"detail": [{"loc": ["body", "title"], "msg": "Too long", "input": "\#(echo)"}]}
      """#
    let books = try client(ScriptedTransport(.json(body, status: 422)))
    let error = await #expect(throws: AppError.self) {
      try await books.send(ResilientClient.Request(.post, "/books", body: .json(["title": echo])))
    }
    #expect(error?.field == "/title")
  }
}
