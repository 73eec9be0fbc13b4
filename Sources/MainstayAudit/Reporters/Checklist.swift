// SPDX-License-Identifier: Apache-2.0

/// What a migration to one type of errors still has to do, for each type of errors there is.
struct Checklist {
  /// One type of errors.
  struct Entry {
    let name: String
    let path: String
    let line: Int
    /// Where code other than tests throws it.
    let throwSites: [IndexedUse]
    /// Whether it becomes the app's error; nil where nobody said which that is.
    let hasConversion: Bool?
    /// Whether it says what went wrong in words for people.
    let hasDescription: Bool
    /// Whether it says what to do.
    let hasSuggestion: Bool
    /// Where tests throw it or ask for it.
    let tests: [IndexedUse]
    /// Its cases that no test names; nil where the index does not know.
    let untestedCases: [String]?
    let cases: Int
    /// Where code other than tests asks for it.
    let catchSites: [IndexedUse]

    /// Whether nothing is left to do that syntax shows.
    var isDone: Bool {
      hasConversion != false && hasDescription && hasSuggestion && isTested
    }

    var isTested: Bool { !tests.isEmpty || (untestedCases?.count ?? cases) < cases }
  }

  let entries: [Entry]
  /// The type for the errors of the whole app.
  let appError: String?
  /// Clauses outside of tests that ask for that type.
  let knowingClauses: Int

  /// What no look at syntax decides.
  static let outsideSyntax = [
    "No data is lost when an operation fails halfway",
    "A person who cannot go on has another way",
    "Features that need what is missing are switched off, and come back",
    "What is shown from a cache says how old it is",
    "Texts are friendly, and blame nobody",
    "The same failure does not alert anybody twice in a row",
  ]

  init(_ report: AuditReport) {
    let index = report.index
    let basis = report.basis
    let app = basis.appError
    // What its file keeps to itself converts there or nowhere.
    let types = index.errorTypes.filter {
      $0.pathClass != .test && $0.isForOthers && $0.name != app
    }
    // `throw .empty` names no type: it counts where one type alone has such a case.
    var owners: [String: Set<String>] = [:]
    for type in types {
      for each in type.cases { owners[each.name, default: []].insert(type.name) }
    }
    func owner(_ use: IndexedUse) -> String? {
      if let type = use.type { return type }
      guard let member = use.member, let names = owners[member], names.count == 1 else {
        return nil
      }
      return names.first
    }
    let thrown = Dictionary(grouping: index.throwSites, by: owner)
    let caught = Dictionary(grouping: index.catchSites, by: owner)
    appError = app
    knowingClauses = app.map { caught[$0]?.count { $0.pathClass != .test } ?? 0 } ?? 0
    entries = types.map { type in
      let throwSites = thrown[type.name] ?? []
      let catchSites = caught[type.name] ?? []
      let converts = app.map { index.converts(type, into: $0, by: basis.converters) }
      // What becomes the app's error has its texts.
      let hasTexts = converts ?? index.conforms(type, to: basis.converters)
      return Entry(
        name: type.qualifiedName, path: type.path, line: type.line,
        throwSites: throwSites.filter { $0.pathClass != .test }.sorted(by: Self.isBefore),
        hasConversion: converts,
        hasDescription: hasTexts || index.hasProperty("errorDescription", in: type),
        hasSuggestion: hasTexts || index.hasProperty("recoverySuggestion", in: type),
        tests: (throwSites + catchSites).filter { $0.pathClass == .test }.sorted(by: Self.isBefore),
        untestedCases: basis.notesMembers
          ? type.cases.filter { !index.isNamedInTests($0, of: type) }.map(\.name) : nil,
        cases: type.cases.count,
        catchSites: catchSites.filter { $0.pathClass != .test }.sorted(by: Self.isBefore))
    }
  }

  private static func isBefore(_ one: IndexedUse, _ other: IndexedUse) -> Bool {
    (one.path, one.line) < (other.path, other.line)
  }

  /// "12 types of errors, 9 of them done".
  var sentence: String {
    let count = entries.count
    let done = entries.count { $0.isDone }
    let into = appError.map { " to `\($0)`" } ?? ""
    return "Migration\(into): \(count.grouped) \(count == 1 ? "type" : "types") of errors, "
      + "\(done.grouped) done"
  }
}
