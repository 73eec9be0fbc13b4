// SPDX-License-Identifier: Apache-2.0

extension RemarkClause {
  /// Whether it promises that the program ends in some case: "crashes where it is of another type",
  /// "a fatal error if there is none", but not "says what a crash leaves" or "traps SIGTERM".
  var promisesEnd: Bool {
    // "Precondition: the store is open."
    if words == ["precondition"] || words == ["preconditions"] { return true }
    return words.indices.contains { place in
      guard !isOpen(at: place), !has(Self.moments, before: place) else { return false }
      switch words[place] {
      case "crashes", "traps":
        return Self.cases.contains(word(place + 1))
          && (place == 0 || Self.enders.contains(word(place - 1)))
      case "ends", "terminates", "aborts":
        return endsProgram(at: place)
      case "fatal": return word(place + 1) == "error" && isOutcome(from: place, to: place + 1)
      case "fatalerror": return isOutcome(from: place, to: place)
      case "precondition":
        return word(place + 1) == "failure" && isOutcome(from: place, to: place + 1)
      default: return false
      }
    }
  }

  /// Whether it says what is made for previews or tests: "for previews", "in unit tests".
  var isForPreviews: Bool {
    words.indices.contains { place in
      guard ["previews", "tests"].contains(words[place]), !isOpen(at: place) else { return false }
      var before = place - 1
      while Self.fillers.contains(word(before)) { before -= 1 }
      // "Looks for tests in the folder" says what it does.
      return ["for", "in"].contains(word(before)) && !Self.searches.contains(word(before - 1))
    }
  }

  /// "Ends the program where", "the app terminates if", but not "ends the session when".
  private func endsProgram(at place: Int) -> Bool {
    if Self.programs.contains(word(place - 1)) { return Self.cases.contains(word(place + 1)) }
    return ["the", "this"].contains(word(place + 1)) && Self.programs.contains(word(place + 2))
      && Self.cases.contains(word(place + 3))
  }

  /// Whether the error named there is what comes of it: "ends with a fatal error", "it is a fatal
  /// error if", but not "shows a fatal error".
  private func isOutcome(from place: Int, to end: Int) -> Bool {
    var before = place - 1
    if ["a", "the"].contains(word(before)) { before -= 1 }
    if word(before) == "with", Self.endings.contains(word(before - 1)) { return true }
    return Self.cases.contains(word(end + 1))
      && ["", "is", "causes", "triggers", "raises", "calls", "or", "otherwise"]
        .contains(word(before))
  }

  private static let cases: Set<String> = ["if", "when", "where", "unless", "on", "should"]
  /// "When the app terminates" tells the time.
  private static let moments: Set<String> = [
    "when", "whenever", "before", "after", "until", "once", "as", "while", "how", "why",
  ]
  private static let enders: Set<String> = [
    "it", "this", "program", "app", "application", "process", "and", "or", "otherwise",
  ]
  private static let programs: Set<String> = ["program", "app", "application", "process"]
  private static let endings: Set<String> = [
    "ends", "crashes", "traps", "terminates", "stops", "fails", "aborts",
  ]
  private static let fillers: Set<String> = [
    "swiftui", "xcode", "unit", "ui", "the", "use", "previews", "tests", "and", "or",
  ]
  private static let searches: Set<String> = [
    "look", "looks", "looking", "search", "searches", "wait", "waits", "ask", "asks", "checks",
    "scans",
  ]
}
