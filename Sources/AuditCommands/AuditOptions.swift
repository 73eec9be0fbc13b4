// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import MainstayAudit

/// Which rules look.
struct RuleOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where to read the configuration; by default .mainstay-audit.yml here or above.",
      valueName: "file"))
  var config: String?

  @Option(help: "The rules to begin with, instead of what the configuration says.")
  var profile: Profile?

  @Option(help: ArgumentHelp("Rules to switch on, by id or name: MS111,MS703.", valueName: "rules"))
  var enable: [String] = []

  @Option(help: ArgumentHelp("Rules to switch off, by id or name.", valueName: "rules"))
  var disable: [String] = []

  func validate() throws {
    try RuleList.check(enable + disable)
    let both = Set(RuleList.ids(enable)).intersection(RuleList.ids(disable)).sorted()
    guard both.isEmpty else {
      throw ValidationError("\(both.joined(separator: ", ")): switch it on or off, not both.")
    }
  }
}

/// What is looked at.
struct ScopeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Tell only what is on lines that differ from a commit, a branch or a tag.",
      valueName: "revision"))
  var changedSince: String?

  @Option(help: ArgumentHelp("Leave out the findings that a file knows of.", valueName: "file"))
  var baseline: String?

  @Option(
    help: ArgumentHelp("Write a file that knows of all findings there are now.", valueName: "file"))
  var writeBaseline: String?

  @Flag(help: "With --baseline: entries that no longer occur are findings too.")
  var strictBaseline = false

  @Flag(help: "Look at the Swift in pages of Markdown as well.")
  var markdown = false

  @Flag(help: "Leave out what the configuration excludes, also where it is named.")
  var forceExclude = false

  @Flag(help: "Look at what comes on standard input.")
  var stdin = false

  @Option(help: ArgumentHelp("With --stdin: where that would lie.", valueName: "path"))
  var assumePath: String?

  func validate() throws {
    guard stdin || assumePath == nil else {
      throw ValidationError("--assume-path goes with --stdin.")
    }
    guard !stdin || (changedSince == nil && writeBaseline == nil) else {
      throw ValidationError("--stdin is one text: it knows no --changed-since or --write-baseline.")
    }
    guard !strictBaseline || baseline != nil else {
      throw ValidationError("--strict-baseline goes with --baseline.")
    }
    guard baseline == nil || writeBaseline == nil else {
      throw ValidationError("Give --baseline to use one, or --write-baseline to make one.")
    }
    guard changedSince == nil || writeBaseline == nil else {
      throw ValidationError("A baseline is written of all lines: leave out --changed-since.")
    }
    if let changedSince, changedSince.isEmpty || changedSince.hasPrefix("-") {
      throw ValidationError("`\(changedSince)` is no revision.")
    }
  }
}

/// How it is told.
struct OutputOptions: ParsableArguments {
  @Option(help: "How to print what was found.")
  var format: AuditFormat?

  @Flag(help: "Print what the project's errors still lack: the same as --format checklist.")
  var checklist = false

  @Option(
    help: ArgumentHelp("Tell only findings that are as bad as this, or worse.", valueName: "level"))
  var severity = Severity.info

  @Option(
    help: ArgumentHelp(
      "Exit with 1 only where a finding is as bad as this, or worse.", valueName: "level"))
  var failOn = Severity.info

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("A file to write to instead of standard output.", valueName: "file"))
  var output: String?

  @Option(help: ArgumentHelp("Explain a rule, and do nothing else.", valueName: "rule"))
  var explain: String?

  @Option(
    help: ArgumentHelp(
      "How many files to look at side by side; by default as many as there are processors.",
      valueName: "count"))
  var jobs: Int?

  @Flag(help: "Show no progress.")
  var noProgress = false

  @Flag(name: .shortAndLong, help: "Say nothing besides what was found.")
  var quiet = false

  static let mostJobs = 256

  var chosenFormat: AuditFormat { checklist ? .checklist : format ?? .text }

  func validate() throws {
    guard !checklist || format == nil || format == .checklist else {
      throw ValidationError("--checklist is a format of its own: leave out --format.")
    }
    if let jobs, !(1...Self.mostJobs).contains(jobs) {
      throw ValidationError("--jobs is from 1 to \(Self.mostJobs), not \(jobs).")
    }
    if let output, output.hasSuffix(".swift") {
      throw ValidationError("--output \(output) would write over code.")
    }
    if let explain { try RuleList.check([explain]) }
  }
}

/// What is mended.
struct FixOptions: ParsableArguments {
  @Flag(help: "Mend what can be mended without changing what the program does.")
  var fix = false

  @Flag(help: "With --fix or --diff: also what may change what the program does.")
  var unsafe = false

  @Flag(help: "Print what --fix would change, and write nothing.")
  var diff = false

  @Flag(help: "Go on, and look again at files that change, until Ctrl-C.")
  var watch = false

  var isAsked: Bool { fix || diff }

  func validate() throws {
    guard !unsafe || isAsked else {
      throw ValidationError("--unsafe goes with --fix or --diff.")
    }
    guard !watch || !isAsked else {
      throw ValidationError("--watch only looks: leave out --fix and --diff.")
    }
  }
}
