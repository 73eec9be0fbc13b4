// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

/// What grows without a limit, and whether it may be cut (MS509).
@Suite struct RecordStoreTests {
  @Test(arguments: [
    """
    @MainActor @Observable final class WorkoutStore {
      var records: [Workout] = []
      func add(_ w: Workout) { records.append(w); save() }
    }
    """,
    """
    final class PurchaseManager: ObservableObject {
      @Published var history: [Purchase] = []
      func bought(_ p: Purchase) { history.append(p) }
    }
    """,
    """
    final class VinylRecordStore {
      private var records: [Record] = []
      func add(_ r: Record) { records.append(r) }
    }
    """,
    """
    final class MathProblemStore {
      var problems: [Problem] = []
      func add(_ p: Problem) { problems.append(p) }
    }
    """,
    """
    final class ChatService {
      var history: [Message] = []
      func add(_ m: Message) { history.append(m) }
    }
    """,
    """
    actor GameStore {
      var history: [Move] = []
      func play(_ m: Move) { history.append(m) }
      func undo() { replay(history) }
    }
    """,
    """
    final class PendingRecordStore {
      var pendingRecords: [OfflineRecord] = []
      func add(_ r: OfflineRecord) { pendingRecords.append(r) }
    }
    """,
  ])
  func `what people own is no store of errors`(code: String) async throws {
    #expect(try await findings(in: code).isEmpty)
  }

  @Test(arguments: [
    """
    @Observable final class CrashStore {
      var reports: [CrashRecord] = []
      func add(_ r: CrashRecord) { reports.append(r) }
    }
    """,
    """
    final class ErrorStore {
      var history: [Entry] = []
      func add(_ e: Entry) { history.append(e) }
    }
    """,
    """
    final class SyncManager {
      var errorRecords: [SyncRecord] = []
      func add(_ r: SyncRecord) { errorRecords.append(r) }
    }
    """,
    """
    final class ErrorReporter {
      private var reports: [Report] = []
      func report(_ r: Report) { reports.append(r) }
    }
    """,
  ])
  func `a word beside it tells that it keeps errors, and no safe fix drops one`(
    code: String
  ) async throws {
    let found = try await findings(in: code)
    #expect(found.count == 1)
    let fix = try #require(found.first?.fix)
    #expect(!fix.isSafe)
    let run = FixRun(found, in: Array(code.utf8), unsafe: false)
    #expect(String(decoding: run.bytes, as: UTF8.self) == code)
  }

  @Test func `a statement that ends with its sign is cut behind that`() async throws {
    let code = """
      final class ErrorStore {
        var errors: [any Error] = []
        func add(_ e: any Error) { errors.append(e) ; save() }
      }
      """
    let run = FixRun(try await findings(in: code), in: Array(code.utf8), unsafe: true)
    let text = String(decoding: run.bytes, as: UTF8.self)
    #expect(text.contains("(e) ; if errors.count > 100 { errors.removeFirst() }; save()"))
  }

  @Test(arguments: ["errors.removeFirst()", "errors.removeAll { $0.isOld }"])
  func `a store that is cut is cut, also where it is emptied further down`(
    cut: String
  ) async throws {
    let code = """
      final class ErrorStore {
        var errors: [any Error] = []
        func add(_ e: any Error) { errors.append(e); if errors.isEmpty { \(cut) } }
        func clear() { errors.removeAll() }
      }
      """
    #expect(try await findings(in: code).isEmpty)
    #expect(try await findings(in: code.replacing(cut, with: "tell()")).count == 1)
  }

  @Test func `of many stores in one type each is told by what is done to it`() async throws {
    let kept = (0..<60).map {
      """
        var a\($0)Errors: [any Error] = []
        var b\($0)Errors: [any Error] = []
        func add\($0)(_ e: any Error) {
          a\($0)Errors.append(e)
          b\($0)Errors.append(e)
          b\($0)Errors.removeFirst()
        }
      """
    }
    let code = "final class ErrorStore {\n\(kept.joined(separator: "\n"))\n}"
    let found = try await findings(in: code)
    #expect(found.count == 60)
    #expect(found.allSatisfy { $0.message.hasPrefix("`a") })
  }

  private func findings(in code: String) async throws -> [Finding] {
    try await report(of: .good(code), profile: .default).findings.filter { $0.rule == "MS509" }
  }
}
