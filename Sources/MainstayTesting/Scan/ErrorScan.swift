// SPDX-License-Identifier: Apache-2.0

/// Types of errors in Swift sources, and which of them are converted, as far as a text says it.
struct ErrorScan {
  /// A type of errors that nobody converts.
  struct Found {
    let type: String
    let file: Int
    /// The first byte of its declaration.
    let offset: Int
  }

  /// What one declaration of a type, or one extension, says after its colon.
  private struct Clause {
    let keyword: String
    let type: String
    let names: Set<String>
    let file: Int
    let offset: Int
  }

  private static let errors: Set = [
    "Error", "LocalizedError", "CustomNSError", "RecoverableError", "NSError",
  ]

  private var clauses: [Clause] = []
  private var added: Set<String> = []

  /// Reads one file.
  mutating func read(_ bytes: [UInt8], file: Int) {
    let tokens = Tokenizer.tokens(in: bytes)
    for declaration in DeclarationFinder.find(in: tokens).declarations
    where Declaration.typeKeywords.contains(declaration.keyword) {
      let names = Self.inherited(tokens[declaration.start...])
      guard !names.isEmpty else { continue }
      clauses.append(
        Clause(
          keyword: declaration.keyword,
          type: (declaration.types + [declaration.name]).joined(separator: "."), names: names,
          file: file, offset: tokens[declaration.start].offset))
    }
    for index in tokens.indices where tokens[index].text == "adding" {
      if let name = Self.typeArgument(tokens[(index + 1)...]) { added.insert(name) }
    }
  }

  /// How many types of errors there are, protocols aside.
  var count: Int { types(in: known(from: Self.errors.union(["AppErrorConvertible"]))).count }

  /// The types that are errors and not converted, each once, where it is first said.
  var unconverted: [Found] {
    let errors = known(from: Self.errors)
    let converted = types(in: known(from: ["AppErrorConvertible"]))
    var seen: Set<String> = []
    return clauses.compactMap { clause in
      guard clause.keyword != "protocol", !errors.isDisjoint(with: clause.names),
        !converted.contains(clause.type), !isAdded(clause.type), seen.insert(clause.type).inserted
      else { return nil }
      return Found(type: clause.type, file: clause.file, offset: clause.offset)
    }
  }

  /// The types that name one of a set, protocols aside.
  private func types(in names: Set<String>) -> Set<String> {
    Set(
      clauses.filter { $0.keyword != "protocol" && !names.isDisjoint(with: $0.names) }.map(\.type))
  }

  /// The names, with those of the protocols and classes that inherit from them.
  private func known(from names: Set<String>) -> Set<String> {
    var heirs: [String: [String]] = [:]
    for clause in clauses where clause.keyword == "protocol" || clause.keyword == "class" {
      let name = String(clause.type.split(separator: ".").last ?? "")
      for parent in clause.names { heirs[parent, default: []].append(name) }
    }
    var known = names
    var next = Array(names)
    while let name = next.popLast() {
      for heir in heirs[name] ?? [] where known.insert(heir).inserted { next.append(heir) }
    }
    return known
  }

  /// Whether a mapping names the type, with or without the types around it.
  private func isAdded(_ type: String) -> Bool {
    var rest = type[...]
    while true {
      if added.contains(String(rest)) { return true }
      guard let dot = rest.firstIndex(of: ".") else { return false }
      rest = rest[rest.index(after: dot)...]
    }
  }

  /// The last words of the names after the colon of a declaration, without their parameters.
  private static func inherited(_ tokens: ArraySlice<Token>) -> Set<String> {
    var names: Set<String> = []
    var depth = 0
    var isAfterColon = false
    for (index, (token, next)) in zip(tokens.indices, zip(tokens, tokens.dropFirst())) {
      switch token.text {
      case ">" where tokens[..<index].last?.text == "-": break  // the arrow of a function
      case "{", "where": return names
      case "<", "(", "[": depth += 1
      case ">", ")", "]": depth -= 1
      case ":" where depth == 0: isAfterColon = true
      default:
        if isAfterColon, depth == 0, token.isWord, next.text != "." { names.insert(token.text) }
      }
    }
    return names
  }

  /// The type in `(Store.Failure.self`; nil where there is none.
  private static func typeArgument(_ tokens: ArraySlice<Token>) -> String? {
    guard tokens.first?.text == "(" else { return nil }
    let path = tokens.dropFirst().prefix { $0.isWord || $0.text == "." }
    let words = path.filter(\.isWord).map(\.text)
    return words.count > 1 && words.last == "self" ? words.dropLast().joined(separator: ".") : nil
  }
}
