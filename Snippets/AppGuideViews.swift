// SPDX-License-Identifier: Apache-2.0
// The parts in SwiftUI of the guide for who writes an app; without SwiftUI there is nothing in it.

#if canImport(SwiftUI)
  import Foundation
  import Mainstay
  import MainstayHTTP
  import MainstayOutbox
  import MainstayUI
  import Observation
  import SwiftUI

  nonisolated struct Book: Sendable, Codable, Identifiable {
    var title: String
    var id: String { title }
  }

  nonisolated struct NewBook: Sendable {
    var title = ""

    static let title = FormField<Self, String>(
      "title", \.title, label: "Title", rules: [.required, .length(1...80)])
    static let fields = FormFields<Self> { title }
  }

  struct AddBook: QueuedOperation {
    static let kind: OperationKind = "add-book"
    var book: Book
  }

  nonisolated struct Library: Sendable {
    func list() async throws -> [Book] { [] }
    func add(_ book: Book, key: IdempotencyKey) async throws {}
  }

  // snippet.wiring
  @MainActor @Observable
  final class Books {
    let monitor = ErrorMonitor()
    let connectivity = ConnectivityMonitor()
    let presenter: ErrorPresenter
    let connection: ConnectionPresenter
    let library = Library()
    let outbox: Outbox

    init() async throws {
      presenter = ErrorPresenter(monitor: monitor)
      connection = ConnectionPresenter(following: connectivity, note: "Changes are sent later.")
      var configuration = Outbox.Configuration()
      configuration.connectivity = connectivity
      let folder = try FileManager.default.url(
        for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
      let file = folder.appending(path: "outbox.sqlite")
      outbox = try await Outbox(at: file, configuration: configuration) { [library] in
        Worker(for: AddBook.self) { add, context in
          try await library.add(add.book, key: context.idempotencyKey)
        }
      }
    }
  }
  // snippet.hide

  // snippet.app
  struct BooksApp: App {
    @State private var opening = TaskModel<Books>()

    init() { ErrorMapping.bootstrap(.standard.addingHTTPErrors().addingDatabaseErrors()) }

    var body: some Scene {
      WindowGroup {
        TaskView(opening) { books in
          BookList().environment(books).environment(books.presenter)
            .connectionBanner(books.connection).errorOverlay(books.presenter)
        } empty: {
          EmptyView()
        }
        .task { await opening.run("Open the books") { try await Books() } }
      }
    }
  }
  // snippet.hide

  // snippet.list
  struct BookList: View {
    @Environment(Books.self) private var books
    @State private var shelf = TaskModel<[Book]>()

    var body: some View {
      TaskView(shelf) { books in
        List(books) { Text(verbatim: $0.title) }
      } empty: {
        ContentUnavailableView("No books yet", systemImage: "books.vertical")
      }
      .task { await shelf.run("Load books") { [books] in try await books.library.list() } }
    }
  }
  // snippet.hide

  // snippet.form
  struct NewBookForm: View {
    @Environment(Books.self) private var books
    @State private var form = FormModel(NewBook(), fields: NewBook.fields)
    @FocusState private var focus: JSONPointer?

    var body: some View {
      Form {
        FormSummaryList(form)
        FormFieldRow(form, NewBook.title, focus: $focus) { TextField("Emma", text: $0) }
        Button("Add") { Task { await add() } }.disabled(form.isSubmitting)
      }
      .formFocus(form, $focus)
    }

    private func add() async {
      await form.submit("Add a book") { [books] new in
        try await books.outbox.enqueue(AddBook(book: Book(title: new.title)), orderedBy: "books")
      }
    }
  }

// snippet.hide
#endif
