// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import TestSupport
import Testing

/// The rules of `Documentation/StyleGuide.md`, over the repository itself.
@Suite struct StyleTests {
  private let swift = Repository.current.swiftFiles
  private let written = Repository.current.writtenFiles
  private let paths = Repository.current.paths

  /// Without the pages that are made from the rules of the audit, and the rule about what is left
  /// unfinished: their examples are wrong on purpose, and `RuleExampleTests` reads each.
  private var handwritten: [SourceFile] {
    written.filter {
      !$0.path.hasPrefix("Sources/MainstayAudit/MainstayAudit.docc/Rules/")
        && !$0.path.hasSuffix("/UnfinishedHandler.swift")
    }
  }

  private var sources: [SourceFile] { swift.filter { $0.isBelow("Sources") } }
  private var tests: [SourceFile] { swift.filter { $0.isBelow("Tests") } }
  private var snippets: [SourceFile] { swift.filter { $0.path.hasPrefix("Snippets/") } }

  @Test func `the repository is there to be read`() {
    #expect(paths.contains("Package.swift"))
    #expect(!sources.isEmpty && !tests.isEmpty)
    #expect(written.contains { $0.path == "Makefile" })
  }

  @Test func `the scanner understands every Swift file`() {
    let lost = swift.flatMap { file in
      file.unmatchedBrackets.map {
        file.violation(
          at: $0, "the scanner finds no counterpart of this bracket",
          cure: "Teach the Tokenizer, or write the code more plainly")
      }
    }
    expectNone(lost)
  }

  @Test func `files have at most 400 lines`() { expectNone(LengthRules.files(swift)) }

  @Test func `functions have at most 70 lines`() { expectNone(LengthRules.functions(swift)) }

  @Test func `lines have at most 100 columns`() { expectNone(LengthRules.width(swift)) }

  @Test func `folders are named for what they are about`() {
    expectNone(NamingRules.folders(paths))
  }

  @Test func `types are named for what they are`() { expectNone(NamingRules.types(sources)) }

  @Test func `no instance is shared by the whole process`() {
    expectNone(NamingRules.sharedInstances(sources))
  }

  @Test func `nothing is left unfinished`() { expectNone(TextRules.leftovers(handwritten)) }

  @Test func `no merge is left half done`() {
    expectNone(TextRules.unresolvedMerges(written))
  }

  @Test func `every Swift file names its licence`() { expectNone(TextRules.licenses(swift)) }

  @Test func `no two paths are equal ignoring case`() {
    expectNone(TextRules.pathsEqualIgnoringCase(paths))
  }

  @Test func `nothing is forced`() { expectNone(SafetyRules.forcedTries(swift)) }

  @Test func `the compiler checks all concurrency but two files`() {
    expectNone(SafetyRules.uncheckedSendable(swift))
  }

  @Test func `bytes are forced onto the disk in one way`() {
    expectNone(SafetyRules.incompleteForcing(swift))
  }

  @Test func `there is one kind of lock`() { expectNone(SafetyRules.otherLocks(swift)) }

  @Test func `nobody is woken under a lock`() {
    expectNone(SafetyRules.wakingUnderLock(swift))
  }

  @Test func `tests do not sleep`() { expectNone(TestRules.sleeping(tests)) }

  @Test func `tests always run`() { expectNone(TestRules.skipping(tests)) }

  @Test func `exit tests stand beside no programs`() {
    expectNone(TestRules.exitTestsBesidePrograms(tests))
  }

  @Test func `tests use plain imports`() { expectNone(TestRules.testableImports(tests)) }

  @Test func `targets import only what their layer may`() {
    expectNone(SourceRules.forbiddenImports(sources))
  }

  @Test func `SwiftUI stays where SwiftUI is`() {
    #expect(swift.contains { $0.path.hasPrefix(ViewRules.views) })
    expectNone(ViewRules.partlyGuarded(swift))
    expectNone(ViewRules.strayImports(swift))
  }

  @Test func `every view is in a preview, and the app is short`() {
    #expect(swift.contains { $0.path.hasPrefix(ViewRules.app) })
    expectNone(ViewRules.unseen(swift))
    expectNone(ViewRules.lengthOfApp(swift))
  }

  @Test func `an app shows what was kept for days, and has a way out of what was refused`() {
    #expect(swift.contains { !$0.places(of: ["overlaying", ":"]).isEmpty })
    expectNone(ViewRules.boundedLists(swift))
    expectNone(ViewRules.deadEnds(swift))
  }

  @Test func `durations are never measured by the wall clock`() {
    expectNone(SourceRules.wallClock(sources))
  }

  @Test func `every relative link leads somewhere`() {
    let pages = written.filter { $0.path.hasSuffix(".md") }
    expectNone(LinkRules.brokenLinks(pages, paths: paths))
  }

  @Test(.requirement("T11", "T12")) func `code on pages is compiled`() {
    let pages = handwritten.filter { $0.path.hasSuffix(".md") }
    expectNone(SnippetRules.uncompiled(pages, snippets: snippets))
  }

  @Test func `code in documentation comments is compiled`() {
    expectNone(SnippetRules.uncompiled(sources, snippets: snippets))
  }

  private var policyPages: [SourceFile] {
    written.filter { $0.path.contains(".docc/Policies/") && $0.path.hasSuffix(".md") }
  }

  @Test func `every page about a policy follows the template`() {
    #expect(!policyPages.isEmpty)
    expectNone(PolicyPageRules.template(policyPages))
  }

  @Test func `every page about a policy has a picture of its states`() throws {
    let repository = Repository.current
    let pictures = repository.paths.filter { $0.hasSuffix(".svg") && $0.contains(".docc/") }
    let drawn = try pictures.map { path in
      (String(path.split(separator: "/").last?.dropLast(4) ?? ""), try repository.text(at: path))
    }
    let byName = Dictionary(uniqueKeysWithValues: drawn)
    expectNone(PolicyPageRules.diagrams(policyPages, drawn: byName))
  }

  @Test func `every default on a page about a policy is that of the code`() {
    let policies = sources.filter { $0.path.contains("/Policies/") }
    expectNone(PolicyPageRules.defaults(policyPages, sources: policies))
  }
}
