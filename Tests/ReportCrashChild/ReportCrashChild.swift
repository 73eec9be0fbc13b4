// SPDX-License-Identifier: Apache-2.0

import ChildSupport
import Foundation
import Mainstay

/// The other side: files of what it took and of what it refused for good.
struct Service: ReportTransport {
  private struct Unreachable: Error {}

  let served: Journal
  let refused: Journal
  private let turns = Turns()

  init(served: Journal, refused: Journal) {
    self.served = served
    self.refused = refused
  }

  private final class Turns: Sendable {
    private let count = Locked(0)
    var next: Int {
      count.withLock { count in
        count += 1
        return count
      }
    }
  }

  func send(_ request: ReportStore.Request) async throws -> ReportStore.Reply {
    let turn = turns.next
    if turn % 5 == 2 { throw Unreachable() }
    if turn % 5 == 4 { return ReportStore.Reply(status: 503) }
    // What a record says decides, so that it is always answered alike.
    if request.body.first == UInt8(ascii: "!") {
      for id in request.ids { try refused.append([id.uuidString]) }
      return ReportStore.Reply(status: 400)
    }
    for id in request.ids { try served.append([id.uuidString]) }
    return ReportStore.Reply(status: 200)
  }
}

/// One run of an app that may die at any step: it keeps reports, sends some, and ends.
///
/// Arguments: folder, `roomy`, `tight`, `damaged`, `memory` or `monitor`, the step to die at or
/// `none`, its occurrence.
@main struct ReportCrashChild {
  private let folder: URL
  private let mode: String
  private let isLast: Bool
  private let store: ReportStore
  private let intended: Journal
  private let accepted: Journal
  private let disk: Disk

  static func main() async throws {
    let arguments = CommandLine.arguments
    if let scene = Scene(rawValue: arguments[1]) {
      return await scene.play(in: URL(filePath: arguments[2]))
    }
    if arguments[2] == "monitor" { return try await MonitorRun(arguments).run() }
    try await ReportCrashChild(arguments).run()
  }

  /// A disk on which no record can become a file for a while, so that it has to wait in memory.
  private final class Disk: Sendable {
    private let state = Locked(false)

    var isFull: Bool {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }

  private init(_ arguments: [String]) throws {
    let folder = URL(filePath: arguments[1])
    func journal(_ name: String) -> Journal {
      Journal(path: folder.appending(path: name).path(percentEncoded: false))
    }
    self.folder = folder
    mode = arguments[2]
    isLast = arguments[3] == "none"
    intended = journal("intended")
    accepted = journal("accepted")
    let reports = folder.appending(path: "reports")
    if mode == "damaged", !isLast { try Self.damage(reports, journal("damaged")) }
    let killer = Killer(
      step: StoreProbe.Step(rawValue: arguments[3]), occurrence: Int(arguments[4]) ?? 1,
      killed: journal("killed"))
    let disk = Disk()
    self.disk = disk
    let tight = ReportStore.Configuration(maximumCount: 6, maximumBytes: 10_000, reserve: 0)
    let roomy = ReportStore.Configuration(maximumCount: 1_000, reserve: 0, recordsPerRequest: 3)
    store = try ReportStore(
      at: reports, mode == "tight" ? tight : roomy, replies: .otlp,
      transport: Service(served: journal("served"), refused: journal("refused")),
      probe: StoreProbe(reached: { killer.reached($0) }) { call, name in
        call == .write && name.hasSuffix(".report") && disk.isFull ? ENOSPC : nil
      })
  }

  /// Cuts the last file.
  private static func damage(_ reports: URL, _ damaged: Journal) throws {
    let path = reports.path(percentEncoded: false)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    guard let name = names.filter({ $0.hasSuffix(".report") }).max() else { return }
    try damaged.append([String(name.dropFirst(17).prefix(36)).uppercased()])
    truncate(path + "/" + name, 100)
  }

  private func run() async throws {
    guard await store.ledger.isBalanced else { exit(3) }
    let known = intended.lines.count
    for number in known..<(known + 8) {
      // Of each four, three wait in memory, and the last one brings them along.
      disk.isFull = mode == "memory" && !isLast && number % 4 != 3
      let id = UUID()
      try intended.append([id.uuidString])
      let isRefused = number % 7 == 3
      let body = Data((isRefused ? "!" : "{").utf8) + Data(repeating: 120, count: 2_000)
      let record = ReportStore.Record(
        id: id, time: Date(), severity: number.isMultiple(of: 3) ? .critical : .error,
        category: isRefused ? "refused" : "error", fingerprint: "1-0123456789abcdef",
        contentType: "application/x-ndjson", body: body,
        trimmed: number.isMultiple(of: 2) ? body.prefix(1_000) : nil)
      let isNow = record.severity == .critical
      let fate = isNow ? store.keepNow(record) : await store.keep(record)
      if fate == .kept { try accepted.append([id.uuidString]) }
      if number % 4 == 3 { await drain(rounds: 2) }
    }
    disk.isFull = false
    await drain(rounds: isLast ? 10_000 : 4)
    guard await store.ledger.isBalanced else { exit(4) }
  }

  private func drain(rounds: Int) async {
    for _ in 0..<rounds {
      store.wake()
      if await store.drain() == .finished { return }
    }
  }
}
