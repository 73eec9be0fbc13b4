// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 2)) struct StateSavingTests {
  private struct Cart: Codable, Sendable, Equatable {
    var lines: [String] = []
  }

  /// Refuses what it reads with an error of its own.
  private struct Money: Codable, Sendable, Equatable {
    struct Negative: Error {}

    var cents = 0

    init() {}

    init(from decoder: any Decoder) throws {
      cents = try decoder.singleValueContainer().decode(Int.self)
      guard cents >= 0 else { throw Negative() }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(cents)
    }
  }

  private static let few = StateClient<Cart>.Invariant("there are few lines") { $0.lines.count < 5 }

  /// Gives a place for a file, and tidies up.
  private func withFile(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "state-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder.appending(path: "cart.json"))
  }

  @Test func `the newest state is there after a restart, with its version`() async throws {
    try await withFile { url in
      let (first, opening) = try await StateClient.open("cart", keptIn: url, or: Cart())
      guard case .new = opening else { return _ = #expect(Bool(false), "\(opening)") }
      for number in 1...40 { try await first.update { $0.lines = ["line \(number)"] } }
      try await first.save()
      let (second, again) = try await StateClient.open("cart", keptIn: url, or: Cart())
      guard case .restored = again else { return _ = #expect(Bool(false), "\(again)") }
      let snapshot = await second.snapshot
      #expect(snapshot == Snapshot(version: 40, state: Cart(lines: ["line 40"])))
      #expect(await second.knownGood == snapshot)
      try await second.update { $0.lines.append("more") }
      #expect(await second.snapshot.version == 41)
      try await second.save()
    }
  }

  @Test(arguments: ["", "{", "[1]", #"{"format":1,"version":2}"#, "\u{0}\u{1}"])
  func `a damaged file is set aside, never deleted`(text: String) async throws {
    try await withFile { url in
      try Data(text.utf8).write(to: url)
      let (client, opening) = try await StateClient.open("cart", keptIn: url, or: Cart())
      guard case .setAside(let place, let error) = opening else {
        return _ = #expect(Bool(false), "\(opening)")
      }
      #expect(try Data(contentsOf: place) == Data(text.utf8))
      #expect(!error.isCancellation && !FileManager.default.fileExists(atPath: url.path))
      #expect(await client.snapshot == Snapshot(version: 0, state: Cart()))
      try await client.save()
      #expect(FileManager.default.fileExists(atPath: url.path))
    }
  }

  @Test func `a kept state that its own type refuses is set aside too`() async throws {
    try await withFile { url in
      let text = #"{"format":1,"version":3,"state":-5}"#
      try Data(text.utf8).write(to: url)
      let (client, opening) = try await StateClient.open("wallet", keptIn: url, or: Money())
      guard case .setAside(let place, let error) = opening else {
        return _ = #expect(Bool(false), "\(opening)")
      }
      #expect(error.cause(as: Money.Negative.self) != nil)
      #expect(try Data(contentsOf: place) == Data(text.utf8))
      #expect(await client.snapshot == Snapshot(version: 0, state: Money()))
    }
  }

  @Test func `a kept state that breaks an invariant is set aside too`() async throws {
    try await withFile { url in
      let (first, _) = try await StateClient.open("cart", keptIn: url, or: Cart())
      try await first.update { $0.lines = Array(repeating: "x", count: 9) }
      try await first.save()
      let (_, opening) = try await StateClient.open(
        "cart", keptIn: url, or: Cart(), invariants: [Self.few])
      guard case .setAside(_, let error) = opening else {
        return _ = #expect(Bool(false), "\(opening)")
      }
      #expect(error.details?.contains("there are few lines") == true)
    }
  }

  @Test func `a newer form and what cannot be read stay as they are`() async throws {
    try await withFile { url in
      try Data(#"{"format":2,"anything":true}"#.utf8).write(to: url)
      await #expect(throws: AppError.self) {
        try await StateClient.open("cart", keptIn: url, or: Cart())
      }
      #expect(try String(contentsOf: url, encoding: .utf8).contains("anything"))
      // A folder in its place is no damage either.
      try FileManager.default.removeItem(at: url)
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
      await #expect(throws: AppError.self) {
        try await StateClient.open("cart", keptIn: url, or: Cart())
      }
      #expect(FileManager.default.fileExists(atPath: url.path))
    }
  }

  @Test func `a write that fails is told, and the next change tries again`() async throws {
    try await withFile { url in
      let (client, _) = try await StateClient.open("cart", keptIn: url, or: Cart())
      let folder = url.deletingLastPathComponent()
      let away = folder.appendingPathExtension("away")
      try FileManager.default.moveItem(at: folder, to: away)
      try await client.update { $0.lines = ["kept in memory"] }
      await #expect(throws: AppError.self) { try await client.save() }
      #expect(await client.state.lines == ["kept in memory"])
      try FileManager.default.moveItem(at: away, to: folder)
      try await client.save()
      let (second, _) = try await StateClient.open("cart", keptIn: url, or: Cart())
      #expect(await second.state.lines == ["kept in memory"])
    }
  }
}
