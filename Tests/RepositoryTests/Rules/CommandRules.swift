// SPDX-License-Identifier: Apache-2.0

/// The commands that pages tell people to type, and what shows that they work.
enum CommandRules {
  /// One command, as its program gets it.
  struct Command {
    let path: String
    let line: Int

    /// As it stands on the page, without a comment.
    let text: String

    /// The words, without the part that only builds the program.
    let words: [String]

    var program: String { words.first ?? "" }
  }

  /// What shows that a command works.
  enum Proof {
    /// `CommandTests` runs the program that was built, and it ends with one of these.
    case runs([Int32])
    /// `CommandTests` starts the program, which listens.
    case starts
    /// A test of this name runs the same script or program.
    case test(String)
    /// A step of `make check`.
    case step
    /// It takes minutes or machines of its own. Its options are looked up where they are read.
    case measures(in: String)
  }

  private static let installing = "what a page builds and copies is a program of the manifest"

  /// Commands by their first words; the longest that fits is the one that counts.
  static let proofs: [(words: String, proof: Proof)] = [
    ("make run", .test("the example starts, and stops, by the script of make run")),
    ("make demo", .test("the demo runs by the script of make demo")),
    ("make help", .test("make help lists every target with a sentence")),
    ("make test", .step), ("make check", .step), ("make lint", .step), ("make docs", .step),
    ("make audit", .step), ("make check-views", .step), ("make spelling", .step),
    ("make check-benchmarks", .step),
    ("make consumers", .step), ("make api-check", .step), ("make build", .step),
    ("swift build -c release", .test(installing)), ("mkdir -p ~/bin && cp", .test(installing)),
    ("make bench", .measures(in: "Benchmarks/Sources/bench/")),
    ("make bench-http", .measures(in: "Benchmarks/Sources/bench-http/")),
    ("make bench-audit", .measures(in: "Tools/Peers/audit")),
    ("make bench-outbox", .measures(in: "Benchmarks/Sources/bench-outbox/")),
    ("make bench-postgres", .measures(in: "Benchmarks/Sources/bench-postgres/")),
    ("make mutate", .measures(in: "Tools/Mutator/Sources/")),
    ("mainstay errors", .runs([0])), ("mainstay outbox", .runs([0])),
    ("mainstay audit", .runs([0, 1])), ("mainstay-audit", .runs([0, 1])),
    ("ogmios-status", .runs([0])), ("inventory-upstream", .starts), ("curl", .runs([0])),
    // An app in SwiftUI, which `make check-views` compiles.
    ("--package-path Examples/InventoryApp", .step),
  ]

  /// Words that no program is started by, in a block of the shell.
  private static let syntax: Set = ["if", "then", "else", "fi", "echo", "export", "#!/bin/sh"]

  /// Programs that stand at the beginning of a line of code that is only indented.
  private static let programs: Set = [
    "curl", "make", "mainstay", "mainstay-audit", "swift", "Tools/start",
  ]

  /// All commands of a page, in order.
  static func commands(in page: MarkdownPage) -> [Command] {
    page.blocks.flatMap { block in
      joined(block.lines).compactMap { line -> Command? in
        switch block.language {
        case "console":
          guard line.text.hasPrefix("$ ") else { return nil }
          return command(String(line.text.dropFirst(2)), page.path, line.line)
        case "", "sh":
          return command(line.text, page.path, line.line)
        case nil:
          let first = line.text.split(separator: " ").first.map(String.init) ?? ""
          return programs.contains(first) ? command(line.text, page.path, line.line) : nil
        default: return nil
        }
      }
    }
  }

  /// Commands that nothing runs.
  ///
  /// - Parameters:
  ///   - commands: What pages say.
  ///   - guides: The pages whose commands a test of their own reads and runs.
  /// - Returns: The others, where no proof is known.
  static func unproved(_ commands: [Command], guides: Set<String>) -> [Violation] {
    commands.filter { proof(of: $0) == nil && !guides.contains($0.path) }.map {
      Violation(
        path: $0.path, line: $0.line, rule: "no test runs `\($0.text)`",
        cure: "Add it to the proofs of CommandRules; what a program prints stands in ```text")
    }
  }

  static func proof(of command: Command) -> Proof? {
    let text = command.words.joined(separator: " ") + " "
    return proofs.filter { text.hasPrefix($0.words + " ") }
      .max { $0.words.count < $1.words.count }?.proof
  }

  /// The options that a command names, also within the value of a variable of `make`.
  static func options(of command: Command) -> Set<String> {
    let words = command.words.flatMap { $0.split(whereSeparator: { " =".contains($0) }) }
    return Set(words.filter { $0.hasPrefix("--") && $0.count > 2 }.map(String.init))
  }

  private static func command(_ line: String, _ path: String, _ number: Int) -> Command? {
    let (all, text) = split(line)
    var words = all
    if words.first == "exec" { words.removeFirst() }
    guard let first = words.first, !syntax.contains(first) else { return nil }
    if first == "Tools/start" { words.removeFirst() }
    if first == "swift", words.count > 1, ["run", "package"].contains(words[1]) {
      words.removeFirst(2)
      words = withoutBuildOptions(words)
      // The plugin hands all that follows to the program.
      if words.first == "audit" { words[0] = "mainstay-audit" }
    }
    return Command(path: path, line: number, text: text, words: words)
  }

  private static func withoutBuildOptions(_ words: [String]) -> [String] {
    var words = words[...]
    while let first = words.first, first.hasPrefix("-"), first != "--package-path" {
      words = words.dropFirst(["-c", "--traits"].contains(first) ? 2 : 1)
    }
    return Array(words)
  }

  /// Lines that end with a backslash, together with the next.
  private static func joined(
    _ lines: [(text: String, line: Int)]
  ) -> [(text: String, line: Int)] {
    lines.reduce(into: []) { joined, line in
      if let last = joined.last, last.text.hasSuffix("\\") {
        joined[joined.count - 1].text = last.text.dropLast() + line.text
      } else {
        joined.append(line)
      }
    }
  }

  /// The words as a shell takes them, and the line without its comment.
  static func split(_ line: String) -> (words: [String], text: String) {
    var (words, current, text) = ([String](), String?.none, "")
    var quote: Character?
    for character in line {
      if quote == nil, character == "#", current == nil, !words.isEmpty { break }
      text.append(character)
      if let open = quote {
        if character == open { quote = nil } else { current?.append(character) }
      } else if "'\"".contains(character) {
        quote = character
        current = current ?? ""
      } else if character == " " {
        if let word = current { words.append(word) }
        current = nil
      } else {
        current = (current ?? "") + String(character)
      }
    }
    if let word = current { words.append(word) }
    while text.hasSuffix(" ") { text.removeLast() }
    return (words, text)
  }
}
