// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import InventoryUpstream
import Testing

@Suite struct PhotoTests {
  private let address = "/twins/\(twin)/photo"
  private let picture = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

  private func part(_ range: Range<Int>?, of total: Int) -> HTTPFields {
    let bytes = range.map { "\($0.lowerBound)-\($0.upperBound - 1)" } ?? "*"
    return [.contentType: "image/png", .contentRange: "bytes \(bytes)/\(total)"]
  }

  private func send(
    _ client: Client, _ range: Range<Int>?, key: String = "p"
  ) async throws -> Answer {
    try await client.send(
      .put, address, key: key, headers: part(range, of: picture.count),
      bytes: range.map { Array(picture[$0]) } ?? [])
  }

  /// A service that has the twin.
  private func service() async throws -> Service {
    let service = try Service()
    _ = try await service.inMemory { try await $0.send(.put, "/twins/\(twin)", key: "t", emma) }
    return service
  }

  @Test func `a whole photo is stored at once`() async throws {
    try await service().inMemory { client in
      #expect(try await client.get(address).problem().status == 404)
      let headers: HTTPFields = [.contentType: "image/png"]
      let made = try await client.send(.put, address, key: "p", headers: headers, bytes: picture)
      #expect(made.status == 201)
      let photo: Photo = try made.document()
      #expect(photo.twin == twin && photo.type == "image/png" && photo.size == picture.count)
      #expect(photo.bodyHash == BodyHash(of: picture))
      #expect(made.headers[.eTag] == "\"\(photo.bodyHash.text)\"")

      let read = try await client.get(address)
      #expect(read.bytes == picture && read.headers[.contentType] == "image/png")
      let again = try await client.send(.put, address, key: "p", headers: headers, bytes: picture)
      #expect(again.status == 201 && again.headers[.idempotentReplayed] == "true")
      let other = try await client.send(.put, address, key: "p", headers: headers, bytes: [1, 2])
      #expect(other.status == 422)
      let replaced = try await client.send(.put, address, key: "q", headers: headers, bytes: [1])
      #expect(replaced.status == 200)
      #expect(try await client.get(address).bytes == [1])
      // The version of the twin is that of its fields.
      #expect(try await client.get("/twins/\(twin)").headers[.eTag] == "\"1\"")
    }
  }

