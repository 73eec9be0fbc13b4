// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let unboundedErrorStore = Forms(
    "MS509",
    bad: #"""
      final class ErrorLogger {
        static let shared = ErrorLogger()
        private var errors: [any Error] = []
        func log(_ error: any Error) {
          errors.append(error)
        }
      }
      ---
      actor ErrorHistory {
        private var entries: [ErrorEntry] = []
        func add(_ error: any Error, at date: Date) {
          entries.append(ErrorEntry(error: error, date: date))
        }
        func all() -> [ErrorEntry] { entries }
      }
      ---
      @MainActor final class ErrorManager: ObservableObject {
        @Published var errors = [AppError]()
        func handle(_ error: AppError) {
          errors.append(error)
        }
        func dismissAll() { errors = [] }
      }
      ---
      class CrashService {
        var breadcrumbs: [Breadcrumb] = []
        let lock = NSLock()
        func add(_ text: String) {
          lock.lock()
          defer { lock.unlock() }
          breadcrumbs.append(Breadcrumb(text))
        }
      }
      ---
      @Observable final class SyncEngine {
        private(set) var failures: [SyncFailure] = []
        func push() async {
          for change in changes {
            do {
              try await api.push(change)
            } catch {
              failures.append(SyncFailure(change, error))
            }
          }
        }
      }
      ---
      final class LogStore: @unchecked Sendable {
        private var logs: [LogEntry] = []
        private let queue = DispatchQueue(label: "log")
        func write(_ entry: LogEntry) {
          queue.async { self.logs.append(entry) }
        }
      }
      ---
      actor Diagnostics {
        var errorsByKey: [String: [any Error]] = [:]
        func record(_ error: any Error, for key: String) {
          errorsByKey[key, default: []].append(error)
        }
      }
      ---
      final class ErrorReporter {
        private var reports: [Report] = []
        func report(_ error: any Error) {
          let report = Report(error)
          reports.insert(report, at: 0)
        }
      }
      ---
      class NetworkMonitor {
        static let shared = NetworkMonitor()
        private(set) var errorHistory: [NetworkError] = []
        func requestFailed(_ error: NetworkError) {
          errorHistory = errorHistory + [error]
        }
      }
      ---
      @MainActor class AlertCenter: ObservableObject {
        @Published private(set) var errorLog: [String] = []
        func show(_ error: any Error) {
          errorLog += [error.localizedDescription]
          isShown = true
        }
      }
      ---
      final class AuditTrail {
        private var records: [AuditRecord] = []
        func append(_ record: AuditRecord) {
          records.append(record)
          onChange?(records)
        }
      }
      ---
      actor ErrorTracker {
        private var recorded: ContiguousArray<TrackedError> = []
        func track(_ error: any Error, context: [String: String]) async {
          guard isEnabled else { return }
          recorded.append(TrackedError(error, context))
          await upload()
        }
      }
      ---
      public final class EventLogger {
        private var events: [LogEvent] = []
        public init() {}
        public func error(_ message: String) {
          events.append(.init(level: .error, message: message))
        }
        public func export() -> Data { encode(events) }
      }
      ---
      @MainActor @Observable final class ErrorCenter {
        var queue: [AppError] = []
        var errors: [AppError] = []
        func receive(_ more: [AppError]) {
          if !more.isEmpty {
            errors.append(contentsOf: more)
          }
        }
      }
      ---
      final class RequestRecorder {
        static let shared = RequestRecorder()
        var errors: [String: Error] = [:]
        var failedRequests: [FailedRequest] = []
        func failed(_ request: URLRequest, _ error: Error) {
          failedRequests.append(FailedRequest(request, error))
        }
      }
      """#,
    good: #"""
      actor ErrorHistory {
        private var entries: [ErrorEntry] = []
        func add(_ entry: ErrorEntry) {
          if entries.count >= limit { entries.removeFirst() }
          entries.append(entry)
        }
      }
      ---
      struct Validator {
        var errors: [FieldError] = []
        mutating func check(_ field: Field) {
          if field.isEmpty { errors.append(.empty(field)) }
        }
      }
      ---
      final class Compiler {
        func compile(_ files: [File]) -> [CompileError] {
          var errors: [CompileError] = []
          for file in files { errors.append(contentsOf: check(file)) }
          return errors
        }
      }
      ---
      actor LogStore {
        private var logs = RingBuffer<LogEntry>(capacity: 500)
        func write(_ entry: LogEntry) { logs.append(entry) }
      }
      ---
      @Observable final class TodoModel {
        var items: [Item] = []
        func add(_ item: Item) { items.append(item) }
      }
      """#)
}
