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
    let owners = Owners(types)
    let thrown = owners.sorted(index.throwSites)
    let caught = owners.sorted(index.catchSites)
    appError = app
    knowingClauses = index.catchSites.count { $0.type == app && $0.pathClass != .test }
    entries = types.enumerated().map { place, type in
      let throwSites = thrown[place]
      let catchSites = caught[place]
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

  fileprivate static func isBefore(_ one: IndexedUse, _ other: IndexedUse) -> Bool {
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

/// Which type of errors a use is about.
private struct Owners {
  private let types: [IndexedType]
  private var byName: [String: [Int]] = [:]
  private var byCase: [String: [Int]] = [:]

  init(_ types: [IndexedType]) {
    self.types = types
    for (place, type) in types.enumerated() {
      byName[type.name, default: []].append(place)
      for each in type.cases { byCase[each.name, default: []].append(place) }
    }
  }

  /// The uses of each type, in the order of the types.
  func sorted(_ uses: [IndexedUse]) -> [[IndexedUse]] {
    var sorted = [[IndexedUse]](repeating: [], count: types.count)
    for use in uses { for place in owners(of: use) { sorted[place].append(use) } }
    return sorted
  }

  /// The types that a use may be about; of several with one name those that have the case, that
  /// lie in the same file, or in the same target.
  private func owners(of use: IndexedUse) -> [Int] {
    guard let name = use.type else {
      // `throw .empty` names no type: it counts where one type alone has such a case.
      let places = use.member.flatMap { byCase[$0] } ?? []
      return places.count == 1 ? places : []
    }
    var places = byName[name] ?? []
    narrow(&places, to: { type in type.cases.contains { $0.name == use.member } })
    narrow(&places, to: { $0.path == use.path })
    narrow(&places, to: { !$0.target.isEmpty && use.path.hasPrefix($0.target + "/") })
    return places
  }

  private func narrow(_ places: inout [Int], to isNear: (IndexedType) -> Bool) {
    guard places.count > 1 else { return }
    let near = places.filter { isNear(types[$0]) }
    if !near.isEmpty { places = near }
  }
}
