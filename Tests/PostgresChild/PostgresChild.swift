// SPDX-License-Identifier: Apache-2.0

import ChildSupport
import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres

/// Changes an item on the other side.
private struct Change: QueuedOperation {
  static let kind: OperationKind = "change"
  var number: Int
}

/// Ends at once, or never where a worker holds what it begins.
private struct Hold: QueuedOperation {
  static let kind: OperationKind = "hold"
}

/// One of several workers on a database, which may be killed or stopped at any moment.
///
/// It enqueues for as long as there is no file `stop` in its folder, and works until it is killed.
/// Where there is a file with `hold-` and its name, operations of the kind `hold` never end.
/// Arguments: the address, the folder of its journals, its name and the lease in seconds; or
/// `relay`, a port and the path of a socket; or `show`, an address and the name of a setting; or
/// `end` and an address.
@main struct PostgresChild {
  private let address: PostgresAddress
  private let folder: URL
  private let name: String
  private let lease: Duration
  private let intended: Journal
  private let accepted: Journal
  private let otherSide: OtherSide

  private init(_ arguments: [String]) throws {
    address = try PostgresAddress(arguments[1])
    let folder = URL(filePath: arguments[2])
    self.folder = folder
    name = arguments[3]
    lease = .seconds(Int(arguments[4]) ?? 2)
    func journal(_ name: String) -> Journal {
      Journal(path: folder.appending(path: name).path(percentEncoded: false))
    }
    (intended, accepted) = (journal("intended"), journal("accepted"))
    otherSide = OtherSide(
      pool: PostgresPool(address, options: .init(wait: .seconds(60))), name: name,
      journal: journal("events"))
  }

  static func main() async throws {
    let words = CommandLine.arguments
    #if os(Linux)
      if words.count == 4, words[1] == "relay", let port = UInt16(words[2]) {
        Relay.run(port: port, path: words[3])
      }
    #endif
    if words.count == 4, words[1] == "show" {
      let connection = try await PostgresConnection.open(PostgresAddress(words[2]))
      if let row = try await connection.query("SHOW \(words[3])").first { print(try row.text(0)) }
      return
    }
    if words.count == 3, words[1] == "end" { return try await EndingProcess.run(at: words[2]) }
    // Whoever started it holds the other end of its input, and may be killed too.
    Thread {
      var byte: UInt8 = 0
      while read(STDIN_FILENO, &byte, 1) > 0 {}
      exit(1)
    }.start()
    try await PostgresChild(words).run()
  }

  private func run() async throws {
    let outbox = try await opened()
    try otherSide.note("opened", "\(getpid())")
    try await redriveAll(in: outbox)
    var number = 0
    while !FileManager.default.fileExists(atPath: folder.appending(path: "stop").path) {
      number += 1
      try await enqueue(Change(number: number), in: outbox)
      await otherSide.rest()
    }
    // What is left is done until somebody kills it.
    for await _ in outbox.changes {}
  }

  /// The server may be away while it is opened.
  private func opened() async throws -> Outbox {
    var configuration = Outbox.Configuration()
    configuration.observer = otherSide
    while true {
      do throws(OutboxError) {
        let store = PostgresStore(at: address, lease: lease)
        return try await Outbox(store: store, configuration: configuration) {
          worker
          holder
        }
      } catch {
        try otherSide.note("not-opened", error.code.rawValue)
      }
    }
  }

  /// Drives again what was given up; the server may be away meanwhile.
  private func redriveAll(in outbox: Outbox) async throws {
    while true {
      do throws(OutboxError) {
        for letter in try await outbox.deadLetters() { try await outbox.redrive(letter.id) }
        return
      } catch {
        try otherSide.note("not-redriven", error.code.rawValue)
      }
    }
  }

  /// Asks with one key until the store says yes: an answer may have been lost.
  private func enqueue(_ change: Change, in outbox: Outbox) async throws {
    let key = IdempotencyKey()
    try intended.append([key.rawValue])
    let options = EnqueueOptions(orderedBy: "\(name)-\(change.number % 5)", idempotencyKey: key)
    while true {
      do throws(OutboxError) {
        try await outbox.enqueue(change, options: options)
        break
      } catch {
        try otherSide.note("not-accepted", error.code.rawValue)
      }
    }
    try accepted.append([key.rawValue])
  }

  private var worker: Worker {
    let otherSide = otherSide
    return Worker(
      for: Change.self, maximumAttempts: 1_000, backoff: .constant(.milliseconds(100)),
      reconcile: { _, context in
        try await otherSide.knows(context.idempotencyKey, context.leaseToken)
          ? .applied : .notApplied
      },
      run: { _, context in
        try await otherSide.apply(context.idempotencyKey, context.leaseToken)
      })
  }

  private var holder: Worker {
    let (otherSide, file) = (otherSide, folder.appending(path: "hold-\(name)").path)
    return Worker(for: Hold.self) { _, context in
      guard FileManager.default.fileExists(atPath: file) else { return }
      try otherSide.note("held", context.idempotencyKey.rawValue)
      for await _ in AsyncStream<Void>.makeStream().stream {}
      try Task.checkCancellation()
    }
  }
}
