// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayHTTP
import TestSupport
import Testing

@Suite(.requirement("E13")) struct HTTPHeaderFieldsTests {
  @Test func `names are the same in any case, and values of one name are joined`() {
    var fields: HTTPHeaderFields = ["Vary": "a", "X": "1", "vary": "b"]
    #expect(fields["VARY"] == "a, b")
    #expect(fields.values(of: "vary") == ["a", "b"])
    fields["Vary"] = "c"
    #expect(fields.all.map(\.value) == ["c", "1"])
    fields["vary"] = nil
    #expect(!fields.contains("Vary"))
    #expect(fields["Vary"] == nil)
    fields.append("Y", "2")
    fields.merge(["x": "3", "Z": "4"])
    #expect(fields.all.map(\.name) == ["Y", "x", "Z"])
  }

  @Test func `names that differ are not equal for a bit that is case in letters`() {
    let fields: HTTPHeaderFields = ["a@": "1", "a`": "2", "[": "3"]
    #expect(fields["a@"] == "1")
    #expect(fields["a`"] == "2")
    #expect(fields["{"] == nil)
  }

  @Test(arguments: ["a\r\nb: c", "a\nb", "a\u{0}b", "a\u{7f}"])
  func `a value that could end its field is not sent`(_ value: String) async throws {
    let transport = ScriptedTransport(.json())
    let books = try client(transport)
    var request = ResilientClient.Request(.get, "/")
    request.headers["X-Name"] = value
    let error = await #expect(throws: AppError.self) { try await books.send(request) }
    #expect(error?.kind == .configuration)
    #expect(error?.details?.contains("X-Name") == true)
    request.headers = [value: "x"]
    await #expect(throws: AppError.self) { try await books.send(request) }
    #expect(transport.sent.isEmpty)
  }

  @Test(
    arguments: [
      ("application/json", "application/json"),
      ("Application/JSON;charset=utf-8", "application/json"),
      (" text/html ; level=1", "text/html"), (";", ""), (nil, nil),
    ] as [(String?, String?)])
  func `a type is read without its parameters`(_ field: String?, _ type: String?) {
    var fields: HTTPHeaderFields = ["Accept": "text/plain"]
    fields["Content-Type"] = field
    #expect(fields.mediaType == type)
  }

  @Test func `a method is a token`() {
    #expect(HTTPVerb("PROPFIND")?.isIdempotent == false)
    #expect(HTTPVerb("QUERY")?.isSafe == true)
    #expect(HTTPVerb("") == nil)
    #expect(HTTPVerb("GE T") == nil)
    #expect(HTTPVerb(String(repeating: "A", count: 33)) == nil)
    #expect(HTTPVerb.put.isIdempotent && !HTTPVerb.put.isSafe && !HTTPVerb.post.isIdempotent)
    #expect(HTTPVerb.patch.description == "PATCH")
  }
}
