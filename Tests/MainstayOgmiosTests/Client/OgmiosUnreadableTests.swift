// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayHTTPTesting
import MainstayOgmios
import TestSupport
import Testing

/// A server with an endless chain, which goes back to a place first and then on by a block each.
///
/// It answers nothing else but questions about the chain.
private final class EndlessChain: Sendable {
  /// Answers in the place of a block; false where it did not.
  typealias Odd = @Sendable (_ block: Int, WebSocketServer.Connection) async -> Bool

  let server: WebSocketServer

  /// Listens; each block has the metadata, and `odd` may answer in the place of some.
  init(metadata: String = "null", odd: @escaping Odd = { _, _ in false }) async throws {
    server = try await WebSocketServer { connection in
      var (place, mustGoBack) = (0, true)
      for await case .text(let text) in connection.messages {
        guard let request = JSONValue(json: Data(text.utf8)), let id = request["id"]?.integer else {
          continue
        }
        let tip = Self.point(1_000)
        switch request["method"]?.string {
        case "findIntersection":
          place = (request["params"]?["points"]?.array?.first?["slot"]?.integer ?? 0) / 20
          mustGoBack = true
          await connection.send(
            Self.answer(#"{"intersection":\#(Self.point(place)),"tip":\#(tip)}"#, to: id))
        case "nextBlock" where mustGoBack:
          mustGoBack = false
          await connection.send(
            Self.answer(
              #"{"direction":"backward","point":\#(Self.point(place)),"tip":\#(tip)}"#, to: id))
        case "nextBlock":
          place += 1
          if await odd(place, connection) { continue }
          let block =
            #"{"era":"conway","id":"\#(place)","height":\#(place),"slot":\#(place * 20),"#
            + #""metadata":\#(metadata)}"#
          await connection.send(
            Self.answer(#"{"direction":"forward","block":\#(block),"tip":\#(tip)}"#, to: id))
        default: break
        }
      }
    }
  }

  private static func point(_ block: Int) -> String {
    block == 0 ? "\"origin\"" : #"{"slot":\#(block * 20),"id":"\#(block)"}"#
  }

  private static func answer(_ result: String, to id: Int) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#
  }
}

/// What cannot be read, and blocks that are deep.
@Suite(.requirement("D5"), .ends(withinMinutes: 3)) struct OgmiosUnreadableTests {
  private static func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  @Test func `a block with metadata as deep as anybody may write it is read`() async throws {
    let chain = try await EndlessChain(metadata: Self.nested(500))
    let client = try Watched([chain.server.origin]).client
    #expect(try await client.chainSync.nextBlock().told == "back to the beginning")
    #expect(try await client.chainSync.nextBlock().told == "block 20")
    let careful = try Watched([chain.server.origin]) { $0.maximumDepth = 100 }.client
    _ = try await careful.chainSync.nextBlock()
    #expect(await failure { try await careful.chainSync.nextBlock() }?.kind == .invalidResponse)
    let error = #expect(throws: ConfigurationError.self) {
      try Watched([chain.server.origin]) { $0.maximumDepth = 513 }
    }
    #expect(error?.violations.map(\.option) == ["maximumDepth"])
  }

  @Test func `a block that cannot be read is told, whatever else was not answered`() async throws {
    let chain = try await EndlessChain(metadata: Self.nested(600))
    let client = try Watched([chain.server.origin]).client
    #expect(try await client.chainSync.nextBlock().told == "back to the beginning")
    // A question that is given up, and that the server never answers.
    let given = Task { try await client.networkQuery.tip.execute() }
    await chain.server.log.first { event in
      guard case .received(_, .text(let text)) = event else { return false }
      return text.contains("queryNetwork/tip")
    }
    given.cancel()
    await #expect(throws: CancellationError.self) { try await given.value }
    for _ in 0..<2 {
      #expect(await failure { try await client.chainSync.nextBlock() }?.kind == .invalidResponse)
    }
  }

  @Test func `a block that cannot be read is told, however many were asked for ahead`()
    async throws
  {
    let chain = try await EndlessChain { block, connection in
      guard block == 40 else { return false }
      await connection.send("{")
      return true
    }
    let retry = Retry(maximumAttempts: 3, backoff: .none)
    let client = try Watched([chain.server.origin], retry: retry).client
    var told: [String] = []
    let error = await failure {
      for try await step in client.chainSync.blocks(ahead: 10) { told.append(step.told) }
    }
    #expect(error?.kind == .invalidResponse)
    #expect(told == ["back to the beginning"] + (1..<40).map { "block \($0 * 20)" })
  }

  @Test func `a block that could not be read while nobody waited is not passed over`()
    async throws
  {
    let (asked, isAsked) = AsyncStream.makeStream(of: Void.self)
    let (left, isLeft) = AsyncStream.makeStream(of: Void.self)
    let first = OnlyOnce()
    let chain = try await EndlessChain { block, connection in
      guard block == 2, first.isIt() else { return false }
      isAsked.yield()
      for await _ in left { break }
      await connection.send("{")
      await connection.ping([1])
      return true
    }
    let client = try Watched([chain.server.origin]).client
    for told in ["back to the beginning", "block 20"] {
      #expect(try await client.chainSync.nextBlock().told == told)
    }
    let waiting = Task { try await client.chainSync.nextBlock() }
    for await _ in asked { break }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    isLeft.yield()
    // What is answered after the text says that it was read.
    await chain.server.log.first { $0 == .ponged(connection: 0, [1]) }
    var told: [String] = []
    while told.count < 2 {
      do {
        told.append(try await client.chainSync.nextBlock().told)
      } catch let error as OgmiosError where error.kind == .invalidResponse {
        // It has joined the question before that was over.
      }
    }
    #expect(told == ["block 40", "block 60"])
  }
}

/// True for the first who asks.
private final class OnlyOnce: Sendable {
  private let isFirst = Locked(true)

  func isIt() -> Bool {
    isFirst.withLock { isFirst in
      defer { isFirst = false }
      return isFirst
    }
  }
}