  @Test func `parts are 202 with what is here, and the last completes the photo`() async throws {
    try await service().inMemory { client in
      let first = try await send(client, 0..<40_000)
      #expect(first.status == 202 && first.headers[.range] == "bytes=0-39999")
      let progress = UploadProgress(twin: twin, received: 40_000, total: picture.count)
      #expect(try first.document(UploadProgress.self) == progress)
      #expect(try await client.get("/effects/p").status == 404)

      let asked = try await send(client, nil)
      #expect(asked.status == 202)
      #expect(try asked.document(UploadProgress.self) == progress)

      // A part that was sent before is taken again, and may reach further.
      #expect(
        try await send(client, 20_000..<60_000).document(UploadProgress.self).received == 60_000)
      let last = try await send(client, 60_000..<picture.count)
      #expect(last.status == 201)
      #expect(try await client.get(address).bytes == picture)
      let effect: Effect = try await client.get("/effects/p").document()
      #expect(effect.operation == .photo && effect.photo?.size == picture.count)
      let again = try await send(client, 60_000..<picture.count)
      #expect(again.status == 201 && again.headers[.idempotentReplayed] == "true")
      #expect(try await send(client, nil).status == 201)
    }
  }

  @Test func `a part behind a gap is not taken`() async throws {
    try await service().inMemory { client in
      let nothing = try await send(client, 50_000..<60_000)
      #expect(nothing.status == 202 && nothing.headers[.range] == nil)
      #expect(try nothing.document(UploadProgress.self).received == 0)
      _ = try await send(client, 0..<10_000)
      let gap = try await send(client, 50_000..<60_000)
      #expect(try gap.document(UploadProgress.self).received == 10_000)
    }
  }

  @Test func `another key begins another upload`() async throws {
    try await service().inMemory { client async throws in
      _ = try await send(client, 0..<10_000)
      let other = try await send(client, 10_000..<20_000, key: "q")
      #expect(try other.document(UploadProgress.self).received == 0)
      #expect(try await send(client, nil).document(UploadProgress.self).received == 10_000)
      _ = try await send(client, 0..<5, key: "q")
      #expect(try await send(client, nil).document(UploadProgress.self).received == 0)
    }
  }

  @Test func `an upload may not change its size on the way`() async throws {
    try await service().inMemory { client async throws in
      _ = try await send(client, 0..<10_000)
      let answer = try await client.send(
        .put, address, key: "p", headers: part(10_000..<10_001, of: 10_001), bytes: [1])
      #expect(answer.status == 422)
    }
  }

  @Test(arguments: [
    ("bytes 0-1/3", 3), ("bytes 1-0/3", 2), ("bytes 0-3/3", 4), ("bytes 0-1", 2), ("0-1/3", 2),
    ("bytes a-b/3", 1), ("bytes 0-1/x", 2), ("bytes */0", 0), ("bytes -1-1/3", 2),
    ("bytes 0-99999999999999999999/3", 1), ("bytes */3", 1),
  ])
  func `a range that is none is 400`(range: String, length: Int) async throws {
    try await service().inMemory { client async throws in
      let headers: HTTPFields = [.contentType: "image/png", .contentRange: range]
      let bytes = [UInt8](repeating: 1, count: length)
      let answer = try await client.send(.put, address, key: "p", headers: headers, bytes: bytes)
      #expect(answer.status == 400)
      #expect(try answer.problem().type.hasSuffix("/bad-header"))
    }
  }

  @Test func `what is no photo is refused`() async throws {
    try await service().inMemory { client async throws in
      let text: HTTPFields = [.contentType: "text/plain"]
      let image: HTTPFields = [.contentType: "image/png"]
      #expect(
        try await client.send(.put, address, key: "p", headers: text, bytes: [1]).problem().status
          == 415)
      #expect(try await client.send(.put, address, key: "p", bytes: [1]).problem().status == 415)
      #expect(
        try await client.send(.put, address, key: "p", headers: image, bytes: []).problem().status
          == 400)
      let nobody = "/twins/\(otherTwin)/photo"
      #expect(
        try await client.send(.put, nobody, key: "p", headers: image, bytes: [1]).problem().status
          == 404)
    }
  }

  @Test func `more than 10 MB is 413`() async throws {
    let limit = 10 * 1024 * 1024
    try await service().inMemory { client in
      let announced = try await client.send(
        .put, address, key: "p", headers: part(0..<1, of: limit + 1), bytes: [1])
      #expect(try announced.problem().status == 413)
      let sent = try await client.send(
        .put, address, key: "p", headers: [.contentType: "image/png"],
        bytes: [UInt8](repeating: 0, count: limit + 1))
      #expect(try sent.problem().status == 413)
    }
  }

  @Test func `a photo goes with its twin`() async throws {
    try await service().inMemory { client in
      _ = try await client.send(
        .put, address, key: "p", headers: [.contentType: "image/png"], bytes: [1])
      _ = try await client.send(.delete, "/twins/\(twin)", key: "d")
      #expect(try await client.get(address).status == 404)
      _ = try await client.send(.put, "/twins/\(twin)", key: "n", emma)
      #expect(try await client.get(address).status == 404)
    }
  }

  @Test func `a photo may come in chunks of unannounced length`() async throws {
    try await service().live { client in
      let chunks = stride(from: 0, to: picture.count, by: 30_000).map {
        Array(picture[$0..<min($0 + 30_000, picture.count)])
      }
      let request = Wire.chunked(
        "PUT \(address)", ["Idempotency-Key: p", "Content-Type: image/png"], chunks)
      let port = try client.port()
      let answer = String(decoding: try await Wire.exchange(request, port: port), as: UTF8.self)
      #expect(answer.hasPrefix("HTTP/1.1 201 "))
      #expect(try await client.get(address).bytes == picture)
    }
  }
}
