// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox

/// Fills a disk with operations, works them off while it is full, and prints what became of them.
enum FullDisk {
  private struct Parcel: QueuedOperation {
    static let kind: OperationKind = "parcel"
    var content: String
  }

  private final class Complaints: OutboxObserver {
    private let state = Locked(0)

    var count: Int { state.withLock { $0 } }

    func observe(_ event: OutboxEvent) {
      if case .storageFailed = event.what { state.withLock { $0 += 1 } }
    }
  }

  static func run(in folder: URL) async throws {
    var configuration = Outbox.Configuration()
    let complaints = Complaints()
    (configuration.startsPaused, configuration.observer) = (true, complaints)
    let url = folder.appending(path: "outbox.sqlite")
    let reserve = url.path(percentEncoded: false) + "-reserve"
    let outbox = try await Outbox(at: url, configuration: configuration) {
      Worker(for: Parcel.self) { _, _ in }
    }
    var accepted = 0
    var refusal: OutboxError?
    while refusal == nil {
      do {
        try await outbox.enqueue(Parcel(content: String(repeating: "x", count: 10_000)))
        accepted += 1
      } catch {
        refusal = error
      }
    }
    fill(folder, "filler")
    print("accepted=\(accepted) refused=\(refusal?.code.rawValue ?? "-")")
    let more = [Parcel(content: String(repeating: "y", count: 10_000)), Parcel(content: "z")]
    var batch = "accepted"
    do { try await outbox.enqueue(contentsOf: more) } catch { batch = error.code.rawValue }
    print("batch=\(batch) kept=\(isThere(reserve))")
    // The service is started anew, and what the log gave back is taken, too.
    await outbox.shutDown()
    fill(folder, "more")
    let again = try await Outbox(at: url, configuration: configuration) {
      Worker(for: Parcel.self) { _, _ in }
    }
    print("opened=\(try await again.snapshot().pending == accepted)")
    await again.resume()
    for await snapshot in again.changes where snapshot.pending == 0 { break }
    let ledger = try await again.ledger()
    print("done=\(ledger.count(.done)) balanced=\(ledger.isBalanced) failures=\(complaints.count)")
    for name in ["filler", "more"] {
      try? FileManager.default.removeItem(at: folder.appending(path: name))
    }
    try await again.enqueue(Parcel(content: "again"))
    for await snapshot in again.changes where snapshot.pending == 0 { break }
    await again.shutDown()
    let next = try await Outbox(at: url) { Worker(for: Parcel.self) { _, _ in } }
    print("open=\(try await next.snapshot().pending) reserve=\(isThere(reserve))")
    await next.shutDown()
  }

  /// What is left is taken by somebody else.
  private static func fill(_ folder: URL, _ name: String) {
    let filler = folder.appending(path: name).path(percentEncoded: false)
    _ = FileManager.default.createFile(atPath: filler, contents: nil)
    let handle = FileHandle(forWritingAtPath: filler)
    while (try? handle?.write(contentsOf: Data(count: 512))) != nil {}
  }

  private static func isThere(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: path)
  }
}
