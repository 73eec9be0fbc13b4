// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

/// What a store does on a disk that does not work; it prints what became of the records.
enum Scene: String {
  /// Keeps three records on a disk that works.
  case seed
  /// Keeps until the volume is full, then sends all and keeps another one.
  case full
  /// Keeps a record that the system lets nobody write, then lifts the limit.
  case limited
  /// Keeps records in a folder that cannot be written, and sends.
  case readOnly

  private struct Service: ReportTransport {
    func send(_ request: ReportStore.Request) async throws -> ReportStore.Reply {
      ReportStore.Reply(status: 200)
    }
  }

  func play(in folder: URL) async {
    let store = ReportStore(
      at: folder, ReportStore.Configuration(maximumCount: 1_000, reserve: 0),
      replies: .otlp, transport: Service())
    switch self {
    case .seed: await keep(3, bytes: 1_000, in: store)
    case .full: await fill(store)
    case .limited: await exceed(store)
    case .readOnly:
      await keep(2, bytes: 1_000, in: store)
      await send(store)
    }
    await report(store)
  }

  private func fill(_ store: ReportStore) async {
    await keep(200, bytes: 20_000, in: store)
    await report(store)
    await send(store)
    await keep(1, bytes: 20_000, in: store)
  }

  private func exceed(_ store: ReportStore) async {
    await keep(1, bytes: 1_000, in: store)
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    #if os(Linux)
      let size = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
      let size = RLIMIT_FSIZE
    #endif
    getrlimit(size, &limit)
    let before = limit.rlim_cur
    limit.rlim_cur = 100_000
    setrlimit(size, &limit)
    await keep(1, bytes: 150_000, in: store)
    await report(store)
    limit.rlim_cur = before
    setrlimit(size, &limit)
    await keep(1, bytes: 1_000, in: store)
  }

  private func keep(_ count: Int, bytes: Int, in store: ReportStore) async {
    var fates: [String: Int] = [:]
    for _ in 0..<count {
      let record = ReportStore.Record(
        id: UUID(), time: Date(), severity: .error, fingerprint: "1-0",
        body: Data(repeating: 120, count: bytes))
      fates["\(await store.keep(record))".prefix { $0 != "(" }.description, default: 0] += 1
    }
    print(fates.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " "))
  }

  private func send(_ store: ReportStore) async { print("round=\(await store.drain())") }

  private func report(_ store: ReportStore) async {
    let status = await store.status
    let ledger = status.ledger
    print(
      "condition=\("\(status.condition)".prefix { $0 != "(" }) balanced=\(ledger.isBalanced)",
      "captured=\(ledger.captured) sent=\(ledger.sent) pending=\(ledger.pending)",
      "memory=\(status.pendingInMemory) noSpace=\(ledger.dropped(.noSpace))",
      "unwritable=\(ledger.dropped(.unwritable))")
  }
}
