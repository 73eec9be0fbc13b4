// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

/// Files that somebody cut, changed or put there.
@Suite(.requirement("B42", "A54")) struct ReportStoreDamageTests {
  private let folder: ReportFolder
  private let service = ScriptedService()

  init() throws { folder = try ReportFolder() }

  private func store() -> ReportStore {
    ReportStore(at: folder.store, .anywhere, replies: .otlp, transport: service)
  }

  /// What the next store finds.
  private func look() async -> ReportStore.Ledger {
    let store = store()
    let ledger = await store.ledger
    await store.shutDown()
    return ledger
  }

  /// Keeps a record and ends; returns its file.
  private func seed(_ count: Int = 1) async throws -> (name: String, bytes: [UInt8]) {
    let store = store()
    for _ in 0..<count { await store.keep(.sample(bytes: 40, trimmed: 10)) }
    await store.shutDown()
    let name = try #require(folder.files.first)
    return (name, try folder.bytes(name))
  }

  @Test func `a file that is cut at any byte is quarantined`() async throws {
    let (name, bytes) = try await seed()
    for length in bytes.indices {
      try folder.write(Array(bytes[..<length]), to: name)
      let ledger = await look()
      #expect(ledger.pending == 0 && ledger.isBalanced, "cut to \(length)")
      #expect(folder.files.isEmpty && folder.quarantined == [name])
      #expect(ledger.quarantined == length + 1)
    }
    try folder.write(bytes + [0], to: name)
    #expect(await look().pending == 0, "one byte too many")
    #expect(service.requests.isEmpty)
  }

  @Test func `a file with a changed bit is quarantined`() async throws {
    let (name, bytes) = try await seed()
    for place in bytes.indices {
      for bit in RandomDose.isTorture ? Array(0..<8) : [place % 8] {
        var changed = bytes
        changed[place] ^= 1 << UInt8(bit)
        try folder.write(changed, to: name)
        let ledger = await look()
        #expect(ledger.pending == 0 && ledger.isBalanced, "bit \(bit) of byte \(place)")
      }
    }
    try folder.write(bytes, to: name)
    #expect(await look().pending == 1, "it was the change")
  }

  @Test func `a record that is damaged while the store runs is not sent`() async throws {
    let store = store()
    await store.keep(.sample())
    await store.keep(.sample())
    let name = try #require(folder.files.first)
    try folder.write([1, 2, 3], to: name)
    #expect(await store.drain() == .finished)
    let ledger = await store.ledger
    #expect(ledger.quarantined == 1 && ledger.sent == 1 && ledger.isBalanced)
    #expect(folder.quarantined == [name])
  }

  @Test func `a file that somebody took is lost, and counted`() async throws {
    let store = store()
    await store.keep(.sample())
    await store.keep(.sample())
    let name = try #require(folder.files.first)
    try FileManager.default.removeItem(at: folder.store.appending(path: name))
    #expect(await store.drain() == .finished)
    let ledger = await store.ledger
    #expect(ledger.dropped(.lost) == 1 && ledger.sent == 1 && ledger.isBalanced)
  }

  @Test func `a ledger that is cut or changed anywhere stops nothing and balances`() async throws {
    _ = try await seed(3)
    let name = "ledger"
    let bytes = try folder.bytes(name)
    let half = bytes.count / 2
    let used = [0, half].flatMap { start in Array(start..<(start + 300)) }
    for place in used {
      var changed = bytes
      changed[place] ^= 1 << UInt8(place % 8)
      try folder.write(changed, to: name)
      let ledger = await look()
      #expect(ledger.pending == 3 && ledger.isBalanced, "byte \(place)")
      #expect(ledger.captured == 3 && ledger.resets == 0, "the other place is whole")
    }
    for length in [0, 1, 24, 300, half, half + 10, bytes.count - 1] {
      try folder.write(Array(bytes[..<length]), to: name)
      let ledger = await look()
      #expect(ledger.pending == 3 && ledger.isBalanced && ledger.resets >= 1, "cut to \(length)")
    }
  }

  @Test func `a ledger of zeros is none`() async throws {
    _ = try await seed(2)
    try folder.write([UInt8](repeating: 0, count: 65_536), to: "ledger")
    let ledger = await look()
    #expect(ledger.captured == 2 && ledger.resets == 1 && ledger.isBalanced)
  }

  @Test func `what is not the store's own is left alone`() async throws {
    _ = try await seed()
    let foreign = [
      "notes.txt", "photo.report", "ffffffffffffffff-\(UUID().uuidString.lowercased()).report",
      "0000000000000002-\(UUID().uuidString).report", "movie.unfinished", ".hidden",
      "4000000000000001-\(UUID().uuidString.lowercased()).report",
    ]
    for name in foreign { try folder.write(Array("mine".utf8), to: name) }
    let store = store()
    await store.keep(.sample())
    #expect(await store.drain() == .finished)
    #expect(service.ids.count == 2)
    for name in foreign { #expect(try folder.bytes(name) == Array("mine".utf8), "\(name)") }
  }

  @Test func `pipes, links, folders and huge files in place of records harm nothing`() async throws
  {
    _ = try await seed()
    let secret = folder.url.appending(path: "secret")
    try Data("secret".utf8).write(to: secret)
    func name(_ number: Int) -> String {
      "000000000000000\(number)-\(UUID().uuidString.lowercased()).report"
    }
    let link = folder.store.appending(path: name(2))
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: secret)
    let inner = folder.store.appending(path: name(3))
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
    #expect(mkfifo(folder.path + "/" + name(4), 0o600) == 0)
    let huge = name(5)
    try folder.write([], to: huge)
    truncate(folder.path + "/" + huge, 1 << 40)
    let store = store()
    #expect(await store.drain() == .finished)
    let ledger = await store.ledger
    #expect(ledger.sent == 1 && ledger.quarantined == 4 && ledger.isBalanced)
    #expect(try Data(contentsOf: secret) == Data("secret".utf8))
  }

  @Test func `a folder in place of a record keeps none of the others`() async throws {
    let (name, _) = try await seed(2)
    try FileManager.default.removeItem(at: folder.store.appending(path: name))
    let inner = folder.store.appending(path: name)
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
    let ledger = await look()
    #expect(ledger.pending == 1 && ledger.quarantined == 1 && ledger.isBalanced)
  }

  @Test func `what lies behind a link in place of the quarantine is left alone`() async throws {
    let (name, _) = try await seed()
    let foreign = folder.url.appending(path: "documents")
    try FileManager.default.createDirectory(at: foreign, withIntermediateDirectories: false)
    for number in 0..<15 {
      try Data("mine".utf8).write(to: foreign.appending(path: "letter \(number)"))
    }
    try FileManager.default.createSymbolicLink(
      at: folder.store.appending(path: "quarantine"), withDestinationURL: foreign)
    try folder.write([1, 2, 3], to: name)
    let ledger = await look()
    #expect(ledger.quarantined == 1 && ledger.isBalanced && folder.files.isEmpty)
    let left = try FileManager.default.contentsOfDirectory(atPath: foreign.path)
    #expect(left.count == 15 && left.allSatisfy { $0.hasPrefix("letter") }, "\(left)")
  }

  @Test func `ten damaged files are kept, and what others laid beside them stays`() async throws {
    _ = try await seed(14)
    let quarantine = folder.store.appending(path: "quarantine")
    try FileManager.default.createDirectory(at: quarantine, withIntermediateDirectories: false)
    for number in 0..<15 {
      try Data("mine".utf8).write(to: quarantine.appending(path: "letter \(number)"))
    }
    let names = folder.files
    for name in names.prefix(12) { try folder.write([1, 2, 3], to: name) }
    let ledger = await look()
    #expect(ledger.quarantined == 12 && ledger.pending == 2 && ledger.isBalanced)
    let letters = folder.quarantined.filter { $0.hasPrefix("letter") }
    let reports = folder.quarantined.filter { $0.hasSuffix(".report") }
    #expect(letters.count == 15 && reports.sorted() == Array(names[2..<12]), "the newest")
  }

  @Test func `what an earlier limit allowed is whole, and trimmed or dropped as too large`() async {
    let first = store()
    await first.keep(.sample(.critical, bytes: 60_000, trimmed: 100))
    await first.keep(.sample(.critical, bytes: 60_000))
    for _ in 0..<3 { await first.keep(.sample(.info)) }
    await first.shutDown()
    let next = ReportStore(
      at: folder.store, .init(maximumBytes: 10_000, reserve: 0), replies: .otlp, transport: service)
    let ledger = await next.ledger
    #expect(ledger.pending == 4 && ledger.quarantined == 0 && folder.quarantined.isEmpty)
    #expect(ledger.dropped(.tooLarge) == 1 && ledger.dropped(.overflow) == 0 && ledger.isBalanced)
    #expect(await next.drain() == .finished)
    #expect(service.requests.map(\.body.count) == [100, 100, 100, 100])
  }

  @Test func `damaged files go with the consent, and when they are as old as reports may be`()
    async throws
  {
    let (name, _) = try await seed(3)
    try folder.write([1, 2, 3], to: name)
    #expect(await look().quarantined == 1 && folder.quarantined == [name])
    var store = store()
    await store.discard()
    #expect(folder.quarantined.isEmpty && folder.files.isEmpty)
    await store.keep(.sample())
    await store.shutDown()
    let second = try #require(folder.files.first)
    try folder.write([1, 2, 3], to: second)
    #expect(await look().quarantined == 2 && folder.quarantined == [second])
    let written = Date(timeIntervalSince1970: 1_700_000_000)
    try FileManager.default.setAttributes(
      [.modificationDate: written], ofItemAtPath: folder.path + "/quarantine/" + second)
    for (days, count) in [(29.0, 1), (31, 0)] {
      store = ReportStore(
        at: folder.store, .anywhere, replies: .otlp, transport: service,
        timeOfDay: { written + days * 86_400 })
      #expect(await store.ledger.isBalanced && folder.quarantined.count == count)
      await store.shutDown()
    }
  }

  @Test func `what a process left unfinished is cleared away`() async throws {
    let (name, _) = try await seed()
    try folder.write([1], to: name + ".unfinished")
    try folder.write([1], to: "ledger.unfinished")
    let ledger = await look()
    #expect(ledger.pending == 1 && ledger.isBalanced && ledger.captured == 1)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(!names.contains { $0.hasSuffix(".unfinished") })
  }
}
