// SPDX-License-Identifier: Apache-2.0
// The examples on the page about showing errors; without SwiftUI there is nothing in it.

#if canImport(SwiftUI)
  import Mainstay
  import MainstayUI
  import SwiftUI

  nonisolated struct Book: Sendable, Identifiable {
    var id = UUID()
    var title = ""

    static let title = FormField<Self, String>("title", \.title, label: "Title", rules: [.required])
    static let fields = FormFields<Self> { title }
  }

  struct Service: Sendable {
    func books() async throws -> [Book] { [] }
    func add(_ book: Book) async throws {}
  }

  // snippet.window
  struct RootView: View {
    let connection: ConnectionPresenter
    @State private var presenter = ErrorPresenter()
    @State private var toasts = Toasts()

    var body: some View {
      BooksView(service: Service())
        .environment(presenter)
        .environment(toasts)
        .connectionBanner(connection)
        .errorBanner(presenter)
        .errorOverlay(presenter)
        .toasts(toasts)
    }
  }

  // snippet.sheet
  struct BookSheet: View {
    let service: Service
    @Environment(ErrorPresenter.self) private var presenter
    @Environment(Toasts.self) private var toasts

    var body: some View {
      BookForm(service: service)
        .errorBanner(presenter)
        .errorOverlay(presenter)
        .toasts(toasts)
    }
  }

  // snippet.screen
  struct BooksView: View {
    let service: Service
    @State private var books = TaskModel<[Book]>()

    var body: some View {
      TaskView(books) { books in
        List(books) { Text($0.title) }
      } empty: {
        ContentUnavailableView("No books yet", systemImage: "books.vertical")
      }
      .task { await books.run("Load books") { try await service.books() } }
    }
  }

  // snippet.form
  struct BookForm: View {
    let service: Service
    @State private var form = FormModel(Book(), fields: Book.fields)
    @FocusState private var focus: JSONPointer?

    var body: some View {
      Form {
        FormSummaryList(form)
        FormFieldRow(form, Book.title, focus: $focus) { TextField("Dune", text: $0) }
        Button("Save") {
          Task { await form.submit("Save a book") { try await service.add($0) } }
        }
        .disabled(form.isSubmitting)
      }
      .formFocus(form, $focus)
    }
  }

  // snippet.hide

  struct ScannerView: View {
    let presenter: ErrorPresenter
    @State private var barcode = ""

    var body: some View {
      TextField("9780141439587", text: $barcode).errorField("/barcode", of: presenter)
    }
  }
#endif
