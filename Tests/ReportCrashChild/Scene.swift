// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Mainstay

/// What a store, a sink and an export do on a disk that does not work; it prints what became of
/// what they were handed.
enum Scene: String {
  /// Keeps three records on a disk that works.
  case seed
  /// Keeps until the volume is full, then sends all and keeps another one.
  case full
  /// Keeps a record that the system lets nobody write, then lifts the limit.
  case limited
  /// Keeps records in a folder that cannot be written, and sends.
  case readOnly
  /// The same as a user who may not write there; root may write everywhere.
  case denied
  /// Writes a batch to a log, then one that the system lets nobody write, then another one.
  case limitedLog
  /// Writes batches to a log until the volume is full, makes room, and writes on.
  case fullLog
  /// Exports diagnostics that the system lets nobody write, then lifts the limit.
  case limitedExport
  /// Captures a critical error before sinks for crashes, and ends at once.
  case lastWords
  /// Captures an error that is not critical now, before sinks for logs, and ends at once.
  case lastWordsNow

  private struct Service: ReportTransport {
    func send(_ request: ReportStore.Request) async throws -> ReportStore.Reply {
      ReportStore.Reply(status: 200)
    }
  }

  func play(in folder: URL) async {
    switch self {
    case .limitedLog: await log(in: folder)
    case .fullLog: await fillLog(in: folder)
    case .limitedExport: await export(to: folder)
    case .lastWords, .lastWordsNow: await sayLastWords(in: folder)
    default: await keep(in: folder)
    }
  }

  private func keep(in folder: URL) async {
    if self == .denied, geteuid() == 0, setgid(65_534) != 0 || setuid(65_534) != 0 { exit(3) }
    let store = ReportStore(
      at: folder, ReportStore.Configuration(maximumCount: 1_000, reserve: 0),
      replies: .otlp, transport: Service())
    switch self {
    case .seed: await keep(3, bytes: 1_000, in: store)
    case .full: await fill(store)
    case .limited: await exceed(store)
    case .limitedLog, .fullLog, .limitedExport, .lastWords, .lastWordsNow: break
    case .readOnly, .denied:
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
    await Self.limited(to: 100_000) {
      await keep(1, bytes: 150_000, in: store)
      await report(store)
    }
    await keep(1, bytes: 1_000, in: store)
  }

  /// Runs something while no file may grow beyond a size: as on a full disk, the beginning of what
  /// is written fits and the rest does not.
  private static func limited(to bytes: Int, _ body: () async -> Void) async {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    #if os(Linux)
      let size = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
      let size = RLIMIT_FSIZE
    #endif
    getrlimit(size, &limit)
    let before = limit.rlim_cur
    limit.rlim_cur = rlim_t(bytes)
    setrlimit(size, &limit)
    await body()
    limit.rlim_cur = before
    setrlimit(size, &limit)
  }

  private var monitor: ErrorMonitor {
    let monitor = ErrorMonitor(.init(limit: nil))
    for _ in 0..<20 {
      monitor.capture(AppError.http(status: 503, isRepeatable: true), during: "Load")
    }
    return monitor
  }

  private func log(in folder: URL) async {
    let file = folder.appending(path: "errors.jsonl")
    let sink = ErrorReport.FileSink(file)
    let batch = ErrorReport.Batch(reports: monitor.history)
    let size = { (try? Data(contentsOf: file))?.count ?? -1 }
    print("\(await sink.send(batch))")
    let before = size()
    await Self.limited(to: before + before / 2) {
      print("\(await sink.send(batch)) taken back=\(size() == before)")
    }
    print("\(await sink.send(batch))")
  }

  private func fillLog(in folder: URL) async {
    let (file, ballast) = (
      folder.appending(path: "errors.jsonl"), folder.appending(path: "ballast")
    )
    try? Data(repeating: 0, count: 100_000).write(to: ballast)
    let sink = ErrorReport.FileSink(file, forcing: .always)
    let batch = ErrorReport.Batch(reports: monitor.history)
    let contents = {
      let read = ErrorReport.Encoding.contents(ofJSON: (try? Data(contentsOf: file)) ?? Data())
      return "reports=\(read.reports.count) unreadable=\(read.unreadable)"
    }
    var accepted = 0
    while accepted < 1_000, await sink.send(batch) == .accepted { accepted += 1 }
    print("batch=\(batch.reports.count) accepted=\(accepted) \(contents())")
    print("\(await sink.send(batch)) \(contents())")
    try? FileManager.default.removeItem(at: ballast)
    print("\(await sink.send(batch)) \(contents())")
  }

  private func sayLastWords(in folder: URL) async {
    // A slow disk: who does not wait for it is too late.
    let disk = DispatchSemaphore(value: 0)
    let probe = StoreProbe(reached: { step in
      if step == .fileBegun { _ = disk.wait(timeout: .now() + .milliseconds(300)) }
    })
    let store = try? ReportStore(
      at: folder.appending(path: "reports"), .init(reserve: 0), replies: .otlp,
      transport: Service(), probe: probe)
    guard let store else { exit(3) }
    let purpose = self == .lastWords ? ErrorReport.Purpose.crashes : .log
    let sinks: [any ReportSink] = [
      await ErrorReport.StoreSink(store, as: .otlp, name: "store", purpose: purpose),
      ErrorReport.FileSink(folder.appending(path: "errors.jsonl"), purpose: purpose),
    ]
    let (monitor, error) = (
      ErrorMonitor(sinks: sinks), AppError.http(status: 503, isRepeatable: true)
    )
    if self == .lastWords {
      monitor.capture(error, severity: .critical)
    } else {
      monitor.captureNow(error, severity: .error)
    }
    _exit(7)
  }

  private func export(to folder: URL) async {
    let document = await Diagnostics.Source(monitor).collect()
    let count = {
      (try? FileManager.default.contentsOfDirectory(atPath: folder.path()))?.count ?? -1
    }
    await Self.limited(to: 5_000) {
      do throws(AppError) {
        try document.export(to: folder)
        print("exported")
      } catch {
        print("thrown=\(error.kind) left=\(count())")
      }
    }
    print("written=\((try? document.export(to: folder)) != nil) left=\(count())")
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
