// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import TestSupport
import Testing

@Suite struct SentryDSNTests {
  @Test(
    .requirement("D21"),
    arguments: [
      ("https://abc123@o7.ingest.sentry.io/42", "https://o7.ingest.sentry.io/api/42/envelope/"),
      ("http://abc123@localhost:9000/42", "http://localhost:9000/api/42/envelope/"),
      (" https://abc123@example.com/a/b/42/ ", "https://example.com/a/b/api/42/envelope/"),
      ("HTTPS://abc123@example.com/42", "https://example.com/api/42/envelope/"),
    ])
  func `it names where envelopes go, and who sends them`(_ text: String, _ url: String) throws {
    let dsn = try SentryDSN(text)
    #expect(dsn.project == "42")
    #expect(dsn.endpoint.url.absoluteString.lowercased() == url)
    let client = "mainstay.swift/\(MainstayVersion.current)"
    let auth = "Sentry sentry_version=7, sentry_client=\(client), sentry_key=abc123"
    #expect(dsn.endpoint.headers == ["X-Sentry-Auth": auth])
    #expect(ReportEndpoint.sentry(dsn) == dsn.endpoint)
  }

  @Test func `the old form has a secret, which goes along`() throws {
    let header = try SentryDSN("https://abc:def@example.com/42").endpoint.headers["X-Sentry-Auth"]
    #expect(header?.hasSuffix("sentry_key=abc, sentry_secret=def") == true)
  }

  @Test func `no key is shown by any description`() throws {
    let dsn = try SentryDSN("https://pubkey77:seckey77@example.com/42")
    var dumped = ""
    dump(dsn, to: &dumped)
    dump(dsn.endpoint, to: &dumped)
    let all =
      "\(dsn) \(dsn.endpoint) \(String(reflecting: dsn)) \(String(reflecting: dsn.endpoint))"
    #expect(!(all + dumped).contains("key77"))
    #expect(all.contains("example.com/api/42/envelope/") && all.contains("X-Sentry-Auth"))
  }

  @Test(arguments: [
    ("", ["scheme", "host", "key", "project"]), ("example.com/42", ["scheme", "host", "key"]),
    ("ftp://abc@example.com/42", ["scheme"]), ("https://example.com/42", ["key"]),
    ("https://abc@/42", ["host"]), ("https://abc@example.com", ["project"]),
    ("https://abc@example.com/", ["project"]), ("https://a%20b@example.com/42", ["key"]),
    ("https://abc:d%0Ae@example.com/42", ["secret"]),
    ("https://abc@example.com/4%2F2", ["project"]), ("https://abc@example.com/42?a=b", ["query"]),
    ("https://abc@example.com/42#a", ["query"]),
  ])
  func `what is wrong with it is said, all at once`(_ text: String, _ options: [String]) {
    let error = #expect(throws: ConfigurationError.self) { try SentryDSN(text) }
    #expect(error?.violations.map(\.option) == options)
  }

  @Test func `what is wrong is said without a key`() {
    for text in [
      "ftp://pubkey77:seckey77@example.com/", "https://pubkey77@", "pubkey77", "//pubkey77@a b/",
      "https://pubkey77:sec key77@example.com/42", "https://pub!key77@example.com/42",
    ] {
      let error = #expect(throws: ConfigurationError.self) { try SentryDSN(text) }
      #expect(error.map { "\($0) \($0.appError)" }?.contains("key77") == false, "\(text)")
    }
  }
}

@Suite struct ReportEndpointTests {
  @Test(
    .requirement("D21"),
    arguments: [
      ("http://localhost:4318", "http://localhost:4318/v1/logs"),
      ("http://localhost:4318/", "http://localhost:4318/v1/logs"),
      ("https://otlp.example.com/tenant/7", "https://otlp.example.com/tenant/7/v1/logs"),
      ("https://example.com/otlp/?key=1", "https://example.com/otlp/v1/logs?key=1"),
    ])
  func `logs go below the address of the collector`(_ base: String, _ url: String) throws {
    #expect(try ReportEndpoint.otlpLogs(base: base).url.absoluteString == url)
  }

  @Test func `headers are read as OTEL_EXPORTER_OTLP_HEADERS has them`() throws {
    let text = "api-key=123, tenant = a%20b%2Cc ,,x=,authorization=Basic%20YTpi=="
    let headers = try ReportEndpoint.otlpLogs(base: "http://localhost", headers: text).headers
    #expect(
      headers == ["api-key": "123", "tenant": "a b,c", "x": "", "authorization": "Basic YTpi=="])
  }

  @Test(arguments: [
    ("", "", "base.scheme"), ("localhost:4318", "", "base.scheme"), ("http://", "", "base.host"),
    ("ftp://example.com", "", "base.scheme"), ("http://a:pw77@example.com", "", "base.user"),
    ("http://example.com", "pw77", "headers[0]"), ("http://example.com", "a=b,=pw77", "headers"),
    ("http://example.com", "a=%zpw77", "headers.a"),
    ("http://example.com", "a=b%0D%0AX-Evil:pw77", "headers.a"),
    ("http://example.com", "a b=pw77", "headers"), ("http://example.com", "a=pw77é", "headers.a"),
  ])
  func `what is wrong is said, without a secret`(
    _ base: String, _ headers: String, _ option: String
  ) {
    let error = #expect(throws: ConfigurationError.self) {
      try ReportEndpoint.otlpLogs(base: base, headers: headers)
    }
    #expect(
      error?.violations.contains { $0.option == option } == true, "\(String(describing: error))")
    #expect(error?.description.contains("pw77") == false)
  }

  @Test func `an endpoint of one's own is checked as well`() throws {
    let url = try #require(URL(string: "https://bugs.example.com/notify?key=pw77"))
    let endpoint = try ReportEndpoint(validating: url, headers: ["Bugsnag-Api-Key": "pw77"])
    #expect(!"\(endpoint) \(String(reflecting: endpoint))".contains("pw77"))
    #expect(throws: ConfigurationError.self) {
      try ReportEndpoint(validating: URL(filePath: "/tmp/x"))
    }
    #expect(throws: ConfigurationError.self) {
      try ReportEndpoint(validating: url, headers: ["A": "b\r\nC: d"])
    }
  }
}

@Suite struct ReportAnswerTests {
  @Test func `a status is the word of the service, though the rest never came`() throws {
    let answer = ReportAnswer()
    #expect(try answer.reply() == nil)
    answer.began(status: 200, headers: ["Retry-After": "1"])
    #expect(try answer.reply()?.status == 200)
  }

  @Test func `a body is read up to its bound`() {
    let answer = ReportAnswer()
    answer.began(status: 200, headers: [:])
    #expect(answer.add(Data(count: 63_999)))
    #expect(!answer.add(Data(count: 1)))
    #expect(!answer.add(Data(count: 100_000)))
  }

  @Test func `headers with one name are joined, and long ones cut`() throws {
    let answer = ReportAnswer()
    let long = String(repeating: "9", count: 1_000_000)
    answer.began(
      status: 429,
      headers: [
        "X-Sentry-Rate-Limits": "60:error", "x-sentry-rate-limits": "90:transaction",
        "Retry-After": long,
      ])
    let headers = try #require(try answer.reply()).headers
    #expect(headers["x-sentry-rate-limits"] == "60:error, 90:transaction")
    #expect(headers["retry-after"]?.utf8.count == 4_000)
  }
}
