// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayHTTPTesting
import MainstayJSONRPC
import TestSupport
import Testing

/// What servers send that they must not: always a classified error, never a trap or a hang.
@Suite(.ends(withinMinutes: 3)) struct JSONRPCBadInputTests {
  /// What becomes of one call whose answer is this; `%` stands for its id.
  private func outcome(of answer: String) async throws -> Result<JSONValue, AppError> {
    let server = try await Service.answering { request in
      let id = request["id"]?.encoded ?? Data()
      return answer.replacing("%", with: String(decoding: id, as: UTF8.self))
    }
    return await (try Service.client(server)).outcome("a")
  }

  @Test(.requirement("D5", "T14")) func `answers that are none are told with their bytes`()
    async throws
  {
    let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
    let answers = [
      "", "{", "hello 127.0.0.1:1337 after 2003 ms", "1", "null", "[]", "[1,2]",
      #"{"id":%}"#, #"{"jsonrpc":"2.0","result":1,"id":%"#, deep,
      #"{"jsonrpc":"2.0","result":\#(deep),"id":%}"#,
      #"{"jsonrpc":"2.0","result":\#(String(repeating: "9", count: 5_000)),"id":%}"#,
    ]
    for answer in answers {
      let outcome = try await outcome(of: answer)
      let error = try #require(outcome.connectionError, "\(answer.prefix(50))")
      #expect(error.reason == .unreadable, "\(answer.prefix(50))")
      #expect(outcome.error?.kind == .unknown || outcome.error?.kind == .decoding)
      #expect(outcome.error?.disposition == .unknownOutcome)
      let details = try #require(error.details)
      #expect(details.contains("bytes: "), "\(details)")
      #expect(details.utf8.count <= 2_000)
    }
  }

  @Test(.requirement("D9")) func `answers of a wrong form name what is wrong`() async throws {
    let number = "an error without a number of 64 bits as its code. "
    let flaws = [
      (
        #"{"jsonrpc":"2.0","error":"quota exceeded","id":%}"#,
        #"an error that is no object. 16 bytes: "quota exceeded""#
      ),
      (
        #"{"jsonrpc":"2.0","error":{"message":"code 1337"},"id":%}"#,
        number + #"23 bytes: {"message":"code 1337"}"#
      ),
      (
        #"{"jsonrpc":"2.0","error":{"code":1.5},"id":%}"#,
        number + #"12 bytes: {"code":1.5}"#
      ),
      (
        #"{"jsonrpc":"2.0","error":{"code":99999999999999999999},"id":%}"#,
        number + #"29 bytes: {"code":99999999999999999999}"#
      ),
      (#"{"jsonrpc":"2.0","id":%}"#, "neither a result nor an error"),
    ]
    for (answer, flaw) in flaws {
      let outcome = try await outcome(of: answer)
      #expect(outcome.connectionError?.reason == .unreadable)
      #expect(outcome.connectionError?.details == flaw)
    }
    // Nothing of it is shown that looks like a secret.
    let secret = try await outcome(
      of: #"{"error":"password=hunter2secret","jsonrpc":"2.0","id":%}"#)
    #expect(secret.connectionError?.details?.contains("hunter2secret") == false)
  }

  @Test func `what is only a little wrong is understood`() async throws {
    let answers = [
      #"{"result":1,"id":%}"#, #"{"jsonrpc":"2.0","result":1,"error":null,"id":%}"#,
      #"{"jsonrpc":"2.0","method":"a","result":1,"id":%}"#,
      #"{"jsonrpc":"2.0","result":1,"id":%.0}"#, "[{\"jsonrpc\":\"2.0\",\"result\":1,\"id\":%}]",
      "\u{feff}{\"jsonrpc\":\"2.0\",\"result\":1,\"id\":%,\"id\":%}",
    ]
    for answer in answers {
      #expect(try await outcome(of: answer).get() == .integer(1), "\(answer)")
    }
    let text = try await outcome(of: #"{"error":{"code":"-32601","string":"?"},"id":%}"#)
    #expect(text.serverError?.code == -32601)
    #expect(text.serverError?.message == "")
  }

  @Test func `secrets in what cannot be read are not told`() async throws {
    let outcome = try await outcome(of: "token=abcdefgh12345678 password: hunter22")
    let details = try #require(outcome.connectionError?.details)
    #expect(!details.contains("abcdefgh12345678"))
    #expect(!details.contains("hunter22"))
  }

  @Test func `text that is not UTF-8 ends the connection with 1007`() async throws {
    let server = try await WebSocketServer { connection in
      for await message in connection.messages {
        if connection.number == 0 {
          await connection.send(frame: .init(opcode: 1, [0x7b, 0xff, 0x7d]))
        } else {
          await connection.send(Service.echo(message.json ?? .null))
        }
      }
    }
    let client = try Service.client(server)
    let outcome = await client.outcome("a")
    #expect(outcome.connectionError?.reason == .unreadable)
    #expect(outcome.connectionError?.closeCode == 1007)
    #expect(outcome.connectionError?.details?.contains("3 bytes: ") == true)
    #expect(try await client.call("b") == .null)
  }

  @Test func `answers for nobody are counted, and harm no call`() async throws {
    let server = try await Service.answering { request in
      "[" + Service.echo(request) + "," + Service.echo(request)
        + #",{"jsonrpc":"2.0","result":1,"id":"nobody"}]"#
    }
    let client = try Service.client(server)
    var events = client.events.makeAsyncIterator()
    #expect(try await client.call("a", .array([])) == .array([]))
    var strays: [JSONRPCEvent.Stray] = []
    while strays.count < 2, let event = await events.following() {
      if case .ignored(let stray) = event { strays.append(stray) }
    }
    #expect(strays == [.duplicate, .unknown])
  }

  @Test(.requirement("D6", "T19")) func `an answer after the time of its call is late`()
    async throws
  {
    let server = try await WebSocketServer { connection in
      var held: [JSONValue] = []
      for await message in connection.messages {
        guard let request = message.json else { continue }
        if request["method"]?.string == "slow" {
          held.append(request)
        } else {
          for old in held { await connection.send(Service.echo(old)) }
          await connection.send(Service.result(.string("new"), to: request))
        }
      }
    }
    let client = try Service.client(server) { $0.isRepeatable = { $0 == "slow" } }
    // So that its time does not pass before it is sent.
    _ = try await client.call("warm")
    var events = client.events.makeAsyncIterator()
    var isSent = false
    // Where this machine stands still its time may be up before it is sent: once more then.
    while !isSent, !Task.isCancelled {
      let slow = await client.outcome("slow", timeout: .milliseconds(100))
      #expect(slow.connectionError?.reason == .timedOut)
      #expect(slow.error?.disposition == .transient())
      #expect(slow.error?.kind == .timeout)
      isSent = server.log.events.contains { event in
        guard case .received(_, let message) = event else { return false }
        return message.json?["method"]?.string == "slow"
      }
    }
    #expect(try await client.call("fast") == .string("new"))
    while let event = await events.following() {
      if case .ignored(let stray) = event {
        #expect(stray == .late)
        break
      }
    }
  }

  @Test func `a late answer is none to the next call, whatever id the late one had`()
    async throws
  {
    let server = try await WebSocketServer { connection in
      var held: [JSONValue] = []
      for await message in connection.messages {
        guard let request = message.json else { continue }
        if request["method"]?.string == "slow" {
          held.append(request)
        } else {
          for old in held { await connection.send(Service.result(.string("old"), to: old)) }
          held = []
          await connection.send(Service.result(.string("new"), to: request))
        }
      }
    }
    let client = try Service.client(server)
    // The number that the client would choose next.
    let slow = JSONRPCRequest("slow", id: JSONRPCID(1))
    let waiting = Task { await client.outcome(of: slow) }
    _ = await server.log.first { if case .received = $0 { true } else { false } }
    waiting.cancel()
    #expect(await waiting.value.error?.disposition == .cancelled)
    let again = JSONRPCRequest("again", id: JSONRPCID(1))
    #expect(await client.outcome(of: again).connectionError?.reason == .duplicateID)
    #expect(try await client.call("fast") == .string("new"))
    #expect(try await client.call(again) == .string("new"))
  }

  @Test(.requirement("T4", "T18")) func `a call that is stopped is a cancellation, and no more`()
    async throws
  {
    let server = try await WebSocketServer { connection in
      for await message in connection.messages {
        guard let request = message.json, request["method"]?.string == "b" else { continue }
        await connection.send(Service.echo(request))
      }
    }
    let client = try Service.client(server)
    let task = await client.begun("a")
    _ = await server.log.first { if case .received = $0 { true } else { false } }
    task.cancel()
    #expect(try await task.value.error?.disposition == .cancelled)
    #expect(try await client.call("b") == .null)
    #expect(client.status == .connected)
  }

  @Test func `a deadline around a call ends it`() async throws {
    let server = try await WebSocketServer { connection in await connection.ended() }
    let client = try Service.client(server)
    await #expect(throws: (any Error).self) {
      try await Deadline(.milliseconds(200)).run { _ = try await client.call("a") }
    }
  }

  @Test func `a client that nobody holds ends its connection`() async throws {
    let server = try await Service.answering(Service.echo)
    do {
      let client = try Service.client(server)
      _ = try await client.call("a")
    }
    await server.log.first { $0 == .ended(connection: 0) }
  }
}
