// SPDX-License-Identifier: Apache-2.0

/// A Swift declaration that has a body in braces.
package struct Declaration: Sendable {
  /// The keyword: `func`, `init`, `var`, `struct`, `extension` and so on.
  package let keyword: String

  /// The name; the keyword itself where there is none, as for `init`.
  package let name: String

  /// The types around it, outermost first.
  package let types: [String]

  /// The token of the keyword.
  package let start: Int

  /// The token of the closing brace.
  package let end: Int

  package var isFunction: Bool { Self.functionKeywords.contains(keyword) }

  package static let functionKeywords: Set = ["func", "init", "deinit", "subscript", "var"]
  package static let typeKeywords: Set = [
    "struct", "class", "enum", "actor", "protocol", "extension",
  ]
}

/// Finds declarations by keywords and braces.
///
/// A keyword waits for the first brace that opens at its own depth. Whatever shows that there is
/// no body (another declaration, a statement, an initial value) ends the wait.
package struct DeclarationFinder {
  private struct Waiting {
    let keyword: String
    let name: String
    let start: Int
    let depth: Int
  }

  private struct Scope {
    let opening: Int
    let declaration: Waiting?
    let types: [String]
  }

  private let tokens: [Token]
  private var scopes: [Scope] = []
  private var waiting: Waiting?
  private var found: [Declaration] = []
  private var unmatched: [Int] = []

  private init(_ tokens: [Token]) { self.tokens = tokens }

  /// The declarations by position, and the brackets that have no counterpart.
  package static func find(in tokens: [Token]) -> (declarations: [Declaration], unmatched: [Int]) {
    var finder = DeclarationFinder(tokens)
    for index in tokens.indices { finder.take(index) }
    let declarations = finder.found.sorted { $0.start < $1.start }
    return (declarations, finder.unmatched + finder.scopes.map(\.opening))
  }

  private var types: [String] { scopes.last?.types ?? [] }

  private mutating func take(_ index: Int) {
    switch tokens[index].text {
    case "{", "(", "[": open(index)
    case "}", ")", "]": close(index)
    case "=":
      if waiting?.keyword == "var", waiting?.depth == scopes.count { waiting = nil }
    case let text where tokens[index].isWord: takeWord(text, at: index)
    default: break
    }
  }

  private mutating func open(_ index: Int) {
    guard tokens[index].text == "{", let declaration = waiting, declaration.depth == scopes.count
    else {
      scopes.append(Scope(opening: index, declaration: nil, types: types))
      return
    }
    let isType = Declaration.typeKeywords.contains(declaration.keyword)
    let inside = isType ? types + [declaration.name] : types
    scopes.append(Scope(opening: index, declaration: declaration, types: inside))
    waiting = nil
  }

  private mutating func close(_ index: Int) {
    let pairs = ["{": "}", "(": ")", "[": "]"]
    guard let scope = scopes.popLast(), pairs[tokens[scope.opening].text] == tokens[index].text
    else {
      unmatched.append(index)
      return
    }
    if let waiting, waiting.depth > scopes.count { self.waiting = nil }
    guard let declaration = scope.declaration else { return }
    found.append(
      Declaration(
        keyword: declaration.keyword, name: declaration.name, types: types,
        start: declaration.start, end: index))
  }

  private mutating func takeWord(_ word: String, at index: Int) {
    if isDeclaration(word, at: index) {
      waiting = Waiting(
        keyword: word, name: name(after: index) ?? word, start: index, depth: scopes.count)
    } else if Self.endsWait.contains(word), waiting?.depth == scopes.count,
      waiting?.start != index - 1
    {
      waiting = nil
    }
  }

  /// Words that begin something else, so that a declaration before them has no body.
  private static let endsWait: Set = [
    "if", "guard", "for", "while", "switch", "do", "repeat", "return", "defer", "let",
    "typealias", "associatedtype",
  ]

  private func isDeclaration(_ word: String, at index: Int) -> Bool {
    let next = tokens.indices.contains(index + 1) ? tokens[index + 1] : nil
    guard index == 0 || tokens[index - 1].text != "." else { return false }
    switch word {
    case "func", "var", "deinit": return next?.text != ":" && next?.text != ","
    case "init": return next.map { ["(", "<", "?", "!"].contains($0.text) } ?? false
    case "subscript": return next.map { ["(", "<"].contains($0.text) } ?? false
    case "struct", "enum", "protocol", "extension", "actor", "class":
      // `class func` and `class var` are members, not types; `enum:` is a label.
      return next.map { $0.isWord && !Declaration.functionKeywords.contains($0.text) } ?? false
    default: return false
    }
  }

  /// The name after a keyword: a word with its dots, or the signs of an operator.
  private func name(after index: Int) -> String? {
    var next = index + 1
    guard !["init", "deinit", "subscript"].contains(tokens[index].text),
      tokens.indices.contains(next)
    else { return nil }
    if !tokens[next].isWord {
      return tokens[next...].prefix { !$0.isWord && $0.text != "(" }.map(\.text).joined()
    }
    var name = tokens[next].text
    while tokens.indices.contains(next + 2), tokens[next + 1].text == ".", tokens[next + 2].isWord {
      name += "." + tokens[next + 2].text
      next += 2
    }
    return name
  }
}
