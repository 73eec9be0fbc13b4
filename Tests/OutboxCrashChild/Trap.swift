// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox

/// Works off operations of which one ends the process, and prints what became of them.
enum Trap {
  private struct Parcel: QueuedOperation {
    static let kind: OperationKind = "parcel"
    var number: Int
  }

  static func run(in folder: URL) async throws {
    var configuration = Outbox.Configuration()
    configuration.startsPaused = true
    let url = folder.appending(path: "outbox.sqlite")
    let outbox = try await Outbox(at: url, configuration: configuration) {
      Worker(for: Parcel.self) { parcel, _ in
        if parcel.number == 2 { fatalError("nobody thought of parcel \(parcel.number)") }
      }
    }
    if try await outbox.ledger().enqueued == 0 {
      try await outbox.enqueue(contentsOf: (0..<6).map(Parcel.init))
    }
    await outbox.resume()
    for await snapshot in outbox.changes where snapshot.pending == 0 { break }
    let ledger = try await outbox.ledger()
    print("done=\(ledger.count(.done)) balanced=\(ledger.isBalanced)")
    for letter in try await outbox.deadLetters() { print("\(letter.reason): \(letter.message)") }
    await outbox.shutDown()
  }
}
