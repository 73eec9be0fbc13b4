// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// What the names of a project are, asked before anybody has configured them.
struct ProjectSurvey {
  /// Properties that hold a logger, whose names the rules would not know for one, sorted.
  let loggers: [String]
  /// Types of errors, and those that something turns into them.
  let conversions: [String: Set<String>]

  init(of sources: [AuditSource], jobs: Int) async {
    var names: Set<String> = []
    var conversions: [String: Set<String>] = [:]
    for await found in Workers.map(sources, jobs: jobs, { Self.names(in: $0) }) {
      names.formUnion(found.loggers)
      conversions.merge(found.conversions) { $0.union($1) }
    }
    let vocabulary = Vocabulary()
    loggers = names.filter { !vocabulary.isLogger($0) }.sorted()
    self.conversions = conversions
  }

  private struct Names: Sendable {
    var loggers: Set<String> = []
    var conversions: [String: Set<String>] = [:]
  }

  private static func names(in source: AuditSource) -> Names {
    guard PathClass(path: source.place) != .test, case .file(let path) = source.content,
      let bytes = try? FileWork.read(path),
      bytes.contains(sequence: Array("Logger".utf8))
        || bytes.contains(sequence: Array("Error".utf8)),
      Nesting.trouble(in: bytes[...]) == nil
    else { return Names() }
    let tree = SourceFileSyntax.parsed(bytes[...])
    guard Nesting.trouble(in: tree) == nil else { return Names() }
    let visitor = SurveyVisitor(viewMode: .sourceAccurate)
    visitor.walk(tree)
    return visitor.names
  }

  private final class SurveyVisitor: SyntaxVisitor {
    var names = Names()

    override func visit(_ node: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
      guard let name = node.pattern.as(IdentifierPatternSyntax.self)?.identifier.bareText else {
        return .visitChildren
      }
      let type = node.typeAnnotation?.type.lastName
      if type == "Logger"
        || node.initializer?.value.as(FunctionCallExprSyntax.self)?.name == "Logger"
      {
        names.loggers.insert(name)
      }
      // `var appError: AppError { … }` of an error.
      if node.accessorBlock != nil, let owner = TypeDeclaration(around: node)?.name {
        add(from: owner, into: type)
      }
      return .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
      let into = node.signature.returnClause?.type.lastName
      let owner = TypeDeclaration(around: node)?.name
      let from = node.signature.parameterClause.parameters.first?.type.lastName
      add(from: from, into: into == "Self" ? owner : into)
      return .visitChildren
    }

    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
      add(
        from: node.signature.parameterClause.parameters.first?.type.lastName,
        into: TypeDeclaration(around: node)?.name)
      return .visitChildren
    }

    /// Notes a way from one error to another; any error at all is none in particular.
    private func add(from: String?, into: String?) {
      guard let from, let into, from != into, from != "Error", into != "Error",
        from.hasSuffix("Error"), into.hasSuffix("Error")
      else { return }
      names.conversions[into, default: []].insert(from)
    }
  }
}
