// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTPTesting
import MainstayOutbox
import MainstayOutboxPostgres
import PostgresTestSupport
import TestSupport
import Testing

/// An outbox whose server is reached over TLS, and is who it says.
@Suite(.ends(withinMinutes: 10))
struct SecureOutboxTests {
  private struct Note: QueuedOperation {
    static let kind: OperationKind = "note"
    var text: String
  }

  /// The sessions over the network that the server has begun and let in, by what it wrote.
  private func sessions(_ server: PostgresServer) -> (begun: Int, letIn: [Substring]) {
    let lines = server.log.split(separator: "\n")
    let processes = lines.filter { $0.contains("connection received: host=127.0.0.1") }
      .compactMap(Self.process)
    let letIn = lines.filter { line in
      line.contains("connection authorized")
        && Self.process(line).map { processes.contains($0) } == true
    }
    return (processes.count, letIn)
  }

  /// Date, time, zone and process stand before what is said.
  private static func process(_ line: Substring) -> Substring? {
    line.split(separator: " ", maxSplits: 4).dropFirst(3).first
  }

  @Test func `all sessions of an outbox are encrypted, and news come through`() async throws {
    let secure = try await SecureServer(settings: ["log_connections = on"])
    let watcher = try await PostgresConnection.patient(secure.server.address())
    let address = try PostgresAddress(secure.text(["channel_binding": "require"]))
    let (begun, hasBegun) = AsyncStream.makeStream(of: String.self)
    // Its heart beats every ten seconds, and the test waits until it has.
    let store = PostgresStore(
      at: address, lease: .seconds(30), patience: .patience, now: nil)
    let outbox = try await Outbox(store: store) {
      Worker(for: Note.self) { note, _ in
        hasBegun.yield(note.text)
        // Others wait to begin, so that what has begun is renewed.
        if note.text == "long" { for await _ in AsyncStream<Void>.makeStream().stream {} }
      }
    }
    let enqueuing = PostgresStore(at: address, patience: .patience, now: nil)
    let other = try await Outbox(store: enqueuing) {}
    let listener = PostgresListener(
      address, channels: ["mainstay.wake"], settings: .patient)
    var (events, texts) = (listener.events.makeAsyncIterator(), begun.makeAsyncIterator())
    #expect(await events.following() == .listening(mayHaveMissed: false))
    let isHeard = Flag()
    let listening = Task { [rest = listener.events] in
      for await event in rest {
        if case .heard = event { isHeard.raise() }
      }
    }
    // Who does not wait at that moment is not told, and finds it by looking.
    while !isHeard.isRaised, !Task.isCancelled {
      try await eventually {
        try await watcher.query(
          "SELECT FROM mainstay.owner WHERE is_waiting AND alive_until > mainstay.clock()"
        ).count > 0
      }
      try await other.enqueue(Note(text: "short"))
      #expect(await texts.next() == "short")
    }
    try await other.enqueue(Note(text: "long"))
    // What was lost with a lease is begun once more.
    while let text = await texts.next(), text != "long" {}
    var seen: Set<String> = []
    let expected = ["LISTEN \"mainstay.wake\"", "mainstay.beat(", "mainstay.claim("]
    try await eventually {
      let rows = try await watcher.query(
        """
        SELECT a.query, t.ssl, t.version
        FROM pg_stat_activity AS a JOIN pg_stat_ssl AS t USING (pid)
        WHERE a.backend_type = 'client backend' AND pid <> pg_backend_pid()
        """)
      for row in rows {
        let query = try row.text(0)
        #expect(try row.bool(1), "\(query) is not encrypted")
        #expect(try row.text(2).hasPrefix("TLSv1."))
        seen.formUnion(expected.filter { query.contains($0) })
      }
      return seen.count == expected.count
    }
    listener.stop()
    await listening.value
    await outbox.shutDown()
    await other.shutDown()
    // Also those that are over by now.
    let letIn = sessions(secure.server).letIn
    #expect(letIn.count >= 5)
    #expect(letIn.allSatisfy { $0.contains("SSL enabled (protocol=TLSv1.") }, "\(letIn)")
  }

  @Test func `an outbox works for a user who shows a certificate`() async throws {
    let secure = try await SecureServer()
    let owner = try await PostgresConnection.patient(secure.server.address())
    try await owner.script("GRANT CREATE ON DATABASE postgres TO \(SecureServer.named)")
    let identity = try await secure.authority.caller(named: SecureServer.named)
    let text = secure.text(
      user: SecureServer.named,
      ["sslcert": identity.file.path, "sslkey": identity.key.path])
    let store = PostgresStore(at: try PostgresAddress(text), patience: .patience, now: nil)
    let outbox = try await Outbox(store: store) {
      Worker(for: Note.self) { _, _ in }
    }
    try await outbox.enqueue(Note(text: "a"))
    try await eventually { try await outbox.ledger().count(.done) == 1 }
    await outbox.shutDown()
  }

  @Test func `a certificate that is renewed wrongly costs nothing but time`() async throws {
    let secure = try await SecureServer(settings: ["log_connections = on"])
    var configuration = Outbox.Configuration()
    let failures = StorageFailures()
    configuration.observer = failures
    let store = PostgresStore(at: try PostgresAddress(secure.text()))
    let outbox = try await Outbox(store: store, configuration: configuration) {
      Worker(for: Note.self) { _, _ in }
    }
    await outbox.pause()
    try await outbox.enqueue(Note(text: "before"))
    try await secure.become(secure.authority.identity(for: ["db.example.test"]))
    await outbox.resume()
    // The first ones may hear that their session is lost.
    var refused: OutboxError?
    await eventually {
      refused = await #expect(throws: OutboxError.self) {
        try await outbox.enqueue(Note(text: "refused"))
      }
      return refused?.code == .unavailable
    }
    #expect(refused?.details.contains("is for db.example.test and not for localhost") == true)
    #expect(refused?.appError.disposition == .needsUser)
    let start = ContinuousClock.now
    let before = (failures.count.withLock(\.self), sessions(secure.server).begun)
    await eventually { failures.count.withLock(\.self) >= before.0 + 3 }
    let begun = sessions(secure.server).begun - before.1
    // As many as where the server takes no changes; without pauses it were hundreds a second.
    let seconds = Int((ContinuousClock.now - start).components.seconds)
    #expect(begun <= 20 + 4 * seconds, "\(begun) sessions in \(seconds) seconds")
    try await secure.become(secure.authority.identity())
    await eventually {
      // Until the pool has looked again, whoever waits for it is told what it found last.
      guard let ledger = try? await outbox.ledger() else { return false }
      return ledger.count(.done) == 1 && ledger.pending == 0 && ledger.isBalanced
    }
    await outbox.shutDown()
  }

  @Test func `rows of any size come through`() async throws {
    let secure = try await SecureServer()
    let connection = try await PostgresConnection.patient(try PostgresAddress(secure.text()))
    #expect(try await connection.query("SELECT $1::text", [.text("x")]).first?.text(0) == "x")
    for size in [2_730, 5_461, 8_192, 16_384, 1_000_003] {
      let rows = try await connection.query(
        "SELECT repeat('x', $1) FROM generate_series(1, 6)", [.int(Int64(size))])
      #expect(try rows.map { try $0.text(0).utf8.count } == Array(repeating: size, count: 6))
    }
  }
}
