// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Mainstay
import MainstayServer
import Metrics
import TestSupport
import Testing

/// The rules of idempotency keys without any framework, as an adapter to another one uses them.
@Suite struct IdempotencyCoreTests {
  private let idempotency = Idempotency(InMemoryIdempotencyStore())

  private func request(_ path: String = "/orders", key: String? = "k1") -> HTTPRequest {
    var request = HTTPRequest(method: .post, scheme: nil, authority: nil, path: path)
    request.headerFields[.idempotencyKey] = key
    return request
  }

  private func begin(_ request: HTTPRequest) async throws -> Idempotency.Decision {
    let key = try #require(try idempotency.key(of: request))
    return try await idempotency.begin(request, key, body: Data("{}".utf8), principal: "Anna")
  }

  @Test func `an adapter handles once, and repeats`() async throws {
    guard case .handle(let run) = try await begin(request()) else {
      Issue.record("it is new")
      return
    }
    #expect(run.key.rawValue.utf8.count == 64)
    await #expect(throws: AppError.self) { _ = try await begin(request()) }
    var fields: HTTPFields = [.location: "/orders/1", .date: "today"]
    fields.append(HTTPField(name: .vary, value: "a"))
    fields.append(HTTPField(name: .vary, value: "b"))
    await run.end(with: HTTPResponse(status: .created, headerFields: fields), body: Data("1".utf8))
    await run.fail()
    guard case .replay(let answer) = try await begin(request()) else {
      Issue.record("it was done")
      return
    }
    #expect(answer.head.status == .created)
    #expect(answer.head.headerFields[.location] == "/orders/1")
    #expect(answer.head.headerFields[.vary] == "a, b")
    #expect(answer.head.headerFields[.date] == nil)
    #expect(answer.head.headerFields[.idempotencyReplayed] == "true")
    #expect(answer.body == Data("1".utf8))
  }

  /// What a second request is told after one with another body: 200 where it is repeated, else 422.
  private func status(
    of second: String, after first: String, _ type: String = "application/json"
  ) async throws -> Int? {
    let idempotency = Idempotency(InMemoryIdempotencyStore())
    var request = request()
    request.headerFields[.contentType] = type
    let key = try #require(try idempotency.key(of: request))
    func begin(_ body: String) async throws -> Idempotency.Decision {
      try await idempotency.begin(request, key, body: Data(body.utf8), principal: "Anna")
    }
    guard case .handle(let run) = try await begin(first) else { return nil }
    await run.end(with: HTTPResponse(status: .ok), body: Data())
    do {
      guard case .replay(let answer) = try await begin(second) else { return nil }
      return answer.head.status.code
    } catch let error as AppError {
      return error.code == "server.idempotency-key-reused" ? 422 : nil
    }
  }

  @Test(arguments: [
    "application/json", "Application/JSON; charset=utf-8", "application/vnd.a+json",
  ])
  func `a body of JSON is known again, in whatever order its members stand`(
    _ type: String
  ) async throws {
    let first = #"{"shop":"north","items":[{"n":1.50,"id":18446744073709551617},"\u00fc/"],"at":7}"#
    let second = #" {"at":7,"items":[{"id":18446744073709551617, "n":1.50},"ü\/"],"shop":"north"}"#
    #expect(try await status(of: second, after: first, type) == 200)
    #expect(try await status(of: second, after: first, "text/plain") == 422)
  }

