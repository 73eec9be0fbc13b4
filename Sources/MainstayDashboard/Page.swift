// SPDX-License-Identifier: Apache-2.0

internal import Mustache

/// What a page shows, as its template reads it.
struct Page: Sendable {
  var root = ""
  var title: String
  /// What was done just now.
  var notice: String?
  var lead: String?
  var token = ""
  var search: Search?
  var sections: [Section] = []
  var confirmation: Confirmation?
  var next: String?

  struct Section: Sendable {
    var title: String
    var head: [String] = []
    var rows: [Row] = []
    var isEmpty: Bool
    var empty: String
    var form: Actions?

    init(
      _ title: String, _ head: [String] = [], _ rows: [Row] = [], empty: String = "Nothing.",
      form: Actions? = nil
    ) {
      self.title = title
      self.head = head
      self.rows = rows
      self.empty = empty
      self.form = form
      isEmpty = rows.isEmpty
    }
  }

  struct Row: Sendable {
    var cells: [Cell]
    /// What a form sends when this row is chosen, and what the choice is called.
    var choice: Choice?

    init(_ cells: Cell..., choice: Choice? = nil) {
      self.cells = cells
      self.choice = choice
    }
  }

  struct Choice: Sendable {
    var id: String
    var label: String
  }

  struct Cell: Sendable, ExpressibleByStringInterpolation {
    var text: String
    var link: String?
    /// Makes the cell look as a state does, such as `bad`.
    var tone: String?

    init(_ text: String, link: String? = nil, tone: String? = nil) {
      self.text = text
      self.link = link
      self.tone = tone
    }

    init(stringLiteral value: String) { self.init(value) }
  }

  /// The buttons below a table whose rows can be chosen.
  struct Actions: Sendable {
    var buttons: [Button]
  }

  struct Button: Sendable {
    var title: String
    var address: String
  }

  struct Search: Sendable {
    var text: String
    var states: [State]

    struct State: Sendable {
      var name: String
      var isChosen: Bool
    }
  }

  /// A question before something is done.
  struct Confirmation: Sendable {
    var question: String
    var button: Button
    var ids: [String]
    var back: String
  }
}

/// The templates, read once.
struct PageLibrary: Sendable {
  private let library: MustacheLibrary

  init() {
    MustacheContentTypes.register(EscapedHTML(), named: EscapedHTML.name)
    let text = String(decoding: PackageResources.page_mustache, as: UTF8.self)
    var library = MustacheLibrary()
    do {
      try library.register("{{% CONTENT_TYPE:\(EscapedHTML.name)}}" + text, named: "page")
    } catch {
      // mainstay:ignore MS602 -- the template is a part of the program, as its code is
      preconditionFailure("The template of the dashboard cannot be read: \(error).")
    }
    self.library = library
  }

  func render(_ page: Page) -> String { library.render(page, withTemplate: "page") ?? "" }
}
