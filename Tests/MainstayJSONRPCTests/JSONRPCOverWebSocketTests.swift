// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayHTTPTesting
import MainstayJSONRPC
import TestSupport
import Testing

/// Calls over a real WebSocket that behaves.
@Suite(.ends(withinMinutes: 3)) struct JSONRPCOverWebSocketTests {
  @Test func `a call is answered, numbers with all their digits`() async throws {
    let server = try await Service.answering(Service.echo)
    let client = try Service.client(server)
    let number = try #require(JSONValue.Number("-10012092782934149947"))
    let params = JSONValue.array([.number(number), .string("ä")])
    #expect(try await client.call("echo", params) == params)
    let read = try await client.call("echo", .array([.integer(7)]), as: [UInt8].self)
    #expect(read == [7])
    let error = await #expect(throws: AppError.self) {
      _ = try await client.call("echo", .array([.integer(300)]), as: [UInt8].self)
    }
    #expect(error?.kind == .decoding)
    #expect(error?.cause(as: JSONValue.ReadingError.self)?.pointer == "/0")
    #expect(client.status == .connected)
  }

  @Test func `answers come in any order, and each finds its call`() async throws {
    let server = try await WebSocketServer { connection in
      var requests: [JSONValue] = []
      for await message in connection.messages {
        requests.append(message.json ?? .null)
        guard requests.count == 20 else { continue }
        for request in requests.reversed() { await connection.send(Service.echo(request)) }
      }
    }
    let client = try Service.client(server)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<20 {
        group.addTask {
          try await client.call("echo", .array([.integer(number)])) == .array([.integer(number)])
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }

  @Test func `only so many calls are on their way`() async throws {
    let server = try await WebSocketServer { connection in
      var open: [JSONValue] = []
      for await message in connection.messages {
        open.append(message.json ?? .null)
        // With two on their way there is never a third.
        guard open.count == 2 else { continue }
        for request in open { await connection.send(Service.echo(request)) }
        open = []
      }
    }
    let client = try Service.client(server) { options in
      options.maximumInFlight = 2
      options.maximumWaiting = 10
    }
    let tasks = await started(10) { _ in await client.outcome("a") }
    for task in tasks { #expect(try await task.value.error == nil) }
    #expect(server.log.events.count { if case .received = $0 { true } else { false } } == 10)
  }

  @Test func `a call beyond those that may wait is refused at once`() async throws {
    let server = try await WebSocketServer { connection in await connection.ended() }
    let client = try Service.client(server) { options in
      options.maximumInFlight = 1
      options.maximumWaiting = 1
    }
    let first = await client.begun("first")
    _ = await server.log.first { if case .received = $0 { true } else { false } }
    let second = await client.begun("second")
    let third = await client.outcome("third")
    #expect(third.error?.disposition == .rejected())
    #expect(third.connectionError?.reason == .full)
    client.close()
    #expect(try await first.value.error?.disposition == .unknownOutcome)
    #expect(try await second.value.connectionError?.reason == .closed)
    #expect(try await second.value.error?.disposition == .cancelled)
    #expect(await client.outcome("late").connectionError?.reason == .closed)
  }

  @Test func `ids may be any value of JSON, but not one that is in use`() async throws {
    let server = try await Service.answering(Service.echo)
    let client = try Service.client(server)
    let ids: [JSONRPCID] = [
      .string("a"), .null, JSONRPCID(7), .other(.array([.bool(true)])),
      .other(.object(["x": .null])), JSONRPCID(JSONValue.integer(-1)),
    ]
    for id in ids {
      let request = JSONRPCRequest("echo", .array([id.value]), id: id)
      #expect(try await client.call(request) == .array([id.value]))
    }
    let twins = [JSONRPCRequest("a", id: .string("x")), JSONRPCRequest("b", id: .string("x"))]
    for outcome in await client.batch(twins) {
      #expect(outcome.connectionError?.reason == .duplicateID)
    }
  }

  @Test func `an id is the same however it is written`() async throws {
    let server = try await Service.answering(Service.echo)
    let client = try Service.client(server)
    func number(_ text: String) throws -> JSONRPCID {
      .number(try #require(JSONValue.Number(text)))
    }
    let twins: [(JSONRPCID, JSONRPCID)] = [
      (try number("7.0"), JSONRPCID(7)), (try number("1e2"), JSONRPCID(100)),
      (.other(.string("a")), .string("a")), (.other(.null), .null),
      (.other(.integer(9)), JSONRPCID(9)),
    ]
    for (left, right) in twins {
      #expect(left == right)
      #expect(Set([left, right]).count == 1)
      for id in [left, right] {
        #expect(try await client.call(JSONRPCRequest("echo", .array([]), id: id)) == .array([]))
      }
      for outcome in await client.batch([.init("a", id: left), .init("b", id: right)]) {
        #expect(outcome.connectionError?.reason == .duplicateID)
      }
    }
    #expect(try number("7.5") != JSONRPCID(7))
    #expect(JSONRPCID.string("7") != JSONRPCID(7))
  }

  @Test func `a number that the client chooses is none that stands in the same batch`()
    async throws
  {
    let server = try await WebSocketServer { connection in
      for await message in connection.messages {
        let answers = (message.json?.array ?? []).map(Service.echo)
        await connection.send("[\(answers.joined(separator: ","))]")
      }
    }
    let client = try Service.client(server)
    let outcomes = await client.batch([
      JSONRPCRequest("a", .array([.integer(0)]), id: JSONRPCID(1)),
      JSONRPCRequest("b", .array([.integer(1)])),
      JSONRPCRequest("c", .array([.integer(2)]), id: JSONRPCID(2)),
    ])
    for (number, outcome) in outcomes.enumerated() {
      #expect(try outcome.get() == .array([.integer(number)]))
    }
  }

  @Test func `a request that is none is not sent`() async throws {
    let server = try await Service.answering(Service.echo)
    let client = try Service.client(server)
    #expect(await client.outcome("").connectionError?.reason == .unsendable)
    let text = await client.outcome("a", .string("b"))
    #expect(text.error?.kind == .defect)
    #expect(text.error?.mayHaveBeenSent == false)
    #expect(server.log.events.isEmpty)
  }

  @Test func `notifications are sent, and batches with them`() async throws {
    let server = try await WebSocketServer { connection in
      for await message in connection.messages {
        guard let calls = message.json?.array else { continue }
        let answers = calls.filter { $0["id"] != nil }.reversed().map(Service.echo)
        await connection.send("[\(answers.joined(separator: ","))]")
      }
    }
    let client = try Service.client(server)
    try await client.notify("hello")
    let outcomes = await client.batch([
      JSONRPCRequest("a", .array([.integer(1)])),
      JSONRPCRequest("b", isNotification: true),
      JSONRPCRequest("c", .array([.integer(2)])),
    ])
    #expect(try outcomes[0].get() == .array([.integer(1)]))
    #expect(try outcomes[1].get() == .null)
    #expect(try outcomes[2].get() == .array([.integer(2)]))
    #expect(await client.batch([]).isEmpty)
    let first = server.log.events.lazy.compactMap { event -> JSONValue? in
      if case .received(_, let message) = event { message.json } else { nil }
    }.first
    #expect(first == .object(["jsonrpc": .string("2.0"), "method": .string("hello")]))
  }

  @Test func `a server that refuses batches refuses each call of one`() async throws {
    let server = try await WebSocketServer { connection in
      for await _ in connection.messages {
        await connection.send(
          #"{"jsonrpc":"2.0","error":{"code":-32600,"message":"no batches"},"id":null}"#)
      }
    }
    let client = try Service.client(server)
    let outcomes = await client.batch([JSONRPCRequest("a"), JSONRPCRequest("b")])
    #expect(outcomes.map { $0.serverError?.code } == [-32600, -32600])
    #expect(outcomes.map { $0.serverError?.method } == ["a", "b"])
    #expect(outcomes[0].error?.code == "rpc.32600")
  }

  @Test func `an error without an id in a batch takes nothing from calls that are answered`()
    async throws
  {
    let server = try await WebSocketServer { connection in
      for await message in connection.messages {
        guard let calls = message.json?.array else { continue }
        let error = #"{"jsonrpc":"2.0","error":{"code":-32600,"message":"?"},"id":null}"#
        await connection.send("[\(error),\(Service.echo(calls[1]))]")
      }
    }
    let client = try Service.client(server)
    // It is about the batch, whatever else is on its way.
    let other = await client.begun("open")
    let outcomes = await client.batch([
      JSONRPCRequest("a"), JSONRPCRequest("b", .array([.integer(1)])),
    ])
    #expect(outcomes[0].serverError?.code == -32600)
    #expect(try outcomes[1].get() == .array([.integer(1)]))
    client.close()
    #expect(try await other.value.connectionError?.reason == .closed)
  }

  @Test func `a batch that is answered in part says so`() async throws {
    let server = try await WebSocketServer { connection in
      for await message in connection.messages {
        guard let calls = message.json?.array else { continue }
        await connection.send("[\(Service.echo(calls[0]))]")
      }
    }
    let client = try Service.client(server)
    let outcomes = await client.batch([JSONRPCRequest("a"), JSONRPCRequest("b")])
    #expect(outcomes[0].error == nil)
    #expect(outcomes[1].connectionError?.reason == .missing)
    #expect(outcomes[1].error?.disposition == .unknownOutcome)
  }

  @Test func `a server may speak first, and may ask`() async throws {
    let server = try await WebSocketServer { connection in
      await connection.send(#"{"jsonrpc":"2.0","method":"news","params":[1]}"#)
      await connection.send(#"{"jsonrpc":"2.0","method":"who","id":"q"}"#)
      for await message in connection.messages {
        guard let value = message.json, value["method"] != nil else { continue }
        await connection.send(Service.echo(value))
      }
    }
    let client = try Service.client(server)
    var pushes = client.pushes.makeAsyncIterator()
    _ = try await client.call("a")
    #expect(await pushes.following() == JSONRPCPush(method: "news", params: .array([.integer(1)])))
    #expect(await pushes.following() == JSONRPCPush(method: "who", id: .string("q")))
    let reply = await server.log.first { event in
      guard case .received(_, let message) = event else { return false }
      return message.json?["error"]?["code"]?.integer == -32601
    }
    #expect(reply != nil)
  }

  @Test(.requirement("D6")) func `a long answer over a slow line is waited for`() async throws {
    let text = String(repeating: "x", count: 100_000)
    let server = try await WebSocketServer { connection in
      for await message in connection.messages {
        await connection.send(Service.result(.string(text), to: message.json ?? .null))
      }
    }
    // One frame takes five seconds, five times as long as silence may last.
    let proxy = try await FaultProxy(to: server.port) { _ in .throughput(bytesPerSecond: 20_000) }
    var options = JSONRPCClient.Options()
    options.timeout = .patience
    options.webSocket.openTimeout = .patience
    options.webSocket.pingInterval = .milliseconds(500)
    options.webSocket.pongTimeout = .milliseconds(500)
    let client = try JSONRPCClient(
      webSocket: Service.address("ws://127.0.0.1:\(proxy.port)/"), options: options)
    // Where this machine stands still for as long, the connection is rightly lost: once more then.
    // One that took a long frame for silence would get no answer ever.
    var answer: JSONValue?
    repeat { answer = try? await client.call("a") } while answer == nil && !Task.isCancelled
    #expect(answer == .string(text))
    client.close()
  }

  @Test func `long messages go both ways, in fragments and in binary frames`() async throws {
    let server = try await WebSocketServer { connection in
      for await message in connection.messages {
        guard let value = message.json else { continue }
        let text = Service.echo(value)
        if value["method"]?.string == "parts" {
          await connection.send(text, inFragmentsOf: 1_001)
        } else {
          await connection.send(Array(text.utf8))
        }
      }
    }
    let client = try Service.client(server)
    let params = JSONValue.array([.string(String(repeating: "aä€😀", count: 50_000))])
    #expect(try await client.call("parts", params) == params)
    #expect(try await client.call("bytes", params) == params)
    #expect(!server.log.events.contains { if case .violated = $0 { true } else { false } })
  }

  @Test func `path, query, header fields and subprotocol are asked for`() async throws {
    let server = try await WebSocketServer(
      receive: { request in
        request.target == "/v1?x=%20" && request["Authorization"] == "Bearer t"
          && request["Sec-WebSocket-Protocol"] == "jsonrpc"
          ? .accept(subprotocol: "jsonrpc") : .refuse(status: 400)
      }
    ) { connection in
      for await message in connection.messages {
        guard let value = message.json else { continue }
        await connection.send(Service.echo(value))
      }
    }
    let client = try Service.client(server, path: "/v1?x=%20") { options in
      options.headers = ["Authorization": "Bearer t"]
      options.webSocket.subprotocol = "jsonrpc"
    }
    #expect(try await client.call("a") == .null)
  }

  @Test(.requirement("D28", "D35")) func `events tell what happens, and no payload`() async throws {
    let server = try await WebSocketServer { connection in
      for await message in connection.messages {
        guard let value = message.json else { continue }
        let isWrong = value["method"]?.string == "wrong"
        await connection.send(
          isWrong ? Service.error(7, "no", to: value) : Service.echo(value))
      }
    }
    let client = try Service.client(server)
    let events = client.events
    _ = try await client.call("right", .array([.string("secret")]))
    _ = await client.outcome("wrong")
    client.close()
    var lines: [String] = []
    for await event in events {
      lines.append(event.name)
      #expect(!"\(event.metadata)".contains("secret"))
    }
    #expect(
      lines == [
        "connected", "requested", "answered", "requested", "failed",
      ])
  }
}
