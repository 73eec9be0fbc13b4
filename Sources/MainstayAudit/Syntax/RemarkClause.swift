// SPDX-License-Identifier: Apache-2.0

/// A part of a sentence in a comment, between commas and the like.
///
/// What is denied in one part is not denied in the next: "If it does not exist, that is fine."
struct RemarkClause {
  /// Its words, in small letters.
  let words: [String]

  /// The clauses of a text, without those of questions.
  static func all(in text: String) -> [RemarkClause] {
    let text = text.lowercased().replacing("’", with: "'")
    var clauses: [RemarkClause] = []
    var sentence: [[String]] = [[]]
    var word = ""
    func endWord() {
      if !word.isEmpty { sentence[sentence.count - 1].append(word) }
      word = ""
    }
    func endSentence(isQuestion: Bool) {
      endWord()
      if !isQuestion { clauses += sentence.flatMap(parts) }
      sentence = [[]]
    }
    var place = text.startIndex
    while place < text.endIndex {
      let character = text[place]
      let next = text.index(after: place)
      // The mark of `try?` in a text ends no sentence.
      let isLast = next == text.endIndex || text[next].isWhitespace
      switch character {
      case ".", "!", "?":
        if isLast { endSentence(isQuestion: character == "?" && word != "try") } else { endWord() }
      case ";": endSentence(isQuestion: false)
      case ",", ":", "(", ")", "–", "—":
        endWord()
        sentence.append([])
      case "-":
        endWord()
        // "thread-safe" is one thought, "this is fine - it is gone" are two.
        if isLast { sentence.append([]) }
      case "'": word.append(character)
      default:
        if character.isLetter { word.append(character) } else { endWord() }
      }
      place = next
    }
    endSentence(isQuestion: false)
    return clauses
  }

  /// Words cut where another thought begins: "this may fail and that is fine".
  private static func parts(of words: [String]) -> [RemarkClause] {
    var parts: [[String]] = [[]]
    for (place, word) in words.enumerated() {
      let next = place + 1 < words.count ? words[place + 1] : ""
      let begins =
        ["but", "because", "since"].contains(word)
        || ["and", "so"].contains(word) && pronouns.contains(next)
      if begins {
        parts.append([])
      } else if word == "which" {
        parts.append([word])
      } else {
        parts[parts.count - 1].append(word)
      }
    }
    return parts.filter { !$0.isEmpty }.map(RemarkClause.init)
  }

  private static let pronouns: Set<String> = [
    "that", "that's", "this", "it", "it's", "we", "they", "nothing", "no",
  ]
}

extension RemarkClause {
  /// The word at a place; nothing where there is none.
  func word(_ place: Int) -> String { words.indices.contains(place) ? words[place] : "" }

  /// Whether one of the words before a place is among these.
  func has(_ wanted: Set<String>, before place: Int) -> Bool {
    words[..<place].contains(where: wanted.contains)
  }

  /// Whether one of the words after a place is among these.
  func has(_ wanted: Set<String>, after place: Int) -> Bool {
    words[(place + 1)...].contains(where: wanted.contains)
  }

  /// Whether what is said at a place is denied, asked for, hoped, or said of another case than
  /// that of a failure.
  func isOpen(at place: Int) -> Bool {
    if has(Self.denials, before: place) || isAskedFor(at: place) { return true }
    if words[..<place].contains(where: { $0.hasSuffix("n't") }) { return true }
    guard let condition = words[..<place].lastIndex(where: Self.conditions.contains) else {
      return false
    }
    return !words[condition..<place].contains(where: Self.failures.contains)
  }

  /// Whether what is said at a place is what should be, rather than what is.
  func isAskedFor(at place: Int) -> Bool {
    // "Check that it is safe", but not "the check above makes this safe".
    has(Self.wishes, before: place) || words.first == "check"
  }

  private static let denials: Set<String> = [
    "not", "never", "no", "cannot", "nothing", "nobody", "none", "neither", "nor", "without",
    "hardly", "barely",
  ]
  private static let conditions: Set<String> = ["if", "unless", "whether"]
  private static let wishes: Set<String> = [
    "must", "mustn't", "should", "shouldn't", "shall", "may", "might", "maybe", "perhaps",
    "probably", "hopefully", "ensure", "ensures", "sure", "until",
  ]
  /// Words for a failure, or for what is left after one.
  static let failures: Set<String> = [
    "fail", "fails", "failed", "failing", "failure", "failures", "error", "errors", "throws",
    "thrown", "missing", "gone", "lost", "cause", "exist", "exists",
  ]
}
