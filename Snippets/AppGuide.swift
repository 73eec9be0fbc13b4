// SPDX-License-Identifier: Apache-2.0
// The guide for who writes an app: a test runs this and compares what it prints with the page.

// snippet.imports
import Foundation
import Mainstay
import MainstayHTTP
import MainstayOutbox
import MainstayUI
// snippet.hide

// snippet.errors
enum BookError: AppErrorConvertible {
  case lentOut(title: String)

  var appError: AppError {
    switch self {
    case .lentOut(let title):
      AppError(
        code: "books.lent-out", kind: .conflict, disposition: .permanent,
        title: "This book is lent out", message: "Somebody else reads “\(title)”.",
        suggestion: "Reserve it, and you will be told when it is back.")
    }
  }
}
// snippet.hide

// snippet.service
nonisolated struct Book: Sendable, Codable, Identifiable {
  var title: String
  var id: String { title }
}

actor Library {
  private var books: [Book] = [Book(title: "Emma")]
  private var failures = 0
  private var isReachable = true

  func fail(times: Int) { failures = times }
  func setReachable(_ isReachable: Bool) { self.isReachable = isReachable }

  func list() throws -> [Book] {
    try answer()
    return books
  }

  func add(_ book: Book, key: IdempotencyKey) throws {
    try answer()
    books.append(book)
  }

  private func answer() throws {
    guard isReachable else { throw AppError.Network.offline }
    if failures > 0 {
      failures -= 1
      throw AppError.Network.server(code: 503)
    }
  }
}
// snippet.hide

// Step 1.
// snippet.classified
let error = AppError.from(BookError.lentOut(title: "Emma"))
print(error.title.string(), "/", error.kind, "/", error.disposition)
// snippet.hide

// snippet.mapping
ErrorMapping.bootstrap(.standard.addingHTTPErrors().addingDatabaseErrors())

let refused = AppError.from(NSError(domain: "NSURLErrorDomain", code: -1004))  // by URLSession
print(refused.title.string(), "/", refused.kind, "/ sent:", refused.mayHaveBeenSent)
// snippet.hide

// Step 2.
// snippet.call
let library = Library()
let catalog = Pipeline("catalog") {
  Deadline(.seconds(30))
  Retry(maximumAttempts: 3, backoff: .exponential(from: .milliseconds(50), to: .seconds(2)))
  CircuitBreaker("catalog", .consecutiveFailures(5), breakFor: .seconds(5))
  Timeout(.seconds(10))
}

await library.fail(times: 2)
let books = try await catalog.run { try await library.list() }
print("books after two failures:", books.map(\.title))
// snippet.hide

// Step 3.
// snippet.model
let shelf = TaskModel<[Book]>()
await shelf.run("Load books") { try await catalog.run { try await library.list() } }
print("loaded:", shelf.value?.count ?? 0)

await library.setReachable(false)
await shelf.refresh()
if let shown = shelf.presentation(in: Locale(identifier: "en")) {
  print("still there:", shelf.value?.count ?? 0)
  print(shown.title, "/", shown.message)
}
// snippet.hide

// Step 4.
// snippet.queue
struct AddBook: QueuedOperation {
  static let kind: OperationKind = "add-book"
  var book: Book
}

func openOutbox(in folder: URL) async throws -> Outbox {
  try await Outbox(at: folder.appending(path: "outbox.sqlite")) {
    Worker(for: AddBook.self) { add, context in
      try await library.add(add.book, key: context.idempotencyKey)
    }
  }
}
// snippet.hide

// snippet.offline
let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

let outbox = try await openOutbox(in: folder)
let id = try await outbox.enqueue(AddBook(book: Book(title: "Persuasion")), orderedBy: "books")
print("waiting without a network:", try await outbox.snapshot().pending)

await library.setReachable(true)
try await outbox.connectionImproved()
if case .ended(let reason, _, _) = try await outbox.handle(id, for: AddBook.self).outcome() {
  print("with a network:", reason.rawValue, try await library.list().map(\.title))
}
// snippet.hide

// Step 5.
// snippet.form
nonisolated struct NewBook: Sendable {
  var title = ""

  static let title = FormField<Self, String>(
    "title", \.title, label: "Title", rules: [.required, .length(1...80)])
  static let fields = FormFields<Self> { title }
}

let form = FormModel(NewBook(), fields: NewBook.fields)
await form.submit("Add a book") { _ in print("never reached") }
print(form.summary?.announcement(in: Locale(identifier: "en")) ?? "nothing is wrong")

form.set(NewBook.title, "Sanditon")
await form.submit("Add a book") { new in
  try await outbox.enqueue(AddBook(book: Book(title: new.title)), orderedBy: "books")
}
print(form.summary?.announcement(in: Locale(identifier: "en")) ?? "nothing is wrong")
// snippet.hide
