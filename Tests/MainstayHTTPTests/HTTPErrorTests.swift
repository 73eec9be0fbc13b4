// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite struct HTTPErrorTests {
  private let now = Date(timeIntervalSince1970: 946_684_800)

  private func error(
    _ status: Int, _ method: String = "GET", headers: [String: String] = [:], body: String = "",
    hasKey: Bool = false
  ) -> HTTPError {
    HTTPError(
      status: status, method: method, url: "https://api.example.com/items/7", headers: headers,
      body: Data(body.utf8), hasIdempotencyKey: hasKey, now: now)
  }

  @Test(.requirement("E14"), arguments: [500, 502, 503, 504, 599])
  func `a service that fails after a request that must not be repeated leaves it unknown`(
    _ status: Int
  ) {
    for method in ["GET", "head", "PUT", "DELETE", "OPTIONS", "TRACE", "QUERY"] {
      #expect(error(status, method).appError.disposition == .transient(), "\(method)")
    }
    for method in ["POST", "PATCH", "CONNECT", "LOCK", ""] {
      #expect(error(status, method).appError.disposition == .unknownOutcome, "\(method)")
      #expect(error(status, method, hasKey: true).appError.disposition == .transient())
    }
  }

  @Test(
    .requirement("E14"),
    arguments: [
      ("120", 120), ("Sat, 01 Jan 2000 00:02:00 GMT", 120), ("0", 0),
    ])
  func `Retry-After is heeded in both forms`(_ header: String, _ seconds: Int) {
    let error = error(503, headers: ["RETRY-AFTER": header])
    #expect(error.retryAfter == .seconds(seconds))
    #expect(error.appError.disposition == .transient(retryAfter: .seconds(seconds)))
    let date = [
      "Retry-After": "Sat, 01 Jan 2000 00:02:00 GMT", "Date": "Sat, 01 Jan 2000 00:01:00 GMT",
    ]
    #expect(
      self.error(429, headers: date).appError.disposition == .throttled(retryAfter: .seconds(60)))
    #expect(self.error(503, headers: ["Retry-After": "soon"]).retryAfter == nil)
  }

  @Test func `the kind of the problem decides where the status alone does not`() {
    let type = "https://example.com/problems/idempotency-in-progress"
    let headers = ["Content-Type": "Application/Problem+JSON; charset=utf-8"]
    let running = error(409, "POST", headers: headers, body: #"{"type":"\#(type)"}"#)
    #expect(running.appError.disposition == .transient())
    #expect(running.appError.metadata["http.problem-type"] == type)
    #expect(error(409, "POST").appError.disposition == .needsUser)
    let other = error(409, "POST", headers: ["Content-Type": "application/json"], body: "{}")
    #expect(other.problem == nil)
  }

  @Test func `a conflict offers two versions only where the service sends one`() {
    let headers = ["Content-Type": "application/problem+json"]
    let soldOut = #"{"detail":"Sold out.","code":"sold-out"}"#
    let named = #"{"title":"Conflict","errors":{"isbn":["It is in the catalogue already."]}}"#
    for (body, status) in [("", 409), (soldOut, 409), (named, 409), ("", 412)] {
      let plain = error(status, headers: headers, body: body).appError
      #expect(plain.title.string() == "This was changed meanwhile")
      #expect(plain.actions == [.reload, .dismiss])
      #expect(plain.kind == .conflict && plain.disposition == .needsUser)
      #expect(plain.code.rawValue == "http.\(status)" && plain.httpStatus == status)
    }
    let both = error(409, "PUT", headers: headers, body: #"{"current":{"title":"Emma"}}"#).appError
    #expect(both.title.string() == "Changed in two places")
    #expect(both.actions == [.resolveConflict, .dismiss])
  }

  @Test(.requirement("E14"), arguments: [400, 422])
  func `errors of fields become the field and causes for a form`(_ status: Int) {
    let body = """
      {"title": "Invalid", "detail": "Two fields are wrong.", "errors": [
        {"pointer": "/barcode", "detail": "The check digit is wrong."},
        {"pointer": "#/quantity", "detail": "It must be 1 or more."}]}
      """
    let error = error(
      status, "POST", headers: ["Content-Type": "application/problem+json"], body: body
    ).appError
    #expect(error.code.rawValue == "http.\(status)")
    #expect(error.kind == .validation)
    #expect(error.disposition == .permanent)
    #expect(error.field == "/barcode")
    let causes = error.underlying.compactMap { $0 as? AppError }
    #expect(causes.map(\.field) == ["/barcode", "/quantity"])
    #expect(
      causes.map { $0.message.string() } == ["The check digit is wrong.", "It must be 1 or more."])
    #expect(error.serverMessage == "Two fields are wrong.")
    #expect(error.message.string() != "Two fields are wrong.")
  }

  @Test(arguments: ["application/json", "application/problem+json; charset=utf-8"], [400, 422])
  func `an object of names and texts is about fields`(_ type: String, _ status: Int) {
    let body = #"{"errors":{"title":["It is taken.","It is short."],"b":"Wrong.","":["No."]}}"#
    let answer = error(status, "POST", headers: ["Content-Type": type], body: body)
    #expect((answer.problem == nil) == (type == "application/json"))
    let causes = answer.appError.underlying.compactMap { $0 as? AppError }
    #expect(causes.map(\.field) == [nil, "/b", "/title", "/title"])
    #expect(
      causes.map { $0.message.string() } == ["No.", "Wrong.", "It is taken.", "It is short."])
    #expect(answer.appError.kind == .validation && answer.appError.field == "/b")
    let list = #"{"errors":[{"pointer":"/a","detail":"b"}]}"#
    let other = error(
      status, "POST", headers: ["Content-Type": "application/json"], body: list)
    #expect(other.appError.field == nil, "a list is that of problem documents alone")
  }

  @Test func `what a service says about no field is a cause, and alone the words of the error`() {
    func refusal(_ status: Int, _ body: String) -> AppError {
      let headers = ["Content-Type": "application/problem+json"]
      return error(status, "POST", headers: headers, body: #"{"errors":[\#(body)]}"#).appError
    }
    let coupon = #"{"detail":"The coupon has expired."},{"pointer":"no","detail":"Nowhere."}"#
    let both = refusal(400, coupon + #",{"pointer":"/a","detail":"It is too long."}"#)
    let causes = both.underlying.compactMap { $0 as? AppError }
    #expect(both.field == "/a" && causes.map(\.field) == [nil, nil, "/a"])
    #expect(causes.allSatisfy { $0.code == "http.field" && $0.kind == .validation })
    let alone = refusal(422, coupon)
    #expect(alone.field == nil && alone.underlying.count == 2)
    #expect(alone.message.description == "The coupon has expired.\nNowhere.")
    #expect(refusal(409, coupon).underlying.isEmpty, "nothing that was entered is meant")
  }

  @Test func `what names fields is a failure of the service all the same`() {
    let body = #"{"errors":[{"pointer":"/a","detail":"b"}]}"#
    let error = error(503, headers: ["Content-Type": "application/problem+json"], body: body)
    #expect(error.appError.field == nil && error.appError.kind == .server)
  }

  @Test func `nothing of it is anybody's business`() {
    let error = HTTPError(
      status: 500, method: "post", url: "https://anna:pw1@example.com/a?token=pw2#pw3",
      headers: ["Content-Type": "application/json", "X-Request-ID": "req-17"],
      body: Data(#"{"password":"pw4","note":"mail anna@example.com"}"#.utf8), now: now)
    #expect(error.method == "POST")
    #expect(error.url.hasSuffix("example.com/a"))
    #expect(error.requestID == "req-17")
    let app = error.appError
    let all = "\(error) \(app) \(app.metadata) \(app.details ?? "") \(error.excerpt ?? "")"
    for secret in ["pw1", "pw2", "pw3", "pw4", "anna@"] {
      #expect(!all.contains(secret), "\(secret) in \(all)")
    }
    #expect(app.metadata["http.request-id"] == "req-17")
    #expect(app.metadata["http.method"] == "POST")
    #expect(app.httpStatus == 500)
  }

  @Test func `of a body the beginning is kept where it is text`() throws {
    let long = String(repeating: "word ", count: 100_000)
    let cut = try #require(error(500, headers: ["content-type": "text/plain"], body: long).excerpt)
    #expect(cut.utf8.count <= 2_000 && cut.hasPrefix("word word"))
    #expect(error(500, headers: ["content-type": "image/png"], body: long).excerpt == nil)
    #expect(error(500, body: long).excerpt == nil)
    #expect(error(500, headers: ["content-type": "text/plain"]).excerpt == nil)
  }

  @Test(.requirement("A41", "B32")) func `an answer needs no mapping, and any number is taken`() {
    for status in [-1, 0, 99, 200, 302, 418, 600, .max, .min] {
      let mapped = ErrorMapping.standard.map(error(status, "POST"))
      #expect(mapped.disposition != .unclassified)
      #expect(mapped.cause(as: HTTPError.self)?.status == status)
    }
    #expect(MappingCensus(of: [error(404)], mapping: .standard).gaps.isEmpty)
  }
}

@Suite struct URLErrorMappingTests {
  private let mapping = ErrorMapping.standard.addingHTTPErrors()

  private func error(_ code: Int, _ text: String = "") -> NSError {
    NSError(domain: "NSURLErrorDomain", code: code, userInfo: [NSLocalizedDescriptionKey: text])
  }

  @Test(
    .requirement("B14"),
    arguments: [
      (-1004, "network.unreachable", false), (-1003, "network.host-not-found", false),
      (-1009, "network.offline", false), (-1202, "network.insecure", false),
      (-1200, "network.secure-connection-failed", false), (-1000, "network.bad-address", false),
      (-1001, "network.timeout", true), (-1005, "network.connection-lost", true),
      (-1011, "network.bad-answer", true),
    ])
  func `an error of URLSession says whether the request may have been sent`(
    _ code: Int, _ name: String, _ wasSent: Bool
  ) {
    let mapped = mapping.map(error(code))
    #expect(mapped.code.rawValue == name)
    #expect(mapped.mayHaveBeenSent == wasSent)
    #expect(mapped.code == ErrorMapping.standard.map(error(code)).code)
  }

  @Test(
    .requirement("T13"),
    arguments: [
      (-1011, "Server returned nothing (no headers, no data)", "network.connection-lost", true),
      (-1, "Transferred a partial file", "network.connection-lost", true),
      (-1, "Failure when receiving data from the peer", "network.connection-lost", true),
      (-1, "SSL peer certificate or SSH remote key was not OK", "network.insecure", false),
      (-1, "SSL connect error", "network.secure-connection-failed", false),
      (-1, "TLS connect error: unexpected eof", "network.secure-connection-failed", false),
      (-1, "OpenSSL SSL_connect: SSL_ERROR_SYSCALL", "network.secure-connection-failed", false),
      (-1, "SSL certificate problem: self-signed certificate", "network.insecure", false),
      (
        -1, "OpenSSL SSL_read: error:0A000126:SSL routines::unexpected eof while reading, errno 0",
        "network.connection-lost", true
      ),
      (-1, "OpenSSL SSL_write: Broken pipe, errno 32", "network.connection-lost", true),
      (-1, "A lossless certificate", "unknown", true),
      (-1002, "Received HTTP/0.9 when not allowed", "network.bad-answer", true),
      (-1002, "Unsupported protocol", "network.bad-address", false),
      (-1, "Something else", "unknown", true),
    ])
  func `on Linux the text tells a broken connection from a bad answer`(
    _ code: Int, _ text: String, _ name: String, _ wasSent: Bool
  ) {
    let mapped = mapping.map(error(code, text))
    #expect(mapped.code.rawValue == name)
    #expect(mapped.mayHaveBeenSent == wasSent)
  }

  @Test(arguments: [-1009, -1004, -1001])
  func `once bytes of a body have left, no number says that it was not sent`(_ code: Int) {
    let mapped = mapping.map(error(code))
    #expect(mapped.afterSending(0).metadata == mapped.metadata)
    let sent = mapped.afterSending(1)
    #expect(sent.mayHaveBeenSent && sent.code == mapped.code)
    #expect(sent.metadata["http.sent"] == "maybe")
  }

  @Test func `the error itself is the one cause`() {
    let mapped = mapping.map(URLError(.timedOut))
    #expect(mapped.underlying.count == 1 && mapped.underlying.first is URLError)
    #expect(mapping.map(error(-1001)).underlying.count == 1)
  }

  @Test(.requirement("E8")) func `a cancelled task stays a cancellation`() {
    #expect(mapping.map(error(-999)).isCancellation)
  }
}
