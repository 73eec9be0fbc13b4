// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTestSupport
import Mainstay
import MainstayHTTP
import TestSupport
import Testing

/// Files as bodies over URLSession, which takes them from where they are.
@Suite(.ends(withinMinutes: 5)) struct URLSessionFileTests {
  private static let folder = FileManager.default.temporaryDirectory

  /// A length that no other test has.
  private static let length = 1_234_577

  private static func file(_ bytes: Data) throws -> URL {
    let file = folder.appendingPathComponent("upload-\(UUID().uuidString)")
    try bytes.write(to: file)
    return file
  }

  /// A client without limits and waits, which tries once.
  private static func client(of server: LoopbackServer) throws -> ResilientClient {
    let address = try #require(URL(string: server.origin))
    return ResilientClient("uploads", at: address) { _ in
      Pipeline("uploads") { Retry(maximumAttempts: 1) }
    }
  }

  /// How many copies of such a body there are.
  private static func copies() -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { name in
      let path = folder.appendingPathComponent(name).path
      let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
      return name.hasPrefix("mainstay-body-") && size?.intValue == length
    }.count
  }

  @Test func `a file is sent from where it is, and no copy is made of it`() async throws {
    let copies = Locked<[Int]>([])
    let server = try await LoopbackServer { _, _ in
      let count = Self.copies()
      copies.withLock { $0.append(count) }
      return .reply(201)
    }
    let bytes = Data((0..<Self.length).map { UInt8(truncatingIfNeeded: $0 / 7) })
    let file = try Self.file(bytes)
    let link = Self.folder.appendingPathComponent("link-\(UUID().uuidString)")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    defer { for url in [link, file] { try? FileManager.default.removeItem(at: url) } }
    let books = try Self.client(of: server)
    for url in [file, link] {
      _ = try await books.send(ResilientClient.Request(.post, "/a", body: .file(url)))
    }
    #expect(server.received.map(\.body) == [bytes, bytes])
    #expect(copies.withLock { $0 } == [0, 0])
    #expect(try Data(contentsOf: file) == bytes, "it is still there")
  }

  @Test func `an empty file is sent as nothing`() async throws {
    let server = try await LoopbackServer { _, _ in .reply(201) }
    let file = try Self.file(Data())
    defer { try? FileManager.default.removeItem(at: file) }
    let books = try Self.client(of: server)
    _ = try await books.send(ResilientClient.Request(.post, "/a", body: .file(file)))
    #expect(server.received.map(\.body) == [Data()])
  }

  @Test(arguments: [nil, IdempotencyKey("one")])
  func `of a file that changes while it is sent nobody knows what has arrived`(
    _ key: IdempotencyKey?
  ) async throws {
    let file = try Self.file(Data("first".utf8))
    defer { try? FileManager.default.removeItem(at: file) }
    let server = try await LoopbackServer { _, _ in
      try? Data("another".utf8).write(to: file)
      return .reply(201)
    }
    let books = try Self.client(of: server)
    let request = ResilientClient.Request(.post, "/a", body: .file(file), key: key)
    let error = await #expect(throws: AppError.self) { try await books.send(request) }
    #expect(error?.details?.contains("The file has changed") == true)
    #expect(error?.mayHaveBeenSent == true)
    #expect(error?.disposition == (key == nil ? .unknownOutcome : .permanent))
    #expect(server.received.count == 1)
  }

  @Test(arguments: [false, true])
  func `a file that is removed or replaced once it has gone takes nothing from the answer`(
    isReplaced: Bool
  ) async throws {
    let bytes = Data((0..<Self.length).map { UInt8(truncatingIfNeeded: $0 / 7) })
    let file = try Self.file(bytes)
    defer { try? FileManager.default.removeItem(at: file) }
    let server = try await LoopbackServer { _, _ in
      if isReplaced {
        try? Data("another".utf8).write(to: file, options: .atomic)
      } else {
        try? FileManager.default.removeItem(at: file)
      }
      return .reply(201)
    }
    let books = try Self.client(of: server)
    let request = ResilientClient.Request(.post, "/a", body: .file(file))
    #expect(try await books.send(request).status == 201)
    #expect(server.received.map(\.body) == [bytes])
    #expect(FileManager.default.fileExists(atPath: file.path) == isReplaced)
  }

  @Test func `a connection that is lost is told as that, though the file is gone`() async throws {
    let file = try Self.file(Data("first".utf8))
    let server = try await LoopbackServer { _, _ in
      try? FileManager.default.removeItem(at: file)
      return .hangUp
    }
    let books = try Self.client(of: server)
    let request = ResilientClient.Request(.post, "/a", body: .file(file))
    let error = await #expect(throws: AppError.self) { try await books.send(request) }
    #expect(error?.kind == .network, "\(String(describing: error))")
    #expect(error?.disposition == .unknownOutcome)
    #expect(server.received.count == 1)
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test func `a folder is no body, and nothing is sent`() async throws {
    let server = try await LoopbackServer { _, _ in .reply(201) }
    let folder = Self.folder.appendingPathComponent("folder-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let books = try Self.client(of: server)
    let error = await #expect(throws: AppError.self) {
      try await books.send(ResilientClient.Request(.post, "/a", body: .file(folder)))
    }
    #expect(error?.mayHaveBeenSent == false)
    #expect(server.received.isEmpty)
  }
}
