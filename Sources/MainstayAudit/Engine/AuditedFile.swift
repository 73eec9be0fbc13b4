// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// One file while rules look at it: what they may ask, and where they report.
final class AuditedFile {
  let path: String
  let pathClass: PathClass
  let vocabulary: Vocabulary
  let bytes: [UInt8]
  let tree: SourceFileSyntax
  /// The rules that are on, in the order of their checks' numbers.
  let rules: [Rule]
  /// The number of the rule whose check runs now; the walk sets it.
  var rule = 0
  private(set) var candidates: [Candidate] = []
  private(set) lazy var lines = LineTable(bytes)
  /// The modules that it imports, also under a condition.
  let imports: Set<String>
  /// Those of them that it imports whole: `import struct Foundation.URL` brings `URL` alone.
  let wholeImports: Set<String>
  /// The loggers of its types, as far as somebody asked.
  var knownLoggers: [SyntaxIdentifier: [KnownLogger]] = [:]
  /// The loggers that it declares outside of types.
  private(set) lazy var fileLoggers: [String] = tree.statements
    .compactMap { $0.item.as(VariableDeclSyntax.self) }.flatMap(\.bindings).filter(isLogger)
    .compactMap { $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text }
  /// The names of its classes that no other thread may have.
  private(set) lazy var plainClasses = tree.plainClasses
  /// The functions that it declares anywhere, by name.
  private(set) lazy var functions: [String: [FunctionDeclSyntax]] = Dictionary(
    grouping: tree.every(FunctionDeclSyntax.self), by: { $0.name.bareText })
  /// How often it tries at most, where a constant or default such as `maximumRetries = 3` says so.
  private(set) lazy var attemptLimit: Int? = tree.attemptLimit

  /// Where it sets which state.
  private(set) lazy var stateChanges = StateChanges(tree)

  /// An edit that imports Foundation, where no import here brings it.
  private(set) lazy var foundationImport = makeFoundationImport()

  /// A finding that may still depend on what other files hold.
  struct Candidate: Sendable {
    private let finding: Finding
    private let judge: (@Sendable (ProjectIndex) -> Verdict?)?

    init(_ finding: Finding, judge: (@Sendable (ProjectIndex) -> Verdict?)? = nil) {
      self.finding = finding
      self.judge = judge
    }

    /// Whether it depends on what other files hold.
    var asksForIndex: Bool { judge != nil }

    /// The finding as the whole project makes it; nil where it is none after all.
    func settled(by index: ProjectIndex) -> Finding? {
      guard let judge else { return finding }
      return judge(index).map { verdict in
        Finding(
          rule: finding.rule, name: finding.name,
          severity: verdict.severity.map { min($0, finding.severity) } ?? finding.severity,
          path: finding.path, line: finding.line, column: finding.column, lines: finding.lines,
          message: verdict.message ?? finding.message, why: finding.why,
          endColumn: finding.endColumn, source: finding.source, anchor: finding.anchor,
          fix: verdict.fix ?? finding.fix)
      }
    }
  }

  /// What the whole project says about a finding of one file.
  struct Verdict: Sendable {
    /// What is wrong, where that is said better than before.
    var message: String?
    /// How bad it is, if milder than before.
    var severity: Severity?
    /// How to mend it, where that takes the whole project to know.
    var fix: Fix?
  }

  init(
    path: String, pathClass: PathClass, bytes: [UInt8], tree: SourceFileSyntax, rules: [Rule],
    vocabulary: Vocabulary
  ) {
    self.path = path
    self.bytes = bytes
    self.tree = tree
    self.rules = rules
    self.vocabulary = vocabulary
    imports = tree.statements.imports()
    wholeImports = tree.statements.imports { $0.importKindSpecifier == nil }
    self.pathClass = pathClass.settled(
      named: path, imports: imports, isProgram: tree.isProgram(bytes))
  }

  /// Reports the rule that runs now at a node.
  ///
  /// - Parameters:
  ///   - node: What is wrong; the finding stands at its first token.
  ///   - message: What is wrong here, in one sentence without a full stop.
  ///   - severity: How bad it is here, if not as the rule says.
  ///   - fix: How to mend it.
  ///   - holds: Asked once all files are read; without an answer of yes there is no finding.
  func report(
    _ node: some SyntaxProtocol, _ message: String, severity: Severity? = nil, fix: Fix? = nil,
    when holds: (@Sendable (ProjectIndex) -> Bool)? = nil
  ) {
    let judge: (@Sendable (ProjectIndex) -> Verdict?)?
    if let holds {
      judge = { index in holds(index) ? Verdict() : nil }
    } else {
      judge = nil
    }
    report(node, message, severity: severity, fix: fix, judging: judge)
  }

  /// Reports the rule that runs now at a node, with what only the whole project can say.
  ///
  /// - Parameters:
  ///   - node: What is wrong; the finding stands at its first token.
  ///   - message: What is wrong here, in one sentence without a full stop.
  ///   - severity: How bad it is here, if not as the rule says.
  ///   - fix: How to mend it.
  ///   - judge: Asked once all files are read; without a verdict there is no finding.
  func report(
    _ node: some SyntaxProtocol, _ message: String, severity: Severity? = nil, fix: Fix? = nil,
    judging judge: (@Sendable (ProjectIndex) -> Verdict?)?
  ) {
    let rule = rules[rule]
    guard rule.places.contains(pathClass) else { return }
    var severity = severity ?? rule.severity
    if pathClass == .preview || node.isForDebuggingAlone { severity = severity.milder }
    let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
    let end = node.endPositionBeforeTrailingTrivia.utf8Offset
    let finding = rule.finding(
      at: start..<end, in: self, about: node.subject.bytes, anchor: node.anchor,
      message: message, severity: severity, fix: fix.map { $0.located(in: bytes, lines) })
    candidates.append(Candidate(finding, judge: judge))
  }

