// SPDX-License-Identifier: Apache-2.0
// The guide for who has an app already.

import Foundation
import Mainstay
import MainstayHTTP
import MainstayOutbox
import MainstayUI

// What the app has.
struct Note: Codable, Sendable, Identifiable {
  var id: String
  var title: String
}

enum NotesError: Error {
  case signedOut
  case tooLong(limit: Int)
}

/// Of a library that is not the app's own.
struct SyncFailure: Error {
  var status: Int
  var method: String

  var isIdempotent: Bool { ["GET", "PUT", "DELETE"].contains(method) }
}

struct NotesAPI: Sendable {
  func list() async throws -> [Note] { [] }
  func rename(_ id: String, to title: String, key: IdempotencyKey? = nil) async throws {}
}

nonisolated struct CrashReporter: Sendable {
  func record(_ name: String, reason: String, values: [String: String]) {}
}

// snippet.errors
extension NotesError: AppErrorConvertible {
  var appError: AppError {
    switch self {
    case .signedOut:
      .unauthorized()
    case .tooLong(let limit):
      AppError(
        code: "notes.too-long", kind: .validation, disposition: .permanent,
        title: "The title is too long", message: "A title has at most \(limit) letters.",
        suggestion: "Shorten it, and save again.")
    }
  }
}
// snippet.hide

func starting() {
  // snippet.mapping
  ErrorMapping.bootstrap(
    .standard.addingHTTPErrors().adding(SyncFailure.self) { failure in
      AppError.http(status: failure.status, isRepeatable: failure.isIdempotent)
    })
  // snippet.hide
}

// snippet.pipeline
let notesCalls = Pipeline("notes") {
  Deadline(.seconds(30))
  Retry(maximumAttempts: 3)
  CircuitBreaker("notes", .consecutiveFailures(5), breakFor: .seconds(5))
  Timeout(.seconds(10))
}

func notes(from api: NotesAPI) async throws -> [Note] {
  try await notesCalls.run { try await api.list() }
}
// snippet.hide

// snippet.screen
@MainActor final class NotesScreen {
  let errors = ErrorPresenter()
  private let api: NotesAPI

  init(_ api: NotesAPI) { self.api = api }

  func rename(_ note: Note, to title: String) async {
    do {
      try await api.rename(note.id, to: title)
    } catch {
      errors.present(error, during: "Rename", of: note.id) { [weak self] in
        await self?.rename(note, to: title)
      }
    }
  }
}
// snippet.hide

// snippet.queue
struct RenameNote: QueuedOperation {
  static let kind: OperationKind = "rename-note"
  var id: String
  var title: String
}

func openQueue(at file: URL, for api: NotesAPI) async throws -> Outbox {
  try await Outbox(at: file) {
    Worker(for: RenameNote.self, afterDeadLetter: .goOn) { change, context in
      try await api.rename(change.id, to: change.title, key: context.idempotencyKey)
    }
  }
}
// snippet.hide

// snippet.sink
struct CrashReporterSink: ReportSink {
  let name = "crash-reporter"
  let purpose = ErrorReport.Purpose.crashes
  let reporter: CrashReporter

  func send(_ batch: ErrorReport.Batch) async -> ErrorReport.SendOutcome {
    for report in batch.reports {
      reporter.record(report.code.rawValue, reason: report.message, values: report.metadata)
    }
    return .accepted
  }
}
// snippet.hide

func monitoring(_ reporter: CrashReporter) -> ErrorMonitor {
  // snippet.monitor
  let monitor = ErrorMonitor(
    sinks: [ErrorReport.LogSink(), CrashReporterSink(reporter: reporter)],
    facts: ["app.version": "1.4"])
  // snippet.hide
  return monitor
}

func enqueuing(_ note: Note, _ title: String, in outbox: Outbox) async throws {
  try await outbox.enqueue(RenameNote(id: note.id, title: title), orderedBy: note.id)
}

@MainActor func reporting(to monitor: ErrorMonitor) -> (ErrorPresenter, Outbox.Configuration) {
  let errors = ErrorPresenter(monitor: monitor)
  var configuration = Outbox.Configuration()
  configuration.monitor = monitor
  return (errors, configuration)
}
