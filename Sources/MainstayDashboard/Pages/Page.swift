// SPDX-License-Identifier: Apache-2.0

/// What a page shows, as its templates read it.
struct Page: Sendable {
  var root = ""
  var home = "/"
  var title: String
  /// The address of the link in the head that leads here, where that is not the overview.
  var place: String?
  var links: [Link] = []
  /// Who looks at it, where that is known.
  var visitor: String?
  /// What was done just now.
  var notice: String?
  var lead: String?
  var token = ""
  /// The parts of which changes are told while the page is open.
  var live: LiveParts = []
  var tiles: [Tile] = []
  var search: Search?
  var sections: [Section] = []
  var confirmation: Confirmation?
  var next: String?

  // What templates cannot find out by themselves.
  private(set) var (hasTiles, hasLinks) = (false, false)
  private(set) var parts = ""

  /// The page as its templates need it.
  var prepared: Page {
    var page = self
    page.hasTiles = !tiles.isEmpty
    page.hasLinks = !links.isEmpty
    // Whatever a page shows, it says how long ago some of that was.
    page.parts = live.isEmpty ? "" : live.union(.plots).names.joined(separator: " ")
    page.sections = sections.map(\.prepared)
    return page
  }

  init(title: String, place: String? = nil, lead: String? = nil, live: LiveParts = []) {
    self.title = title
    self.place = place
    self.lead = lead
    self.live = live
  }

  struct Link: Sendable {
    var title: String
    var address: String
    var isCurrent = false
  }

  /// One number at a glance.
  struct Tile: Sendable {
    var title: String
    var value: String
    var detail: String
    var link: String?
    var tone: Tone?
  }

  struct Section: Sendable {
    var title: String
    var id: String
    var note: String?
    var plots: [Plot] = []
    var facts: [Fact] = []
    var steps: [Step] = []
    var columns: [Column] = []
    var rows: [Row] = []
    /// What is said where there is no row; nil where there is no table.
    var empty: String?
    var form: Actions?
    var links: [Link] = []
    private(set) var (hasFacts, hasSteps, hasRows) = (false, false, false)

    fileprivate var prepared: Section {
      var section = self
      section.hasFacts = !facts.isEmpty
      section.hasSteps = !steps.isEmpty
      section.hasRows = !rows.isEmpty
      return section
    }

    init(_ title: String, note: String? = nil) {
      self.title = title
      self.note = note
      id = Site.escaped(title.lowercased()).replacing("%", with: "-")
    }

    init(
      _ title: String, _ columns: [Column], _ rows: [Row], empty: String, note: String? = nil,
      form: Actions? = nil
    ) {
      self.init(title, note: note)
      self.columns = columns
      self.rows = rows
      self.empty = rows.isEmpty ? empty : nil
      self.form = rows.isEmpty ? nil : form
    }
  }

  /// A name and its value.
  struct Fact: Sendable {
    var name: String
    var value: Cell
    /// Whether it is a code that must not be broken, and takes a line of its own.
    var isWide: Bool

    init(_ name: String, _ value: Cell, isWide: Bool = false) {
      (self.name, self.value, self.isWide) = (name, value, isWide)
    }
  }

  /// One of several things in an order.
  struct Step: Sendable {
    var title: String
    var words: String
  }

  struct Column: Sendable, ExpressibleByStringLiteral {
    var title: String
    var isNumber = false

    init(stringLiteral title: String) { self.title = title }

    static func number(_ title: String) -> Column {
      var column = Column(stringLiteral: title)
      column.isNumber = true
      return column
    }
  }

  struct Row: Sendable {
    /// By what a script finds the row again.
    var key: String?
    var cells: [Cell]
    /// What a form sends when this row is chosen, and what the choice is called.
    var choice: Choice?

    init(_ cells: Cell..., key: String? = nil, choice: Choice? = nil) {
      self.cells = cells
      self.choice = choice
      self.key = key ?? choice?.id
    }
  }

  struct Choice: Sendable {
    var id: String
    var label: String
    var isChosen = false
  }

  /// How something looks; a word says the same.
  enum Tone: String, Sendable {
    case good, warn, bad, quiet
  }

  struct Cell: Sendable, ExpressibleByStringInterpolation {
    var text: String
    var link: String?
    /// Makes the cell look as a state does.
    var tone: Tone?
    var isNumber = false
    /// The moment that the text speaks of, for machines.
    var moment: String?
    /// What is drawn before the text.
    var bars: Bars?

    init(_ text: String, link: String? = nil, tone: Tone? = nil) {
      self.text = text
      self.link = link
      self.tone = tone
    }

    init(stringLiteral value: String) { self.init(value) }

    static func number(_ value: Int, link: String? = nil, tone: Tone? = nil) -> Cell {
      var cell = Cell(Words.number(value), link: link, tone: tone)
      cell.isNumber = true
      return cell
    }
  }

  /// The buttons below a table whose rows can be chosen.
  struct Actions: Sendable {
    var buttons: [Button]
    /// Buttons for all that match what was looked for.
    var all: [Button] = []
    /// What was looked for.
    var fields: [Field] = []
  }

  struct Button: Sendable {
    var title: String
    var address: String
    /// Whether what it does cannot be taken back.
    var isGrave = false
  }

  struct Field: Sendable {
    var name: String
    var value: String
  }

  struct Search: Sendable {
    var text: String
    var choices: [Choices]

    struct Choices: Sendable {
      var name: String
      var title: String
      var options: [Option]

      init(_ name: String, _ title: String, _ values: [String], chosen: String?) {
        self.name = name
        self.title = title
        options = values.map { Option(value: $0, isChosen: $0 == chosen) }
      }
    }

    struct Option: Sendable {
      var value: String
      var isChosen: Bool
    }
  }

  /// A question before something is done.
  struct Confirmation: Sendable {
    var question: String
    var detail: String?
    var button: Button
    var fields: [Field]
    var back: String
  }
}
