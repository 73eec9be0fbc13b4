// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import InventoryUpstream
import Testing

/// What a restart keeps.
@Suite struct JournalTests {
  private let address = "/twins/\(twin)"

  /// Lets a service run over a folder and stop.
  private func run<Value: Sendable>(
    _ folder: TemporaryFolder, _ test: @Sendable (Client) async throws -> Value
  ) async throws -> Value {
    try await Service(data: folder.url).inMemory(test)
  }

  @Test func `a restart keeps twins, tombstones, effects, cursors and the ledger`() async throws {
    let folder = try TemporaryFolder()
    let before = try await run(folder) { client in
      _ = try await client.send(.put, address, key: "1", emma)
      _ = try await client.send(.put, address, key: "1", emma)
      _ = try await client.send(.put, "/twins/\(otherTwin)", key: "2", emma)
      _ = try await client.send(.delete, "/twins/\(otherTwin)", key: "3")
      return (try await client.get("/twins"), try await client.ledger())
    }
    try await run(folder) { client in
      #expect(try await client.get("/twins").bytes == before.0.bytes)
      let ledger = try await client.ledger()
      #expect(ledger.applied == before.1.applied)
      #expect(ledger.applied.map(\.replayed) == [1, 0, 0])
      #expect(ledger.requests.starts(with: before.1.requests))
      let again = try await client.send(.put, address, key: "1", emma)
      #expect(again.status == 201 && again.headers[.idempotentReplayed] == "true")
      #expect(try await client.get("/effects/3").status == 200)
      #expect(try await client.send(.put, address, key: "4", emma).headers[.eTag] == "\"2\"")
    }
  }

  @Test func `a deletion leaves no file of a photo`() async throws {
    let folder = try TemporaryFolder()
    let photos = folder.url.appending(path: "photos").path
    try await run(folder) { client in
      _ = try await client.send(.put, address, key: "1", emma)
      let image: HTTPFields = [.contentType: "image/png"]
      _ = try await client.send(
        .put, "\(address)/photo", key: "2", headers: image, bytes: [1, 2, 3])
      let part: HTTPFields = [.contentType: "image/png", .contentRange: "bytes 0-1/4"]
      _ = try await client.send(.put, "\(address)/photo", key: "3", headers: part, bytes: [1, 2])
      #expect(try FileManager.default.contentsOfDirectory(atPath: photos).count == 2)
      _ = try await client.send(.delete, address, key: "4")
      #expect(try FileManager.default.contentsOfDirectory(atPath: photos).isEmpty)
    }
  }

  @Test func `a line that a kill cut short is dropped`() async throws {
    let folder = try TemporaryFolder()
    try await run(folder) { _ = try await $0.send(.put, address, key: "1", emma) }
    let whole = try Data(contentsOf: folder.journal)
    for torn in ["{", #"{"applied":{"effect":{"appl"#, "\u{0}"] {
      try (whole + Data(torn.utf8)).write(to: folder.journal)
      // The second time shows that what was written after the torn line can be read.
      for _ in 0..<2 {
        let answer = try await run(folder) { try await $0.get(address) }
        #expect(answer.headers[.eTag] == "\"1\"")
      }
      let lines = try String(contentsOf: folder.journal, encoding: .utf8)
      #expect(lines.hasPrefix(String(decoding: whole, as: UTF8.self)) && lines.hasSuffix("\n"))
    }
  }

  @Test func `a write whose line was cut short never happened`() async throws {
    let folder = try TemporaryFolder()
    try await run(folder) { _ = try await $0.send(.put, address, key: "1", emma) }
    let whole = try Data(contentsOf: folder.journal)
    // Wherever the kill came, the service starts, and the write was either made or not.
    for length in stride(from: 0, through: whole.count, by: 7) {
      try whole.prefix(length).write(to: folder.journal)
      try await run(folder) { client in
        let effect = try await client.get("/effects/1").status
        #expect(try await client.get(address).status == effect)
        #expect(try await client.send(.put, address, key: "1", emma).status == 201)
        #expect(try await client.get(address).headers[.eTag] == "\"1\"")
      }
    }
  }

  @Test func `damage before the last line is reported with its line`() async throws {
    let folder = try TemporaryFolder()
    try await run(folder) { _ = try await $0.send(.put, address, key: "1", emma) }
    let lines = try String(contentsOf: folder.journal, encoding: .utf8)
    try lines.replacing("received", with: "recieved").write(
      to: folder.journal, atomically: true, encoding: .utf8)
    let failure = #expect(throws: StartFailure.self) { try Service(data: folder.url) }
    #expect(failure?.description.hasSuffix("journal.jsonl is damaged in line 2.") == true)
  }

  @Test func `a folder is for one process at a time`() async throws {
    let folder = try TemporaryFolder()
    let first = try Service(data: folder.url)
    let failure = #expect(throws: StartFailure.self) { try Service(data: folder.url) }
    #expect(failure?.description.hasSuffix("is used by another process.") == true)
    #expect(try await first.inMemory { try await $0.get("/twins").status } == 200)
  }

  @Test func `a folder that cannot be used is a sentence`() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "file")
    try Data().write(to: file)
    for url in [file, file.appending(path: "below")] {
      let failure = #expect(throws: StartFailure.self) { try Service(data: url) }
      #expect(failure?.description.hasPrefix("The ") == true)
    }
    try FileManager.default.createDirectory(at: folder.journal, withIntermediateDirectories: true)
    let failure = #expect(throws: StartFailure.self) { try Service(data: folder.url) }
    #expect(failure?.description.contains("cannot be opened: ") == true)
  }

  @Test func `an upload goes on after a restart, and photos stay`() async throws {
    let folder = try TemporaryFolder()
    let photo = address + "/photo"
    let bytes = (0..<9_000).map { UInt8(truncatingIfNeeded: $0) }
    @Sendable func send(_ client: Client, _ range: Range<Int>) async throws -> Answer {
      let text = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"
      return try await client.send(
        .put, photo, key: "p", headers: [.contentType: "image/png", .contentRange: text],
        bytes: Array(bytes[range]))
    }
    try await run(folder) { client in
      _ = try await client.send(.put, address, key: "1", emma)
      #expect(try await send(client, 0..<4_000).status == 202)
    }
    try await run(folder) { client in
      let gap = try await send(client, 8_000..<9_000)
      #expect(try gap.document(UploadProgress.self).received == 4_000)
      #expect(try await send(client, 3_000..<9_000).status == 201)
    }
    try await run(folder) { client in
      #expect(try await client.get(photo).bytes == bytes)
      #expect(try await send(client, 3_000..<9_000).headers[.idempotentReplayed] == "true")
      let other = try await client.send(
        .put, photo, key: "q", headers: [.contentType: "image/gif"], bytes: [7])
      #expect(other.status == 200)
    }
    let answer = try await run(folder) { try await $0.get(photo) }
    #expect(answer.bytes == [7])
    let files = try FileManager.default.contentsOfDirectory(
      atPath: folder.url.appending(path: "photos").path)
    #expect(files.count == 1)
  }

  @Test func `without permission for control only writes are written down`() async throws {
    let folder = try TemporaryFolder()
    try await Service(data: folder.url, isControlAllowed: false).inMemory { client in
      for _ in 0..<3 { _ = try await client.get("/twins") }
      _ = try await client.send(.put, address, key: "1", emma)
    }
    try await run(folder) { client in
      let ledger = try await client.ledger()
      #expect(ledger.requests.map(\.key) == ["1"])
      #expect(ledger.applied.map(\.received) == [1])
    }
  }
}
