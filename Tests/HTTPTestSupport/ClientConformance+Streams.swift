// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayHTTP
internal import MainstayHTTPTesting
internal import Testing

// What holds for bodies that are read while they come.
extension ClientConformance {
  func largeStream() async throws {
    let length = tls == nil ? 20_000_000 : 4_000_000
    let server = try await server { _, _ in
      .reply(200, body: Data(repeating: 7, count: length))
    }
    let response = try await client(server.origin).stream(get())
    #expect(response.body.length == length)
    var count = 0
    for try await part in response.body { count += part.count }
    #expect(count == length)
  }

  func lastingStream() async throws {
    let gate = Gate()
    let server = try await ScriptedHTTPServer(tls: tls, http2: http2) { _, _ in
      var answer = ScriptedHTTPServer.Answer.reply(200, body: Data(repeating: 7, count: 100_000))
      answer.bodyGate = gate
      return answer
    }
    let body = try await body(of: server.origin)
    gate.open()
    #expect(try await body.collect(upTo: 200_000).bytes.count == 100_000)
    #expect(server.received.count == 1, "it is there until the end")
  }

  /// A body whose client nobody has any more.
  private func body(of origin: String) async throws -> HTTPByteStream {
    try await client(origin).stream(get()).body
  }

  func droppedStream() async throws {
    let server = try await server { _, _ in .endless(200, body: Data("[".utf8)) }
    let client = try client(server.origin)
    do {
      let response = try await client.stream(get())
      var parts = response.body.makeAsyncIterator()
      #expect(try await parts.next() == Data("[".utf8))
    }
    // A connection of HTTP/2 goes on for its other streams.
    if !http2 { await server.connectionEnded() }
  }

  func secondReader() async throws {
    let server = try await server { _, _ in .reply(200, body: Data(count: 200_000)) }
    let client = try client(server.origin)
    let change = ResilientClient.Request(.post, "/books")
    for (request, isWhole) in [(get(), false), (get(), true), (change, true)] {
      let body = try await client.stream(request).body
      for try await _ in body where !isWhole { break }
      for _ in 0..<2 {
        var again = body.makeAsyncIterator()
        let error = await #expect(throws: AppError.self) { try await again.next() }
        #expect(error?.disposition == .permanent)
        #expect(error?.details?.contains("read already") == true)
        await #expect(throws: AppError.self) { try await body.collect(upTo: 200_000) }
      }
    }
    // And so it is without a client, where it is read as a whole.
    let address = try #require(URL(string: server.origin))
    let transport = transport()
    let reply = try await transport.send(HTTPTransmission(.get, address))
    #expect(try await reply.body.collect(upTo: 200_000).bytes.count == 200_000)
    await #expect(throws: AppError.self) { try await reply.body.collect(upTo: 200_000) }
  }
}
