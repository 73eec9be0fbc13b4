// SPDX-License-Identifier: Apache-2.0

import Foundation
import SwiftSyntax

/// One file to look at, and by which rules.
struct FileWork: Sendable {
  let source: AuditSource
  let rules: RuleSet
  /// Whether a rule for some file of the project asks which members this one names.
  let notesMembers: Bool

  /// The most bytes that a file may have; what is larger was written by a program.
  static let largestFile = 4 << 20

  func perform(_ vocabulary: Vocabulary) -> FileOutcome {
    let bytes: [UInt8]
    switch source.content {
    case .bytes(let given): bytes = given
    case .file(let path):
      do {
        bytes = try Self.read(path)
      } catch {
        return .unread(source.path, error.reason)
      }
    }
    if bytes.count > Self.largestFile {
      return .unread(source.path, "it has \(bytes.count >> 20) MB; the most is 4 MB")
    }
    if bytes.contains(0) { return .unread(source.path, "it is no text") }
    if let line = bytes.firstLineThatIsNoUTF8 {
      return .unread(source.path, "it is no UTF-8 from line \(line) on")
    }
    guard MarkdownCode.isMarkdown(source.path) else {
      if let trouble = Nesting.trouble(in: bytes[...]) { return .unread(source.path, trouble) }
      return walk(bytes, vocabulary)
    }
    let code = MarkdownCode(bytes)
    if let trouble = code.nestingTrouble { return .unread(source.path, trouble) }
    return walk(code.swift, vocabulary, code.troubles(in: source.path))
  }

  private func walk(
    _ bytes: [UInt8], _ vocabulary: Vocabulary, _ troubles: [ParseTrouble] = []
  ) -> FileOutcome {
    let tree = SourceFileSyntax.parsed(bytes[...])
    if let trouble = Nesting.trouble(in: tree) { return .unread(source.path, trouble) }
    let file = AuditedFile(
      path: source.path, pathClass: PathClass(path: source.place), bytes: bytes, tree: tree,
      rules: rules.rules, vocabulary: vocabulary)
    guard file.pathClass != .generated else { return .skipped(source.path, file) }
    let index = IndexBuilder(file, notesMembers: notesMembers)
    Walker(rules.table, file, index).walk(tree)
    return FileOutcome(
      path: source.path, lines: file.lines.writtenLineCount, candidates: file.candidates,
      index: index.part, suppressions: Suppressions(file), problem: nil,
      parseTroubles: troubles + [ParseTrouble(file)].compactMap { $0 },
      ruleIDs: Set(rules.rules.map(\.id)))
  }

  struct Unreadable: Error {
    let reason: String
  }

  static func read(_ path: String) throws(Unreadable) -> [UInt8] {
    guard let file = fopen(path, "rb") else {
      throw Unreadable(reason: String(cString: strerror(errno)).lowercased())
    }
    defer { fclose(file) }
    var status = stat()
    guard fstat(fileno(file), &status) == 0 else {
      throw Unreadable(reason: String(cString: strerror(errno)).lowercased())
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw Unreadable(reason: "it is no file") }
    let size = Int(status.st_size)
    guard size <= largestFile else {
      throw Unreadable(reason: "it has \(size >> 20) MB; the most is 4 MB")
    }
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = size == 0 ? 0 : fread(buffer.baseAddress, 1, size, file)
    }
  }
}

/// What came of one file.
struct FileOutcome: Sendable {
  let path: String
  let lines: Int
  let candidates: [AuditedFile.Candidate]
  let index: FileIndex
  let suppressions: Suppressions?
  let problem: AuditProblem?
  let parseTroubles: [ParseTrouble]
  /// The rules that looked at it.
  let ruleIDs: Set<String>

  static func unread(_ path: String, _ reason: String) -> FileOutcome {
    FileOutcome(
      path: path, lines: 0, candidates: [], index: FileIndex(), suppressions: nil,
      problem: AuditProblem(path: path, reason: reason), parseTroubles: [], ruleIDs: [])
  }

  static func skipped(_ path: String, _ file: AuditedFile) -> FileOutcome {
    FileOutcome(
      path: path, lines: file.lines.writtenLineCount, candidates: [], index: FileIndex(),
      suppressions: nil, problem: nil, parseTroubles: [], ruleIDs: [])
  }
}
