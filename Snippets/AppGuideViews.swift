// SPDX-License-Identifier: Apache-2.0
// The parts in SwiftUI of the guide for who writes an app; without SwiftUI there is nothing in it.
// What it shows comes first, from the program of the guide: a test compares the two.

#if canImport(SwiftUI)
  import Foundation
  import Mainstay
  import MainstayHTTP
  import MainstayOutbox
  import MainstayUI
  import Observation
  import SwiftUI

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

  // snippet.fields
  nonisolated struct NewBook: Sendable {
    var title = ""

    static let title = FormField<Self, String>(
      "title", \.title, label: "Title", rules: [.required, .length(1...80)])
    static let fields = FormFields<Self> { title }
  }
  // snippet.hide

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

  // snippet.app
  struct BooksApp: App {
    @State private var opening: TaskModel<Books>

    init() {
      ErrorMapping.bootstrap(.standard.addingHTTPErrors().addingDatabaseErrors())
      // Once for all windows; so it is no task of a window, which ends with it.
      let opening = TaskModel<Books>()
      _opening = State(initialValue: opening)
      Task { await opening.run("Open the books") { try await Self.open() } }
    }

    var body: some Scene {
      WindowGroup {
        TaskView(opening) { books in
          BookScreen(on: books)
        } empty: {
          EmptyView()
        }
      }
    }

    private static func open() async throws -> Books {
      let folder = try FileManager.default.url(
        for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
      return try await Books(in: folder)
    }
  }

  struct BookScreen: View {
    @State private var window: BookWindow

    init(on books: Books) { _window = State(initialValue: BookWindow(on: books)) }

    var body: some View {
      BookList().environment(window)
        .connectionBanner(window.books.connection).errorBanner(window.presenter)
        .errorOverlay(window.presenter).toasts(window.toasts)
    }
  }
  // snippet.hide

  // snippet.list
  struct BookList: View {
    @Environment(BookWindow.self) private var window
    @State private var isAdding = false
    @State private var isReachable = true

    var body: some View {
      NavigationStack {
        TaskView(window.books.shelf) { shown in
          List {
            ForEach(shown) { book in
              Button(book.title) { Task { await window.borrow(book) } }
            }
            LabeledContent("Waiting to be sent", value: window.books.waiting.formatted())
            Toggle("The library can be reached", isOn: $isReachable)
          }
        } empty: {
          ContentUnavailableView("No books yet", systemImage: "books.vertical")
        }
        .navigationTitle("Books")
        .toolbar { Button("New book", systemImage: "plus") { isAdding = true } }
        .sheet(isPresented: $isAdding) { NewBookForm() }
      }
      .task { await window.books.follow() }
      .onChange(of: isReachable) { _, isReachable in
        Task { await window.setReachable(isReachable) }
      }
    }
  }
  // snippet.hide

  // snippet.sheet
  struct NewBookForm: View {
    @Environment(BookWindow.self) private var window
    @Environment(\.dismiss) private var dismiss
    @State private var form = FormModel(NewBook(), fields: NewBook.fields)
    @FocusState private var focus: JSONPointer?

    var body: some View {
      Form {
        FormSummaryList(form)
        FormFieldRow(form, NewBook.title, focus: $focus) { TextField("Emma", text: $0) }
        if let error = form.submissionError.flatMap({ ErrorPresentation($0) }) {
          ErrorRow(error, actions: [.dismiss]) { _ in form.dismissSubmissionError() }
        }
        Button("Add") { Task { await add() } }.disabled(form.isSubmitting)
        Button("Cancel", role: .cancel) { dismiss() }
      }
      .formFocus(form, $focus)
      .errorOverlay(window.presenter).toasts(window.toasts)
    }

    private func add() async {
      let added: Void? = await form.submit("Add a book") { try await window.books.add($0) }
      if added != nil { dismiss() }
    }
  }

// snippet.hide
#endif
