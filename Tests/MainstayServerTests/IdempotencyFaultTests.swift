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

/// What becomes of a key when something goes wrong around the answer.
@Suite(.ends(withinMinutes: 2)) struct IdempotencyFaultTests {
  private struct OutOfOrder: Error {}

  /// A store that forgets no claim and cannot keep answers, and notes the keys that it sees.
  private final class Forgetful: IdempotencyStore {
    private let store = InMemoryIdempotencyStore()
    private let seen = Locked([String]())
    private let keepsAnswers: Bool

    init(keepsAnswers: Bool = false) { self.keepsAnswers = keepsAnswers }

    var keys: [String] { seen.withLock { $0 } }

    func begin(_ key: String, fingerprint: Data) async throws -> IdempotencyVerdict {
      seen.withLock { $0.append(key) }
      return try await store.begin(key, fingerprint: fingerprint)
    }

    func end(_ key: String, _ claim: UInt64, with answer: StoredAnswer?) async throws {
      if answer != nil && !keepsAnswers { throw OutOfOrder() }
      await store.end(key, claim, with: answer)
    }
  }

  /// Notes that a handler has returned, before anything of the body is asked for.
  private struct Witness: RouterMiddleware {
    typealias Context = BasicRequestContext
    let returned: Flag

    func handle(
      _ request: Request, context: Context,
      next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
      let response = try await next(request, context)
      returned.raise()
      return response
    }
  }

  /// Throws answers away, as happens where a client is gone before they are sent.
  private struct Dropping: RouterMiddleware {
    typealias Context = BasicRequestContext

    func handle(
      _ request: Request, context: Context,
      next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
      _ = try await next(request, context)
      return Response(status: .badGateway)
    }
  }

  private let log = Log()

  private func router(
    _ store: any IdempotencyStore, maximumAnswer: Int = 256_000,
    returned: Flag? = nil, dropping: Bool = false, connection: BrokenConnection? = nil
  ) -> Router<BasicRequestContext> {
    var options = IdempotencyOptions()
    options.maximumAnswer = maximumAnswer
    let router = Router()
    if let connection { router.add(middleware: connection) }
    if let returned { router.add(middleware: Witness(returned: returned)) }
    if dropping { router.add(middleware: Dropping()) }
    router.add(middleware: ProblemMiddleware())
    router.add(
      middleware: IdempotencyMiddleware(store, options: options) { request, _ in
        request.headers[.authorization] ?? "nobody"
      })
    return router
  }

  private func post(
    _ path: String, over client: any TestClientProtocol
  ) async throws -> TestResponse {
    try await client.execute(
      uri: path, method: .post,
      headers: [.idempotencyKey: "k1", .authorization: "Bearer s3cret"])
  }

  private func code(_ response: TestResponse) -> String? {
    ProblemDetails(json: Data(response.body.readableBytesView))?.extensions["code"]?.string
  }

  /// Makes a request again until the first one counts as answered, some time after its last byte.
  private func repeated(
    _ path: String, over client: any TestClientProtocol
  ) async throws -> TestResponse {
    while true {
      try Task.checkCancellation()
      let response = try await post(path, over: client)
      if code(response) != "server.idempotency-running" { return response }
    }
  }

  @Test func `what was done is not done again where its answer cannot be kept`() async throws {
    let router = router(Forgetful())
    router.post("orders") { [log] _, _ in
      log.add("done")
      return "thanks"
    }
    try await Application(router: router).test(.router) { client in
      let first = try await post("/orders", over: client)
      #expect(first.status == .ok, "it was done, and that is what its caller has to hear")
      let second = try await post("/orders", over: client)
      #expect(second.status == .conflict)
      #expect(log.lines == ["done"])
    }
  }

  @Test func `a stream is sent while it is made, and repeated once it has ended`() async throws {
    let returned = Flag()
    let router = router(InMemoryIdempotencyStore(), returned: returned)
    router.post("stream") { [log] _, _ in
      Response(
        status: .ok,
        body: ResponseBody { writer in
          log.add(returned.isRaised ? "after the head" : "before the head")
          log.add(IdempotencyKey.current == nil ? "no key" : "under a key")
          try await writer.write(ByteBuffer(string: "one "))
          try await writer.write(ByteBuffer(string: "two"))
          try await writer.finish(nil)
        })
    }
    try await Application(router: router).test(.router) { client in
      #expect(String(buffer: try await post("/stream", over: client).body) == "one two")
      #expect(log.lines == ["after the head", "under a key"])
      let again = try await repeated("/stream", over: client)
      #expect(String(buffer: again.body) == "one two")
      #expect(again.headers[.idempotencyReplayed] == "true")
      #expect(log.lines.count == 2)
    }
  }

  @Test func `a stream that is too large to be kept goes on, and is not made again`()
    async throws
  {
    let router = router(InMemoryIdempotencyStore(), maximumAnswer: 100)
    router.post("stream") { [log] _, _ in
      log.add("made")
      return Response(
        status: .ok,
        body: ResponseBody { writer in
          for _ in 0..<30 { try await writer.write(ByteBuffer(string: "0123456789")) }
          try await writer.finish(nil)
        })
    }
    try await Application(router: router).test(.router) { client in
      let first = try await post("/stream", over: client)
      #expect(first.body.readableBytes == 300)
      let second = try await repeated("/stream", over: client)
      #expect(second.status == .conflict)
      #expect(code(second) == "server.idempotency-answer-lost")
      #expect(log.lines == ["made"])
    }
  }

  @Test func `a stream that fails by itself may be made again`() async throws {
    let router = router(InMemoryIdempotencyStore())
    router.post("stream") { [log] _, _ in
      log.add("made")
      return Response(
        status: .ok,
        body: ResponseBody { writer in
          try await writer.write(ByteBuffer(string: "one "))
          throw OutOfOrder()
        })
    }
    try await Application(router: router).test(.router) { client in
      for _ in 0..<2 { _ = try? await post("/stream", over: client) }
      #expect(log.lines == ["made", "made"])
    }
  }

  /// The answer to a repetition on a router whose store knows the first request from another one.
  private func repeatAfter(
    _ first: Router<BasicRequestContext>, on second: Router<BasicRequestContext>,
    _ body: ResponseBody
  ) async throws -> TestResponse {
    for router in [first, second] {
      router.post("orders") { [log] _, _ in
        log.add("done")
        return Response(status: .created, body: body)
      }
    }
    // What its caller hears of it does not matter.
    try await Application(router: first).test(.router) { client in
      _ = try? await post("/orders", over: client)
    }
    return try await Application(router: second).test(.router) { client in
      try await repeated("/orders", over: client)
    }
  }

  @Test(arguments: [0, 1], [true, false])
  func `what was done is not done again where only the reader of its stream has gone`(
    _ taken: Int, _ isHeeded: Bool
  ) async throws {
    let store = InMemoryIdempotencyStore()
    let answer = try await repeatAfter(
      router(store, connection: BrokenConnection(parts: taken)), on: router(store),
      ResponseBody { writer in
        do {
          for part in ["one ", "two"] { try await writer.write(ByteBuffer(string: part)) }
          try await writer.finish(nil)
        } catch {
          if isHeeded { throw error }
        }
      })
    #expect(answer.status == .conflict)
    #expect(code(answer) == "server.idempotency-answer-lost")
    #expect(log.lines == ["done"])
  }

  @Test func `what was done is not done again where nobody asks for its stream`() async throws {
    let store = InMemoryIdempotencyStore()
    let answer = try await repeatAfter(
      router(store, dropping: true), on: router(store),
      ResponseBody { try await $0.finish(nil) })
    #expect(code(answer) == "server.idempotency-answer-lost")
    #expect(log.lines == ["done"])
  }

  @Test func `what was done is not done again where its stream is cancelled`() async throws {
    let clock = ManualClock()
    let began = Countdown(1)
    let router = router(InMemoryIdempotencyStore())
    router.post("orders") { [log] _, _ in
      log.add("done")
      return Response(
        status: .created,
        body: ResponseBody { _ in
          began.count()
          try await clock.sleep(for: .seconds(3600))
        })
    }
    try await Application(router: router).test(.router) { client in
      let first = await started { try await post("/orders", over: client) }
      await began.reached()
      first.cancel()
      _ = await first.result
      let again = try await repeated("/orders", over: client)
      #expect(code(again) == "server.idempotency-answer-lost")
    }
    #expect(log.lines == ["done"])
  }

  @Test(arguments: [408, 425, 429, 503]) func `an answer that asks to come back is not kept`(
    _ status: Int
  ) async throws {
    let router = router(InMemoryIdempotencyStore())
    router.post("orders") { [log] _, _ in
      log.add("asked")
      return Response(status: .init(code: status))
    }
    try await Application(router: router).test(.router) { client in
      for _ in 0..<2 {
        let answer = try await post("/orders", over: client)
        #expect(answer.status.code == status)
      }
      #expect(log.lines == ["asked", "asked"])
    }
  }

  @Test func `a store sees neither keys nor credentials, and all keys are as long`() async throws {
    let store = Forgetful(keepsAnswers: true)
    let router = router(store)
    router.post("orders") { _, _ in "thanks" }
    try await Application(router: router).test(.router) { client in
      _ = try await post("/orders", over: client)
      let again = try await post("/orders", over: client)
      #expect(again.headers[.idempotencyReplayed] == "true")
    }
    #expect(Set(store.keys).count == 1)
    #expect(store.keys.allSatisfy { !$0.contains("s3cret") && !$0.contains("k1") })
    #expect(store.keys.allSatisfy { $0.utf8.count == 64 })
  }
}
