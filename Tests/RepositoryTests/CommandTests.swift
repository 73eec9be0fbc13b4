// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// What pages tell people to type, typed.
@Suite(.ends(withinMinutes: 15))
struct CommandTests {
  private let repository = Repository.current

  private var pages: [MarkdownPage] {
    repository.writtenFiles.filter {
      $0.path.hasSuffix(".md") && !$0.path.contains("/Fixtures/")
    }.map(MarkdownPage.init)
  }

  private var commands: [CommandRules.Command] { pages.flatMap(CommandRules.commands) }

  private var tests: [SourceFile] { repository.swiftFiles.filter { $0.path.contains("Tests/") } }

  @Test func `something runs every command`() {
    #expect(commands.contains { $0.path == "README.md" && $0.words == ["make", "run"] })
    // `GuidePage` reads a page for a test that runs what it says.
    let guides = tests.flatMap { file in
      file.lines.compactMap { $0.firstMatch(of: /GuidePage\(at: "([^"]+)"/).map { String($0.1) } }
    }
    expectNone(CommandRules.unproved(commands, guides: Set(guides)))
  }

  @Test func `every proof is there`() throws {
    let steps =
      try repository.text(at: "Tools/check")
      .firstMatch(of: /steps=\(([^)]+)\)/)?.1.split(separator: " ") ?? []
    for (words, proof) in CommandRules.proofs {
      switch proof {
      case .test(let name):
        let isThere = tests.contains { $0.lines.contains { $0.contains("func `\(name)`") } }
        #expect(isThere, "no test is called `\(name)`")
      case .step where words.hasPrefix("make "):
        let target = words.dropFirst("make ".count)
        #expect(target == "check" || steps.contains(target), "\(words) is no step of make check")
      case .measures(let folder):
        #expect(repository.paths.contains { $0.hasPrefix(folder) }, "\(folder)")
      case .step, .runs, .starts: continue
      }
    }
  }

  /// The programs themselves run in other tests; a release build of each would take minutes.
  @Test func `what a page builds and copies is a program of the manifest`() throws {
    let manifest = try repository.text(at: "Package.swift")
    let builds = commands.filter { $0.words.starts(with: ["swift", "build"]) }
    #expect(builds.count >= 2)
    for build in builds {
      let pairs = zip(build.words, build.words.dropFirst()).filter { $0.0.hasPrefix("--") }
      let options = Dictionary(uniqueKeysWithValues: pairs.map { ($0.0, $0.1) })
      let product = try #require(options["--product"], "\(build.text)")
      #expect(manifest.contains(".executable(name: \"\(product)\", "), "\(build.text)")
      for trait in try #require(options["--traits"]).split(separator: ",") {
        #expect(manifest.contains("name: \"\(trait)\", description: "), "\(build.text)")
      }
      let next = commands.first { $0.path == build.path && $0.line == build.line + 1 }
      #expect(next?.words.contains(".build/release/\(product)") == true, "\(build.text)")
    }
  }

  /// Also of targets that stand in a sentence or a table.
  @Test func `make knows every target that a page names`() throws {
    let spoken = pages.flatMap { page in
      page.passages.flatMap { $0.text.matches(of: /`make ([a-z][a-z-]*)/).map { String($0.1) } }
    }
    let typed = commands.filter { $0.program == "make" }.compactMap { $0.words.dropFirst().first }
    let targets = Set(spoken + typed)
    #expect(targets.isSuperset(of: ["run", "test", "demo", "check", "bench", "help"]))
    let known = try Self.targets(in: repository)
    #expect(targets.subtracting(known).isEmpty)
    _ = try Command.output(of: ["make", "-n", "-C", repository.root.path] + targets.sorted())
  }

  @Test func `make help lists every target with a sentence`() throws {
    let help = try Command.output(of: ["make", "-s", "-C", repository.root.path, "help"])
    for target in try Self.targets(in: repository) {
      #expect(help.split(separator: "\n").contains { $0.hasPrefix("  make \(target) ") })
    }
  }

  @Test func `make help has groups, and each variable that a target takes`() throws {
    let help = try Command.output(of: ["make", "-s", "-C", repository.root.path, "help"])
    let groups = help.split(separator: "\n\n").map { $0.split(separator: "\n") }
    #expect(groups.count > 3)
    for group in groups {
      #expect(group.count > 1 && group[0].first?.isUppercase == true, "\(group)")
    }
    let makefile = try repository.text(at: "Makefile")
    let variables = Set(makefile.matches(of: /\$\(([A-Z]+)\)/).map { String($0.1) })
    #expect(variables.isSuperset(of: ["STORE", "BENCH"]))
    // `CURDIR` is of make itself, and `FILTER` is read by Tools/test.
    for variable in variables.subtracting(["CURDIR"]).union(["FILTER"]) {
      #expect(help.contains("\(variable)="), "\(variable)")
    }
  }

  private static func targets(in repository: Repository) throws -> Set<String> {
    let makefile = try repository.text(at: "Makefile")
    return Set(makefile.matches(of: /(?m)^([a-z][a-z-]*):.*##/).map { String($0.1) })
  }

  @Test func `programs know every option that a page gives them`() async throws {
    for command in commands {
      let options = CommandRules.options(of: command)
      guard !options.isEmpty, let proof = CommandRules.proof(of: command) else { continue }
      let known: String
      switch proof {
      case .runs where command.program != "curl", .starts:
        let parts = command.words.prefix { $0.allSatisfy { $0.isLowercase || $0 == "-" } }
          .prefix { !$0.hasPrefix("-") }
        // The audit alone has one command that need not be named.
        let isImplied = parts == ["mainstay-audit"] || parts.starts(with: ["mainstay", "audit"])
        known = try await Self.help(isImplied ? Array(parts.prefix(2)) + ["run"] : Array(parts))
      case .test where command.words.starts(with: ["make", "demo"]):
        known = try await Self.help(["inventory-demo"])
      case .measures(let folder):
        known = try sources(below: folder)
      default: continue
      }
      for option in options {
        let isKnown = known.contains(option) || Self.declares(option, in: known)
        #expect(isKnown, "\(command.path):\(command.line): \(command.program) knows no \(option)")
      }
    }
  }

  /// What a program, or one of its commands, says of itself.
  private static func help(_ words: [String]) async throws -> String {
    try await BuiltProgram.run(words[0], words.dropFirst() + ["--help"]).output
  }

  private func sources(below folder: String) throws -> String {
    try repository.paths.filter { $0.hasPrefix(folder) }.map(repository.text).joined()
  }

  /// Whether a property of that name stands below an attribute of ArgumentParser.
  private static func declares(_ option: String, in source: String) -> Bool {
    let words = option.dropFirst(2).split(separator: "-")
    let name = (words.first ?? "") + words.dropFirst().map(\.capitalized).joined()
    return source.contains("var \(name) ") || source.contains("var \(name):")
  }
}