  @Test(arguments: [
    (#"{"a":[1,2]}"#, #"{"a":[2,1]}"#), (#"{"a":1}"#, #"{"a":"1"}"#), (#"{"a":1}"#, "{}"),
    (#"{"a":9007199254740993}"#, #"{"a":9007199254740992}"#),
    (#"{"a":0.1}"#, #"{"a":0.10000000000000001}"#),
    // Which of two members of one name counts is a matter of whoever reads them.
    (#"{"a":1,"a":2}"#, #"{"a":2}"#), (#"{"a":1,"a":2}"#, #"{"a":2,"a":1}"#),
    // One name to Swift, two to others.
    (#"{"\u00e9":1,"e\u0301":2}"#, #"{"e\u0301":2}"#),
    (#"{"a":"\ud800"}"#, #"{"a":"\ud801"}"#), (#"{"a":"\udc00"}"#, #"{"a":"\ufffd"}"#),
    (#"{"a":1,"b":2"#, #"{"b":2,"a":1"#), ("", " "),
  ])
  func `a body of JSON that says something else is another one`(
    _ first: String, _ second: String
  ) async throws {
    #expect(try await status(of: second, after: first) == 422)
    #expect(try await status(of: first, after: first) == 200)
  }

  @Test func `a body of JSON that is large or deep is compared byte by byte`() async throws {
    let deep = String(repeating: "[", count: 500_000)
    let members = (0..<10_000).map { "\"\($0)\":\($0)" }
    let large = "\"a\":\"" + String(repeating: "x", count: 1_000_000) + "\""
    let pairs = [
      (deep + "1", deep + "2", 422), (deep, deep, 200),
      (
        "{\(members.joined(separator: ","))}", "{\(members.reversed().joined(separator: ","))}", 200
      ),
      ("{\(large),\"b\":1}", "{\"b\":1,\(large)}", 422),
    ]
    for (first, second, expected) in pairs {
      #expect(try await status(of: second, after: first) == expected)
    }
  }

  @Test func `a run that is dropped or fails may be made again`() async throws {
    do { _ = try await begin(request()) }
    var isFree = false
    while !isFree {
      // The store hears of it some time after it was dropped.
      if let decision = try? await begin(request()), case .handle(let run) = decision {
        isFree = true
        await run.fail()
      }
    }
    guard case .handle = try await begin(request("/other")) else {
      Issue.record("nothing was kept, so the key is free for any request")
      return
    }
  }

  /// What a repetition is refused with once the store has heard of a run that was dropped.
  private func refusal() async throws -> ErrorCode? {
    while true {
      do {
        _ = try await begin(request())
        return nil
      } catch let error as AppError where error.code == "server.idempotency-running" {
        await Task.yield()
      } catch let error as AppError {
        return error.code
      }
    }
  }

  @Test(arguments: [(201, "server.idempotency-answer-lost"), (503, nil)])
  func `a run that is dropped once its handler has returned is done, if that succeeded`(
    _ status: Int, _ code: String?
  ) async throws {
    do {
      guard case .handle(let run) = try await begin(request()) else {
        Issue.record("it is new")
        return
      }
      run.handled(with: HTTPResponse(status: .init(code: status)))
    }
    #expect(try await refusal()?.rawValue == code)
  }

  @Test func `an answer that has to make room before its time is counted`() async throws {
    let factory = RecordingMetrics()
    let store = InMemoryIdempotencyStore(maximumCount: 1)
    try await withMetricsFactory(factory) {
      for key in ["a", "b"] {
        guard case .handle(let claim) = try await store.begin(key, fingerprint: Data()) else {
          Issue.record("it is new")
          return
        }
        await store.end(key, claim, with: StoredAnswer(status: 200, fields: [:], body: Data()))
      }
    }
    #expect(factory.log.lines == ["mainstay.server.idempotency{outcome=evicted} +1"])
  }

  @Test func `a request without a key has none`() throws {
    #expect(try idempotency.key(of: request(key: nil)) == nil)
    var get = request()
    get.method = .get
    #expect(try idempotency.key(of: get) == nil)
    #expect(throws: AppError.self) { try idempotency.key(of: request(key: "a b")) }
  }

  @Test(arguments: [-1, 0, 99, 700, 99_999]) func `a status that is none is not sent`(_ code: Int) {
    #expect(StoredAnswer(status: code, fields: [:], body: Data()).head.status.code == 500)
  }
}
