// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayAudit

/// What `git` says of the repository around a folder.
package struct Git: Sendable {
  private let folder: String
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
    self.folder = folder
    let answer = try Self.ask(["rev-parse", "--show-toplevel"], in: folder)
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
  /// - Parameter revision: A commit, a branch or a tag; before the first commit `HEAD` has no file.
  ///   Files that git does not know yet count as changed from the first to the last line.
  /// - Returns: The lines, by the path from the root on.
  /// - Throws: Where there is no such revision.
  package func changedLines(since revision: String) throws(Failure) -> ChangedLines {
    // It would be taken for an option.
    guard !revision.isEmpty, !revision.hasPrefix("-") else {
      throw Failure(message: "`\(revision)` is no revision.")
    }
    let start = try tree(of: revision)
    let difference = try Self.ask(
      [
        "diff", "--unified=0", "--no-renames", "--no-color", "--no-ext-diff", "--no-textconv",
        "--ignore-submodules", "--no-relative", "--src-prefix=a/", "--dst-prefix=b/",
        "--diff-filter=AMT", start, "--",
      ], in: top)
    let others = try Self.ask(["ls-files", "--others", "--exclude-standard", "-z"], in: top)
    guard difference.status == 0, others.status == 0 else {
      let failed = difference.status == 0 ? others : difference
      throw Failure(message: "git says of \(top): \(failed.firstComplaint)")
    }
    var lines = ChangedLines(diff: difference.bytes)
    for path in others.text.split(separator: "\0") { lines.addWhole(String(path)) }
    return lines.below(top)
  }

  /// What `git` calls the state of a revision.
  private func tree(of revision: String) throws(Failure) -> String {
    let verified = try Self.ask(
      ["rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"], in: top)
    if verified.status == 0, let commit = verified.text.split(separator: "\n").first {
      return String(commit)
    }
    // Before the first commit, all is new; a hook that runs before each commit meets that once.
    if revision == "HEAD", try Self.ask(["symbolic-ref", "--quiet", "HEAD"], in: top).status == 0 {
      let empty = try Self.ask(["hash-object", "-t", "tree", "/dev/null"], in: top)
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

  private static func ask(_ arguments: [String], in folder: String) throws(Failure) -> Answer {
    guard let program = program else {
      throw Failure(message: "--changed-since asks git, and there is no program git in PATH.")
    }
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = settings + arguments
    process.currentDirectoryURL = URL(filePath: folder)
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"]) { _, new in new }
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
