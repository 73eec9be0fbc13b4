// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Mainstay
import MainstayHTTP
import MainstayServer
import MainstayTesting
import NIOCore
import TestSupport
import Testing

/// Requests that come again under their key.
@Suite(.ends(withinMinutes: 2)) struct IdempotencyTests {
  /// A service that counts what it does.
  private final class Shop: Sendable {
    private let state = Locked((orders: 0, keys: [String]()))
    let gate = Countdown(1)
    let arrived = Countdown(1)

    var orders: Int { state.withLock(\.orders) }
    var keys: [String] { state.withLock(\.keys) }

    func order() -> Int {
      state.withLock { state in
        state.orders += 1
        state.keys.append(IdempotencyKey.current?.rawValue ?? "none")
        return state.orders
      }
    }
  }

  private let shop = Shop()

  private func application(
    _ options: IdempotencyOptions = IdempotencyOptions(),
    _ store: any IdempotencyStore = InMemoryIdempotencyStore()
  ) -> some ApplicationProtocol {
    let router = Router()
    router.add(middleware: ProblemMiddleware())
    router.add(
      middleware: IdempotencyMiddleware(store, options: options) { request, _ in
        request.headers[.authorization] ?? "nobody"
      })
    router.post("orders") { [shop] _, _ in
      Response(
        status: .created,
        headers: [.location: "/orders/\(shop.order())", .setCookie: "visit=1"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: "order \(shop.orders)")))
    }
    router.post("slow") { [shop] _, _ -> String in
      shop.arrived.count()
      await shop.gate.passed()
      return "done \(shop.order())"
    }
    router.post("broken") { [shop] _, _ -> String in
      _ = shop.order()
      throw AppError(
        code: "shop.down", kind: .server, disposition: .transient(), title: "Down",
        message: "The shop is closed.")
    }
    router.post("large") { [shop] _, _ in String(repeating: "x", count: 1000 * shop.order()) }
    return Application(router: router)
  }

  private func post(
    _ path: String, _ key: String?, _ body: String = "{}", by account: String? = nil,
    over client: any TestClientProtocol
  ) async throws -> TestResponse {
    var headers = HTTPFields()
    headers[.idempotencyKey] = key
    headers[.authorization] = account
    return try await client.execute(
      uri: path, method: .post, headers: headers, body: ByteBuffer(string: body))
  }

  @Test func `a key of nobody is refused, and nothing is done`() async throws {
    let router = Router()
    router.add(middleware: ProblemMiddleware(ProblemAnswers(challenge: "Bearer")))
    router.add(
      middleware: IdempotencyMiddleware(InMemoryIdempotencyStore()) { request, _ in
        request.headers[.authorization]
      })
    router.post("orders") { [shop] _, _ in "order \(shop.order())" }
    try await Application(router: router).test(.router) { client in
      for _ in 0..<2 {
        let stranger = try await post("/orders", "key", over: client)
        #expect(stranger.status == .unauthorized)
        #expect(stranger.headers[.wwwAuthenticate] == "Bearer")
        #expect(stranger.headers[.contentType] == "application/problem+json")
      }
      #expect(shop.orders == 0)
      // The key is still free for whoever it belongs to, and nobody needs one.
      #expect(try await post("/orders", "key", by: "Anna", over: client).status == .ok)
      #expect(try await post("/orders", nil, over: client).status == .ok)
      #expect(shop.orders == 2)
    }
  }

  private func code(_ response: TestResponse) -> String? {
    ProblemDetails(json: Data(response.body.readableBytesView))?.extensions["code"]?.string
  }

  @Test func `a repetition is answered as the first time, and nothing is done again`()
    async throws
  {
    try await application().test(.router) { client in
      let first = try await post("/orders", "k1", over: client)
      let second = try await post("/orders", "\"k1\"", over: client)
      #expect(shop.orders == 1)
      #expect(second.status == .created)
      #expect(second.body == first.body)
      #expect(second.headers[.location] == "/orders/1")
      #expect(first.headers[.idempotencyReplayed] == nil)
      #expect(second.headers[.idempotencyReplayed] == "true")
      #expect(first.headers[.setCookie] != nil && second.headers[.setCookie] == nil)
      _ = try await post("/orders", "k2", over: client)
      #expect(shop.orders == 2)
      #expect(Set(shop.keys).count == 2)
    }
  }

  @Test func `the key of another request is refused, whatever differs`() async throws {
    try await application().test(.router) { client in
      _ = try await post("/orders", "k1", "{}", over: client)
      for (path, body) in [("/orders", "{} "), ("/orders?gift=1", "{}"), ("/broken", "{}")] {
        let response = try await post(path, "k1", body, over: client)
        #expect(response.status.code == 422)
        #expect(code(response) == "server.idempotency-key-reused")
      }
      #expect(shop.orders == 1)
    }
  }

  @Test func `a key of one account is nothing to another`() async throws {
    try await application().test(.router) { client in
      let one = try await post("/orders", "k1", by: "Anna", over: client)
      let other = try await post("/orders", "k1", by: "Bert", over: client)
      #expect(one.headers[.location] == "/orders/1")
      #expect(other.headers[.location] == "/orders/2")
    }
  }

  @Test func `a key of one account is nothing to another, nor to a service behind`() async throws {
    try await application().test(.router) { client in
      for account in ["Anna", "Bert", nil, "Anna"] {
        let answer = try await post("/broken", "k1", by: account, over: client)
        #expect(answer.status == .serviceUnavailable)
      }
      // Whoever has learnt such a key makes no use of it as a key of their own.
      for account in ["Bert", nil] {
        _ = try await post("/broken", shop.keys[0], by: account, over: client)
      }
      #expect(shop.keys.count == 6 && Set(shop.keys).count == 5)
      #expect(shop.keys[0] == shop.keys[3])
      #expect(shop.keys.allSatisfy { $0.utf8.count == 64 })
    }
  }

  @Test func `while the first one runs its repetition is asked to come back`() async throws {
    try await application().test(.router) { client in
      let first = await started { try await post("/slow", "k1", over: client) }
      await shop.arrived.reached()
      let second = try await post("/slow", "k1", over: client)
      #expect(second.status == .conflict)
      #expect(code(second) == "server.idempotency-running")
      shop.gate.count()
      #expect(String(buffer: try await first.value.body) == "done 1")
      let answer = try await post("/slow", "k1", over: client)
      #expect(String(buffer: answer.body) == "done 1")
    }
  }

  @Test func `what failed is done again, under the same key`() async throws {
    try await application().test(.router) { client in
      for _ in 0..<2 {
        let answer = try await post("/broken", "k1", over: client)
        #expect(answer.status == .serviceUnavailable)
      }
      #expect(shop.orders == 2)
      #expect(shop.keys.count == 2 && Set(shop.keys).count == 1)
    }
  }

  @Test func `a request whose caller has gone may be made again`() async throws {
    let store = InMemoryIdempotencyStore()
    let application = application(IdempotencyOptions(), store)
    try await application.test(.router) { client in
      let first = await started { try await post("/slow", "k1", over: client) }
      await shop.arrived.reached()
      first.cancel()
      shop.gate.count()
      _ = await first.result
      let again = try await post("/slow", "k1", over: client)
      #expect(again.status == .ok)
    }
  }

  @Test func `an answer that is too large is sent, and its repetition is refused`() async throws {
    var options = IdempotencyOptions()
    options.maximumAnswer = 999
    try await application(options).test(.router) { client in
      #expect(try await post("/large", "k1", over: client).body.readableBytes == 1000)
      let again = try await post("/large", "k1", over: client)
      #expect(again.status == .conflict)
      #expect(code(again) == "server.idempotency-answer-lost")
      #expect(shop.orders == 1)
    }
  }

  @Test func `a request that is too large is refused before anything is done`() async throws {
    var options = IdempotencyOptions()
    options.maximumRequest = 10
    try await application(options).test(.router) { client in
      let response = try await post(
        "/orders", "k1", String(repeating: "x", count: 11), over: client)
      #expect(response.status == .contentTooLarge)
      #expect(shop.orders == 0)
    }
  }

  @Test func `a body without a length is read no further than it may be`() async throws {
    var options = IdempotencyOptions()
    options.maximumRequest = 100_000
    try await application(options).test(.live) { client in
      let socket = try Socket(port: try #require(client.port))
      try socket.send(
        "POST /orders HTTP/1.1\r\nHost: shop\r\nIdempotency-Key: k1\r\n"
          + "Transfer-Encoding: chunked\r\n\r\n")
      let chunk = "2710\r\n" + String(repeating: "x", count: 10_000) + "\r\n"
      for _ in 0..<11 { try socket.send(chunk) }
      // It is answered although the body has not ended.
      #expect(try await socket.read(until: "\r\n").hasPrefix("HTTP/1.1 413"))
      #expect(shop.orders == 0)
    }
  }

  @Test func `a missing key is refused where one is required, and a wrong one always`()
    async throws
  {
    var options = IdempotencyOptions()
    try await application(options).test(.router) { client in
      let answer = try await post("/orders", nil, over: client)
      #expect(answer.status == .created)
      for key in ["", " ", String(repeating: "x", count: 256), "a\u{7f}b"] {
        let response = try await post("/orders", key, over: client)
        #expect(response.status == .badRequest, "\(key)")
        #expect(code(response) == "server.idempotency-key-invalid")
      }
    }
    options.isRequired = true
    try await application(options).test(.router) { client in
      let response = try await post("/orders", nil, over: client)
      #expect(response.status == .badRequest)
      #expect(code(response) == "server.idempotency-key-missing")
    }
    #expect(shop.orders == 1)
  }

  @Test func `other methods have no key`() async throws {
    let router = Router()
    router.add(middleware: IdempotencyMiddleware(InMemoryIdempotencyStore()) { _, _ in "" })
    router.get("orders") { [shop] _, _ in "\(shop.order())" }
    try await Application(router: router).test(.router) { client in
      for count in 1...2 {
        let response = try await client.execute(
          uri: "/orders", method: .get, headers: [.idempotencyKey: "k1"])
        #expect(String(buffer: response.body) == "\(count)")
      }
    }
  }

  @Test func `a store that fails is no reason to do anything`() async throws {
    struct Broken: IdempotencyStore {
      func begin(_ key: String, fingerprint: Data) async throws -> IdempotencyVerdict {
        throw OutOfOrder()
      }
      func end(_ key: String, _ claim: UInt64, with answer: StoredAnswer?) async throws {}
    }
    try await application(IdempotencyOptions(), Broken()).test(.router) { client in
      let answer = try await post("/orders", "k1", over: client)
      #expect(answer.status == .internalServerError)
      #expect(shop.orders == 0)
    }
  }

  private struct OutOfOrder: Error {}
}
