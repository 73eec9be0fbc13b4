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