  /// The text of some bytes.
  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// The bytes of a line, from 1, without its end.
  func content(ofLine line: Int) -> Range<Int> {
    var range = lines.bytes(ofLine: line)
    while let last = range.last, bytes[last] == 0x0A || bytes[last] == 0x0D {
      range = range.lowerBound..<last
    }
    return range
  }

  /// The start of a line, without its end, for people to read: a line that a program wrote may be
  /// as long as the file, and a finding each few bytes.
  func excerpt(ofLine line: Int) -> String {
    var range = content(ofLine: line).prefix(Self.longestExcerpt)
    // No character is cut in two.
    while range.endIndex < bytes.count, let last = range.last, bytes[range.endIndex] & 0xC0 == 0x80
    {
      range = range.startIndex..<last
    }
    return text(range)
  }

  private static let longestExcerpt = 500

  /// Whether a call reports to somebody, rather than make an error that another call may report.
  func isRecorder(_ call: FunctionCallExprSyntax) -> Bool {
    guard let name = call.name, !call.makesError else { return false }
    return vocabulary.isRecorder(name, receiver: call.receiver?.lastName)
  }

  /// Whether something in the node reports to somebody, also from a closure.
  func reports(_ node: some SyntaxProtocol) -> Bool {
    node.every(FunctionCallExprSyntax.self).contains(where: isRecorder)
      || node.every(MacroExpansionExprSyntax.self).contains {
        ["expect", "require", "warning", "error"].contains($0.macroName.bareText)
      }
  }

  /// The indentation of the line that a node starts on.
  func indentation(of node: some SyntaxProtocol) -> String {
    let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
    let line = lines.bytes(ofLine: lines.place(of: start).line)
    return String(
      decoding: bytes[line].prefix { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
  }

  /// One step of indentation, as the file has it around a block.
  func step(in block: CodeBlockSyntax) -> String {
    guard let first = block.statements.first else { return "  " }
    let outer = indentation(of: block.rightBrace)
    let inner = indentation(of: first)
    return inner.count > outer.count && inner.hasPrefix(outer)
      ? String(inner.dropFirst(outer.count)) : "  "
  }
}

extension Rule {
  func finding(
    at range: Range<Int>, in file: AuditedFile, about subject: Range<Int>,
    anchor: Finding.Anchor, message: String, severity: Severity, fix: Fix?
  ) -> Finding {
    let place = file.lines.place(of: range.lowerBound)
    let line = file.content(ofLine: place.line)
    let last = min(range.upperBound, line.upperBound)
    return Finding(
      rule: id, name: name, severity: severity, path: file.path, line: place.line,
      column: place.column, lines: file.lines.lines(of: subject), message: message, why: why,
      endColumn: max(place.column + 1, last - line.lowerBound + 1),
      source: file.excerpt(ofLine: place.line), anchor: anchor, fix: fix)
  }
}

extension SyntaxProtocol {
  /// Whether it is compiled under `#if DEBUG` alone, or lies in a preview.
  var isForDebuggingAlone: Bool {
    var current = Syntax(self).parent
    while let here = current {
      if let clause = here.as(IfConfigClauseSyntax.self),
        clause.condition?.trimmedDescription == "DEBUG"
      {
        return true
      }
      if let macro = here.as(MacroExpansionDeclSyntax.self), macro.macroName.text == "Preview" {
        return true
      }
      if let macro = here.as(MacroExpansionExprSyntax.self), macro.macroName.text == "Preview" {
        return true
      }
      if let type = TypeDeclaration(here),
        type.name.hasSuffix("_Previews") || type.inherited.contains("PreviewProvider")
      {
        return true
      }
      current = here.parent
    }
    return false
  }
}

extension CodeBlockItemListSyntax {
  /// The modules of those imports that are as asked.
  fileprivate func imports(
    where isWanted: (ImportDeclSyntax) -> Bool = { _ in true }
  ) -> Set<String> {
    var modules: Set<String> = []
    for statement in self {
      if let declaration = statement.item.as(ImportDeclSyntax.self) {
        guard isWanted(declaration) else { continue }
        modules.insert(declaration.path.first?.name.bareText ?? "")
      } else if let condition = statement.item.as(IfConfigDeclSyntax.self) {
        for clause in condition.clauses {
          let inner = clause.elements?.as(CodeBlockItemListSyntax.self)
          modules.formUnion(inner?.imports(where: isWanted) ?? [])
        }
      }
    }
    return modules
  }
}

extension SourceFileSyntax {
  /// Whether it says `@main` and is a command of ArgumentParser, or starts with a shebang.
  fileprivate func isProgram(_ bytes: [UInt8]) -> Bool {
    shebang != nil
      || statements.contains { item in
        guard let type = TypeDeclaration(Syntax(item.item)) else { return false }
        return type.inherited.contains { $0.hasSuffix("ParsableCommand") }
      }
  }
}
