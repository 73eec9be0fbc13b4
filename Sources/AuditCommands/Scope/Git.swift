// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayAudit

/// What `git` says of the repository around a folder.
package struct Git: Sendable {
  private let environment: [String: String]
  /// The top folder of the working tree, without links.
  package let top: String

  /// Why `git` cannot be asked.
  package struct Failure: Error, Sendable, Hashable {
    /// A sentence.
    package let message: String
  }

  /// Looks for the repository.
  ///
  /// - Parameter folder: A folder inside of a working tree.
  /// - Throws: Where `git` is missing, or there is no repository.
  package init(around folder: String) throws(Failure) {
    try self.init(folder, Self.environment)
  }

  /// Looks for a repository other than the one that a hook of git may run in.
  init(elsewhere folder: String) throws(Failure) {
    try self.init(folder, Self.environment.filter { !Self.oneRepository.contains($0.key) })
  }

  private init(_ folder: String, _ environment: [String: String]) throws(Failure) {
    self.environment = environment
    let answer = try Self.ask(["rev-parse", "--show-toplevel"], in: folder, environment)
    guard answer.status == 0, let top = answer.text.split(separator: "\n").first else {
      throw Failure(message: Self.refusal(answer, in: folder))
    }
    self.top = PathNames.real(String(top)) ?? String(top)
  }

  private static func refusal(_ answer: Answer, in folder: String) -> String {
    if answer.errors.contains("not a git repository") {
      return "There is no repository of git around \(folder)."
    }
    return "git says of \(folder): \(answer.firstComplaint)"
  }

  /// The lines that differ between a revision and what lies in the working tree.
  ///
  /// - Parameters:
  ///   - revision: A commit, a branch or a tag; before the first commit `HEAD` has no file.
  ///     Files that git does not know yet count as changed from the first to the last line.
  ///   - paths: The files that matter, from the top folder on; of others nothing need be told.
  /// - Returns: The lines, by the path from the root on.
  /// - Throws: Where there is no such revision.
  package func changedLines(
    since revision: String, in paths: [String]
  ) throws(Failure) -> ChangedLines {
    // It would be taken for an option.
    guard !revision.isEmpty, !revision.hasPrefix("-") else {
      throw Failure(message: "`\(revision)` is no revision.")
    }
    let start = try tree(of: revision)
    // What attributes call binary is looked at, too, and so has lines. A file that was moved has
    // those alone that differ from what it was.
    let difference = try ask(
      [
        "diff", "--unified=0", "--inter-hunk-context=0", "--text", "--find-renames", "--no-color",
        "--no-ext-diff", "--no-textconv", "--ignore-submodules", "--no-relative",
        "--src-prefix=a/", "--dst-prefix=b/", "--diff-filter=AMRT", start, "--",
      ] + Self.patterns(for: paths))
    let others = try ask(["ls-files", "--others", "--exclude-standard", "-z"])
    guard difference.status == 0, others.status == 0 else {
      let failed = difference.status == 0 ? others : difference
      throw Failure(message: "git says of \(top): \(failed.firstComplaint)")
    }
    var lines = ChangedLines(diff: difference.bytes)
    for path in others.text.split(separator: "\0") { lines.addWhole(String(path)) }
    return lines.below(top)
  }

  /// Where the work that is checked out left a revision, so that what others have done there since
  /// counts for nothing.
  ///
  /// - Parameter revision: A commit, a branch or a tag.
  /// - Returns: The commit that both come from; the revision itself where none is known, as in a
  ///   clone without its history or before the first commit.
  /// - Throws: Where `git` cannot be run.
  func start(since revision: String) throws(Failure) -> String {
    guard !revision.isEmpty, !revision.hasPrefix("-") else { return revision }
    let answer = try ask(["merge-base", "HEAD", revision])
    guard answer.status == 0, let base = answer.text.split(separator: "\n").first else {
      return revision
    }
    return String(base)
  }

  /// Patterns of all that may be looked at, so that no picture is printed as text.
  private static func patterns(for paths: [String]) -> [String] {
    let endings = [".swift", ".md", ".markdown"]
    // What was named is looked at, whatever it is called.
    let odd = paths.filter { path in !endings.contains { path.lowercased().hasSuffix($0) } }
    return endings.map { ":(icase)*" + $0 } + odd.map { ":(literal)" + $0 }
  }

  /// The commit that a revision has for a submodule.
  ///
  /// - Parameters:
  ///   - path: Its folder, from the top folder on.
  ///   - revision: A commit, a branch or a tag.
  /// - Returns: The commit; nil where there is no such submodule.
  /// - Throws: Where `git` cannot be run.
  func commit(ofSubmodule path: String, at revision: String) throws(Failure) -> String? {
    guard !revision.hasPrefix("-") else { return nil }
    let entry = try ask(["ls-tree", "-z", revision, "--", path])
    // `160000 commit 1f0c…<tab>path`
    let words = entry.text.prefix { $0 != "\t" }.split(separator: " ")
    guard entry.status == 0, words.count == 3, words[1] == "commit" else { return nil }
    return String(words[2])
  }

  /// What `git` calls the state of a revision.
  private func tree(of revision: String) throws(Failure) -> String {
    let verified = try ask(
      ["rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"])
    if verified.status == 0, let commit = verified.text.split(separator: "\n").first {
      return String(commit)
    }
    // Before the first commit, all is new; a hook that runs before each commit meets that once.
    if revision == "HEAD", try ask(["symbolic-ref", "--quiet", "HEAD"]).status == 0 {
      let empty = try ask(["hash-object", "-t", "tree", "/dev/null"])
      if empty.status == 0, let tree = empty.text.split(separator: "\n").first {
        return String(tree)
      }
    }
    throw Failure(message: "There is no revision `\(revision)` in \(top).")
  }

  // MARK: Asking

  private struct Answer {
    let status: Int32
    let bytes: [UInt8]
    let errors: String

    var text: String { String(decoding: bytes, as: UTF8.self) }
    var firstComplaint: String {
      let line = errors.split(separator: "\n").first.map(String.init) ?? "nothing"
      return line.hasSuffix(".") ? line : line + "."
    }
  }

  /// Settings that would run other programs, write, or warn of each file are off.
  private static let settings = [
    "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false",
    "-c", "core.safecrlf=false", "-c", "diff.suppressBlankEmpty=false",
  ]

  /// The environment without what would change how differences are printed or patterns read.
  private static var environment: [String: String] {
    let odd: Set<String> = [
      "GIT_DIFF_OPTS", "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS",
      "GIT_ICASE_PATHSPECS",
    ]
    let own = ["GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"]
    return ProcessInfo.processInfo.environment.filter { !odd.contains($0.key) }
      .merging(own) { $1 }
  }

  /// What a hook of git is told of its repository, and is wrong of every other.
  private static let oneRepository: Set<String> = [
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX",
    "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE",
  ]

  private func ask(_ arguments: [String]) throws(Failure) -> Answer {
    try Self.ask(arguments, in: top, environment)
  }

  private static func ask(
    _ arguments: [String], in folder: String, _ environment: [String: String]
  ) throws(Failure) -> Answer {
    guard let program = program else {
      throw Failure(message: "--changed-since asks git, and there is no program git in PATH.")
    }
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = settings + arguments
    process.currentDirectoryURL = URL(filePath: folder)
    process.environment = environment
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    do {
      try process.run()
      let read = SideBySide.read(
        [output, errors].map(\.fileHandleForReading.fileDescriptor))
      process.waitUntilExit()
      return Answer(
        status: process.terminationStatus, bytes: read[0],
        errors: String(decoding: read[1], as: UTF8.self))
    } catch {
      throw Failure(message: "git cannot be run: \(error.localizedDescription)")
    }
  }

  private static var program: String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return path.split(separator: ":").map { $0 + "/git" }
      .first { access($0, X_OK) == 0 && FileStatus($0)?.kind == .file }
  }
}
