// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

#if Encryption
  import Crypto
#endif

private struct Letter: CoalescingOperation, MergingOperation {
  typealias Output = String
  struct Text: Codable, Equatable, Sendable { var words: String }
  static let kind: OperationKind = "letter"
  static let mergePolicy = MergePolicy<Text>([.field("words", \.words)])
  var base: VersionedState<Text>
  var local: RecordState<Text>

  init(_ words: String) {
    base = VersionedState(.deleted, version: nil)
    local = .present(Text(words: words))
  }

  init(_ words: String, madeFrom base: String) {
    self.init(words)
    self.base = VersionedState(.present(Text(words: base)), version: nil)
  }

  func coalesced(with later: Letter) -> Coalesced<Letter> { .replace(by: later) }
}

/// Another way to change the same record.
private struct Reword: MergingOperation {
  static let kind: OperationKind = "reword"
  static let mergePolicy = Letter.mergePolicy
  var base: VersionedState<Letter.Text>
  var local: RecordState<Letter.Text>

  init(_ base: String, to words: String) {
    self.base = VersionedState(.present(Letter.Text(words: base)), version: nil)
    local = .present(Letter.Text(words: words))
  }
}

/// What nobody but the app shall read on the disk.
@Suite(.requirement("C14"), .ends(withinMinutes: 5)) struct PayloadCodecTests {
  private var shop: Workshop

  init() throws {
    shop = try Workshop()
    shop.configuration.codec = Scrambler()
  }

  private func writer(
    _ body: @escaping @Sendable (Letter, WorkerContext) async throws -> Void = { _, _ in }
  ) -> Worker {
    Worker(for: Letter.self, backoff: .constant(.seconds(1), jitter: .none)) { letter, context in
      try await body(letter, context)
      return "output-\(letter.local.record?.words ?? "")"
    }
  }

  /// All that lies on the disk.
  private func disk() throws -> Data {
    let names = try FileManager.default.contentsOfDirectory(
      at: shop.folder.url, includingPropertiesForKeys: nil)
    return names.reduce(into: Data()) { $0 += (try? Data(contentsOf: $1)) ?? Data() }
  }

  @Test func `no word of a payload, a checkpoint, an output or a conflict is on the disk`()
    async throws
  {
    let remote = VersionedState(RecordState.present(Letter.Text(words: "theirword")), version: "1")
    let outbox = try await shop.open(
      writer { letter, context in
        try await context.checkpoint("checkpointword")
        if letter.local.record?.words == "conflictword" { throw try RemoteConflict(remote) }
      })
    let done = try await outbox.enqueue(Letter("payloadword"))
    _ = try await outbox.handle(done, for: Letter.self).outcome()
    let open = try await outbox.enqueue(Letter("conflictword"))
    await outbox.wait { $0.conflicted == 1 }
    let raw = try disk()
    for word in ["payloadword", "checkpointword", "output-", "theirword", "conflictword"] {
      #expect(raw.range(of: Data(word.utf8)) == nil, "\(word)")
    }
    guard
      case .ended(.done, "output-payloadword", _) = try await outbox.handle(
        done, for: Letter.self
      ).status()
    else {
      Issue.record("the output cannot be read")
      return
    }
    let conflict = try #require(try await outbox.conflicts().first)
    #expect(conflict.id == open && !conflict.operation.isSealed)
    #expect(try await outbox.conflict(open, of: Letter.self)?.remote == remote)
    await outbox.shutDown()
  }

  @Test func `a repetition is known although its bytes are others`() async throws {
    var shop = shop
    shop.configuration.startsPaused = true
    let outbox = try await shop.open(writer())
    let options = EnqueueOptions(idempotencyKey: IdempotencyKey())
    let id = try await outbox.enqueue(Letter("a"), options: options)
    #expect(try await outbox.enqueue(Letter("a"), options: options) == id)
    await #expect(throws: OutboxError(.keyReused, details: "")) {
      _ = try await outbox.enqueue(Letter("b"), options: options)
    }
    await outbox.shutDown()
  }

  @Test func `a repetition within one batch is known although its bytes are others`() async throws {
    var shop = shop
    shop.configuration.startsPaused = true
    let outbox = try await shop.open(writer())
    let options = EnqueueOptions(idempotencyKey: IdempotencyKey())
    let ids = try await outbox.enqueue(contentsOf: [Letter("a"), Letter("a")]) { _ in options }
    #expect(ids.count == 2 && Set(ids).count == 1)
    #expect(try await outbox.operations().map(\.id) == Array(Set(ids)))
    await #expect(throws: OutboxError(.keyReused, details: "")) {
      let other = EnqueueOptions(idempotencyKey: IdempotencyKey())
      _ = try await outbox.enqueue(contentsOf: [Letter("b"), Letter("c")]) { _ in other }
    }
    await outbox.shutDown()
  }

  @Test func `sealed neighbours are put together`() async throws {
    var shop = shop
    shop.configuration.startsPaused = true
    let seen = Box<[String]>([])
    let outbox = try await shop.open(
      writer { letter, _ in seen.change { $0.append(letter.local.record?.words ?? "") } })
    for words in ["a", "b"] { try await outbox.enqueue(Letter(words), orderedBy: "k") }
    let waiting = try await outbox.operations(orderedBy: "k")
    #expect(waiting.count == 1 && waiting.first?.isSealed == false)
    await outbox.resume()
    await outbox.wait { $0.pending == 0 }
    #expect(seen.value == ["b"])
    await outbox.shutDown()
  }

  @Test func `what cannot be opened is parked, and runs when its key is back`() async throws {
    var other = shop
    other.configuration.codec = Scrambler(secret: 1)
    var plain = shop
    plain.configuration.codec = nil
    var first = shop
    first.configuration.startsPaused = true
    let outbox = try await first.open(writer())
    try await outbox.enqueue(Letter("a"))
    await outbox.shutDown()
    for (number, shop) in [other, plain].enumerated() {
      let without = try await shop.open(writer())
      await shop.log.wait(for: "failed", count: number + 1)
      await without.wait { $0.parked == 1 }
      let waiting = try #require(try await without.operations().first)
      #expect(waiting.isSealed && waiting.attempts == 0)
      #expect(try await without.explain(waiting.id)?.obstacles == [.unreadable])
      await without.shutDown()
    }
    let with = try await shop.open(writer())
    await with.wait { $0.pending == 0 }
    await with.shutDown()
  }

  @Test(arguments: [true, false])
  func `what cannot be opened and may have been sent can be cancelled`(isParked: Bool) async throws
  {
    var first = shop
    first.configuration.startsPaused = true
    let outbox = try await first.open(writer())
    let id = try await outbox.enqueue(Letter("a"), orderedBy: "k")
    await outbox.shutDown()
    let store = SQLiteStore(at: shop.folder.database)
    _ = try await store.open()
    let request = ClaimRequest(
      limit: 1, types: [PayloadType(kind: Letter.kind, version: 1)], isAlone: true)
    #expect(try await store.claim(request).operations.count == 1)
    store.abandon()
    var plain = shop
    (plain.configuration.codec, plain.configuration.startsPaused) = (nil, !isParked)
    let without = try await plain.open(writer())
    if isParked { await without.wait { $0.parked == 1 } }
    try await without.enqueue(Letter("b"), orderedBy: "k")
    #expect(try await without.cancel(id) == .mayHaveHappened)
    await without.resume()
    await without.wait { $0.pending == 0 }
    let ledger = try await without.ledger()
    #expect(ledger.count(.cancelled) == 1 && ledger.count(.done) == 1 && ledger.isBalanced)
    await shop.log.wait(for: "cancelled")
    #expect(shop.log.count("cancelled") == 1)
    await without.shutDown()
  }

  @Test func `a change whose other side cannot be opened is parked`() async throws {
    let worker = Worker(for: Letter.self) { _, _, _ in "2" }
    var plain = shop
    (plain.configuration.codec, plain.configuration.startsPaused) = (nil, true)
    let first = try await plain.open(worker)
    try await first.enqueue(Letter("a"), orderedBy: "k")
    await first.shutDown()
    var sealing = shop
    sealing.configuration.startsPaused = true
    let second = try await sealing.open(worker)
    let remote = VersionedState(RecordState.present(Letter.Text(words: "theirs")), version: "1")
    #expect(try await second.received(remote, orderedBy: "k", for: Letter.self))
    await second.shutDown()
    plain.configuration.startsPaused = false
    let third = try await plain.open(worker)
    await third.wait { $0.parked == 1 }
    let waiting = try #require(try await third.operations().first)
    #expect(!waiting.isSealed && waiting.attempts == 0)
    await third.shutDown()
  }

  @Test func `changes of several kinds read what each other left of their record`() async throws {
    let sent = Box<[String]>([])
    @Sendable func send(_ change: RecordChange<Letter.Text>) -> String {
      sent.change { sent in
        sent.append("\(change.state.record?.words ?? "") on \(change.precondition ?? "none")")
        return "\(sent.count)"
      }
    }
    var shop = shop
    shop.configuration.startsPaused = true
    let outbox = try await shop.open(
      Worker(for: Letter.self) { _, change, _ in send(change) },
      Worker(for: Reword.self) { _, change, _ in send(change) })
    try await outbox.enqueue(Reword("", to: "a"), orderedBy: "k")
    try await outbox.enqueue(Letter("b", madeFrom: "a"), orderedBy: "k")
    try await outbox.enqueue(Reword("b", to: "c"), orderedBy: "k")
    let first = try await outbox.enqueue(Reword("", to: "z"), orderedBy: "other")
    // It comes to what is there already.
    try await outbox.enqueue(Letter("", madeFrom: "z"), orderedBy: "other")
    #expect(try await outbox.cancel(first) == .cancelled)
    await outbox.resume()
    await outbox.wait { $0.pending == 0 || $0.parked + $0.conflicted > 0 }
    #expect(try await outbox.operations().isEmpty)
    #expect(sent.value == ["a on none", "b on 1", "c on 2"])
    await outbox.shutDown()
  }

  @Test func `what was kept before there was a codec is still read`() async throws {
    var plain = shop
    (plain.configuration.codec, plain.configuration.startsPaused) = (nil, true)
    let first = try await plain.open(writer())
    try await first.enqueue(Letter("a"))
    await first.shutDown()
    let second = try await shop.open(writer())
    await second.wait { $0.pending == 0 }
    #expect(try await second.ledger().count(.done) == 1)
    await second.shutDown()
  }

  @Test func `a payload that cannot be sealed is refused`() async throws {
    struct Broken: PayloadCodec {
      func seal(_ plain: Data, binding: Data) throws -> Data { throw Scrambler.Wrong() }
      func open(_ sealed: Data, binding: Data) throws -> Data { throw Scrambler.Wrong() }
    }
    var shop = shop
    shop.configuration.codec = Broken()
    let outbox = try await shop.open(writer())
    await #expect(throws: OutboxError(.unencodable, details: "")) {
      _ = try await outbox.enqueue(Letter("a"))
    }
    #expect(try await outbox.ledger().enqueued == 0)
    await outbox.shutDown()
  }

  #if Encryption
    private static let binding = Data("what it is".utf8)

    @Test func `what AES-GCM sealed opens under its key, for what it is, and unchanged`() throws {
      let (old, new) = (SymmetricKey(size: .bits128), SymmetricKey(size: .bits256))
      let first = AESGCMPayloadCodec(keys: ["old": old], sealingWith: "old")
      let both = AESGCMPayloadCodec(keys: ["old": old, "new": new], sealingWith: "new")
      for plain in [Data(), Data("a".utf8), Data(count: 100_000)] {
        let sealed = try first.seal(plain, binding: Self.binding)
        #expect(try both.open(sealed, binding: Self.binding) == plain)
        #expect(try first.seal(plain, binding: Self.binding) != sealed, "nonces are new")
        let newer = try both.seal(plain, binding: Self.binding)
        #expect(throws: AESGCMPayloadCodec.Failure.missingKey("new")) {
          try first.open(newer, binding: Self.binding)
        }
        #expect(throws: (any Error).self) { try both.open(sealed, binding: Data()) }
      }
    }

    @Test func `no byte of what AES-GCM sealed can be changed or left out`() throws {
      let codec = AESGCMPayloadCodec(
        keys: ["k": SymmetricKey(size: .bits256)], sealingWith: "k")
      let sealed = try codec.seal(Data("text".utf8), binding: Self.binding)
      for index in sealed.indices {
        var changed = sealed
        changed[index] ^= 1
        #expect(throws: (any Error).self) { try codec.open(changed, binding: Self.binding) }
        #expect(throws: (any Error).self) {
          try codec.open(sealed.prefix(index), binding: Self.binding)
        }
      }
    }

    @Test func `an outbox keeps payloads under AES-GCM`() async throws {
      var shop = shop
      shop.configuration.codec = AESGCMPayloadCodec(
        keys: ["2026": SymmetricKey(size: .bits256)], sealingWith: "2026")
      let outbox = try await shop.open(writer())
      let id = try await outbox.enqueue(Letter("payloadword"))
      let status = try await outbox.handle(id, for: Letter.self).outcome()
      guard case .ended(.done, "output-payloadword", _) = status else {
        Issue.record("it is not done")
        return
      }
      #expect(try disk().range(of: Data("payloadword".utf8)) == nil)
      await outbox.shutDown()
    }

    @Test func `a codec needs a key that it can seal with`() async {
      await #expect(processExitsWith: .failure) {
        _ = AESGCMPayloadCodec(keys: [:], sealingWith: "k")
      }
      await #expect(processExitsWith: .failure) {
        let key = SymmetricKey(data: Data(count: 5))
        _ = AESGCMPayloadCodec(keys: ["k": key], sealingWith: "k")
      }
      await #expect(processExitsWith: .failure) {
        let key = SymmetricKey(size: .bits256)
        let name = String(repeating: "k", count: 256)
        _ = AESGCMPayloadCodec(keys: [name: key], sealingWith: name)
      }
    }
  #endif
}
