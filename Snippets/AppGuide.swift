// SPDX-License-Identifier: Apache-2.0
// The guide for who writes an app: a test runs this and compares what it prints with the page.

// snippet.imports
import Foundation
import Mainstay
import MainstayHTTP
import MainstayOutbox
import MainstayUI
import Observation
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
  private let lentOut: Set = ["Emma"]
  private var added: Set<IdempotencyKey> = []
  private var failures = 0
  private var isReachable = true

  func fail(times: Int) { failures = times }
  func setReachable(_ isReachable: Bool) { self.isReachable = isReachable }

  func list() throws -> [Book] {
    try answer()
    return books
  }

  func borrow(_ book: Book) throws {
    try answer()
    if lentOut.contains(book.title) { throw BookError.lentOut(title: book.title) }
  }

  func add(_ book: Book, key: IdempotencyKey) throws {
    try answer()
    if added.insert(key).inserted { books.append(book) }
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
let found = try await catalog.run { try await library.list() }
print("books after two failures:", found.map(\.title))

do {
  try await catalog.run { try await library.borrow(Book(title: "Emma")) }
} catch {
  print("refused:", AppError.from(error).title.string())
}
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

func openOutbox(
  in folder: URL, for library: Library, following connectivity: ConnectivityMonitor? = nil,
  reportingTo monitor: ErrorMonitor? = nil
) async throws -> Outbox {
  var configuration = Outbox.Configuration()
  configuration.connectivity = connectivity
  configuration.monitor = monitor
  let file = folder.appending(path: "outbox.sqlite")
  return try await Outbox(at: file, configuration: configuration) {
    Worker(for: AddBook.self, afterDeadLetter: .goOn) { add, context in
      try await library.add(add.book, key: context.idempotencyKey)
    }
  }
}
// snippet.hide

// snippet.offline
let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
defer { try? FileManager.default.removeItem(at: folder) }

let outbox = try await openOutbox(in: folder, for: library)
let id = try await outbox.enqueue(AddBook(book: Book(title: "Persuasion")), orderedBy: "books")
print("waiting without a network:", try await outbox.snapshot().pending)

await library.setReachable(true)
try await outbox.connectionImproved()
if case .ended(let reason, _, _) = try await outbox.handle(id, for: AddBook.self).outcome() {
  print("with a network:", reason.rawValue, try await library.list().map(\.title))
}
// snippet.hide

// Step 5.
// snippet.fields
nonisolated struct NewBook: Sendable {
  var title = ""

  static let title = FormField<Self, String>(
    "title", \.title, label: "Title", rules: [.required, .length(1...80)])
  static let fields = FormFields<Self> { title }
}
// snippet.hide

// snippet.form
let form = FormModel(NewBook(), fields: NewBook.fields)
await form.submit("Add a book") { _ in print("never reached") }
print(form.summary?.announcement(in: Locale(identifier: "en")) ?? "nothing is wrong")

form.set(NewBook.title, "Sanditon")
await form.submit("Add a book") { new in
  try await outbox.enqueue(AddBook(book: Book(title: new.title)), orderedBy: "books")
}
print(form.summary?.announcement(in: Locale(identifier: "en")) ?? "nothing is wrong")
// snippet.hide

// Step 6.
// snippet.wiring
@MainActor @Observable
final class Books {
  let library = Library()
  let catalog = Pipeline("catalog") {
    Deadline(.seconds(30))
    Retry(maximumAttempts: 3, backoff: .exponential(from: .milliseconds(50), to: .seconds(2)))
    CircuitBreaker("catalog", .consecutiveFailures(5), breakFor: .seconds(5))
    Timeout(.seconds(10))
  }
  let monitor = ErrorMonitor(sinks: [ErrorReport.LogSink()])
  let outbox: Outbox
  let shelf: TaskModel<[Book]>
  let connection: ConnectionPresenter
  private(set) var waiting = 0

  init(in folder: URL) async throws {
    let connectivity = ConnectivityMonitor()
    shelf = TaskModel(monitor: monitor)
    connection = ConnectionPresenter(following: connectivity, note: "Changes are sent later.")
    outbox = try await openOutbox(
      in: folder, for: library, following: connectivity, reportingTo: monitor)
  }

  func load() async {
    await shelf.run("Load books") { [catalog, library] in
      try await catalog.run { try await library.list() }
    }
  }

  func borrow(_ book: Book) async throws {
    try await catalog.run { try await library.borrow(book) }
  }

  func add(_ new: NewBook) async throws {
    try await outbox.enqueue(AddBook(book: Book(title: new.title)), orderedBy: "books")
  }

  // Loads the list, and again whenever something that waited was sent.
  func follow() async {
    var before = Int.max
    for await snapshot in outbox.changes {
      waiting = snapshot.pending
      if waiting == 0 || waiting < before { await load() }
      before = waiting
    }
  }

  // For trying it out: cuts the library off, as `setReachable` of step 3 does.
  func setReachable(_ isReachable: Bool) async throws {
    await library.setReachable(isReachable)
    if isReachable { try await outbox.connectionImproved() }
  }
}
// snippet.hide

// snippet.window
@MainActor @Observable
final class BookWindow {
  let books: Books
  let presenter: ErrorPresenter
  let toasts = Toasts()

  init(on books: Books) {
    self.books = books
    presenter = ErrorPresenter(monitor: books.monitor)
  }

  func borrow(_ book: Book) async {
    do {
      try await books.borrow(book)
      toasts.show(.success, "“\(book.title)” is yours for four weeks.")
    } catch {
      presenter.present(error, during: "Borrow a book", of: book.id) { [weak self] in
        await self?.borrow(book)
      }
    }
  }

  func setReachable(_ isReachable: Bool) async {
    do {
      try await books.setReachable(isReachable)
    } catch {
      presenter.present(error, during: "Send what waits")
    }
  }
}
// snippet.hide

// snippet.wired
let books = try await Books(in: folder.appending(path: "app"))
await books.load()
print("listed:", books.shelf.value?.map(\.title) ?? [])

let window = BookWindow(on: books)
await window.borrow(Book(title: "Emma"))
print("presented:", window.presenter.overlay?.presentation.title ?? "nothing")

await window.setReachable(false)
try await books.add(NewBook(title: "Persuasion"))
print("waiting:", try await books.outbox.snapshot().pending)
// snippet.hide
