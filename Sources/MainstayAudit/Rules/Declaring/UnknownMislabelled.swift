// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let unknownMislabelled = Rule(
    "MS109", "unknown-mislabelled", .warning, .strict, serves: ["B11", "T13"],
    places: [.production, .example],
    summary:
      "A catch-all, or the end of a chain, calls every error one of the network or the like.",
    why: """
      Whatever goes wrong gets the same name: people are told to check their connection when the \
      disk is full, and retries repeat what cannot succeed.
      """,
    guess:
      "Calls are known by the words in their names: `decode` has nothing to do with a network.",
    onPurpose: "Catch the errors of that kind by their type, and leave the rest unclassified.",
    remedy: .none("which case stands for the rest is for the author to say"),
    examples: [
      .bad(
        """
        do { try database.save(order) } catch { ↓throw AppError.network(error) }
        """),
      .bad(
        """
        func load() async throws -> [Item] {
          do {
            let (data, _) = try await session.data(from: url)
            return try JSONDecoder().decode([Item].self, from: data)
          } catch let error as URLError {
            throw error
          } catch {
            log.error("\\(error)")
            ↓throw LoadError.networkError(underlying: error)
          }
        }
        """),
      .bad(
        """
        func map(_ error: any Error) -> AppError {
          if let error = error as? DecodingError {
            return .decoding(error)
          } else if error is CancellationError {
            return .cancelled
          } else {
            ↓return .network(error)
          }
        }
        """),
      .bad(
        """
        func map(_ error: any Error) -> AppError {
          switch error {
          case let error as StoreError: return .store(error)
          case is DecodingError: return .decoding
          default: ↓return AppError.noInternet
          }
        }
        """),
      .bad(
        """
        func open() -> Result<Document, AppError> {
          do {
            return .success(try parse(text))
          } catch {
            ↓return .failure(.offline)
          }
        }
        """),
      .bad(
        """
        func save() {
          do { try store.write(draft) } catch { ↓self.failure = .connectionLost }
        }
        """),
      .bad(
        """
        func map(_ error: any Error) -> AppError {
          if let error = error as? DecodingError { return .decoding(error) }
          ↓return .network(error)
        }
        func code(_ error: any Error) -> AppError {
          guard let error = error as? DecodingError else { ↓return NetworkError.failed(error) }
          return .decoding(error)
        }
        """),
      .good("do { try database.save(order) } catch { throw AppError.unknown(error) }"),
      .good(
        """
        func end(_ end: End, _ error: any Error) -> AppError {
          switch end {
          case .unconnected:
            guard let error = error as? WireError else { return .unreachable(error) }
            return .wire(error)
          case .lost: return .lost
          }
        }
        """, because: "the arm says what the error is about"),
      .good(
        "do { try await client.send(request) } catch { throw AppError.network(error) }",
        because: "it only calls the network"),
      .good(
        "do { try database.save(order) } catch let e as URLError { throw AppError.network(e) }"),
      .good(
        "do { try await loadProfile() } catch { throw AppError.network(error) }",
        because: "what it calls may well be the network"),
      .good("do { try database.save(order) } catch { throw AppError.database(error) }"),
      .good(
        """
        func map(_ error: any Error) -> AppError {
          if let e = error as? URLError { return .network(e) } else { return .unknown(error) }
        }
        """),
      .good(
        """
        func map(_ error: URLError) -> AppError {
          switch error.code {
          case .cancelled: return .cancelled
          default: return .network(error)
          }
        }
        """, because: "it is an error of the network, by its type"),
      .good(
        """
        func name(_ place: Place) -> Source {
          if place == .disk { return .file } else { return .network }
        }
        """, because: "nothing here is an error"),
    ],
    checks: .catchClause { clause, file in
      guard clause.isCatchAll, let statement = clause.body.statements.mapping,
        let calls = clause.doStatement?.body.triedCalls, !calls.isEmpty,
        !clause.asksForType
      else { return }
      guard let label = statement.label, let domain = Domain(of: label),
        calls.contains(where: { domain.excludes($0) })
      else { return }
      file.report(statement.node, "Every error that comes here is called `\(label)`")
    },
    .ifExpression { branch, file in
      guard let statement = branch.rest?.mapping, branch.castsError else { return }
      guard let label = statement.label, Domain(of: label) != nil else { return }
      file.report(statement.node, "Every other error is called `\(label)`")
    },
    .guardStatement { check, file in
      // In an arm of a `switch` or an `if`, more is known of the error than its type.
      guard check.parent?.parent?.parent?.parent.flatMap(Routine.init) != nil,
        let statement = check.body.statements.mapping,
        check.conditions.contains(where: { $0.condition.castsError })
      else { return }
      guard let label = statement.label, Domain(of: label) != nil else { return }
      file.report(statement.node, "Every other error is called `\(label)`")
    },
    .switchExpression { expression, file in
      guard let last = expression.cases.last?.as(SwitchCaseSyntax.self), last.label.isDefault,
        let statement = last.statements.mapping, expression.castsError
      else { return }
      guard let label = statement.label, Domain(of: label) != nil else { return }
      file.report(statement.node, "Every other error is called `\(label)`")
    })
}

/// `throw E.label(…)`, `return .label`, `return .failure(.label)` or `state = .label`.
private struct Mapping {
  let node: Syntax
  let value: ExprSyntax

  /// The case, where one is named.
  var label: String? {
    var value = value.core
    while let call = value.as(FunctionCallExprSyntax.self) {
      if let name = call.name, ["failure", "failed", "error"].contains(name),
        let first = call.firstArgument?.core, first.isCase
      {
        value = first
      } else {
        value = call.calledExpression
      }
    }
    guard let access = value.as(MemberAccessExprSyntax.self) else { return nil }
    // A member of a value, such as `error.network`, is no case.
    if let base = access.base, !(base.lastName?.first?.isUppercase ?? false) { return nil }
    let name = access.declName.baseName.bareText
    // `NetworkError.failed` says it with the type alone.
    let saysMore = words(of: name).contains { !emptyWords.contains($0) }
    return saysMore ? name : access.base?.lastName
  }
}

/// Words that say no more than that it is an error.
private let emptyWords: Set<String> = ["failed", "failure", "error", "underlying", "wrapped"]

extension ExprSyntax {
  /// Whether it is a case: `.a`, `.a(x)`, `E.a`.
  fileprivate var isCase: Bool {
    let callee = self.as(FunctionCallExprSyntax.self)?.calledExpression ?? self
    guard let access = callee.as(MemberAccessExprSyntax.self) else { return false }
    return access.base == nil || access.base?.lastName?.first?.isUppercase ?? false
  }
}

extension CodeBlockItemListSyntax {
  /// What the last statement makes of the error.
  fileprivate var mapping: Mapping? {
    guard let item = last?.item else { return nil }
    if let statement = item.as(ThrowStmtSyntax.self) {
      return Mapping(node: Syntax(statement), value: statement.expression)
    }
    if let statement = item.as(ReturnStmtSyntax.self), let value = statement.expression {
      return Mapping(node: Syntax(statement), value: value)
    }
    if let sequence = item.as(SequenceExprSyntax.self), let assignment = Assignment(sequence),
      let value = assignment.value
    {
      return Mapping(node: Syntax(sequence), value: value)
    }
    if let value = item.as(ExprSyntax.self), value.isCase,
      value.firstName.map({ $0.hasSuffix("Error") || $0.hasSuffix("Failure") }) ?? true
    {
      return Mapping(node: Syntax(value), value: value)
    }
    return nil
  }
}

extension CatchClauseSyntax {
  /// Whether it looks at what kind of error it has before it names it.
  fileprivate var asksForType: Bool {
    body.containsOwn { node in
      switch node.kind {
      case .ifExpr, .switchExpr, .guardStmt, .ternaryExpr, .unresolvedTernaryExpr: true
      default: false
      }
    }
  }
}

extension CodeBlockSyntax {
  /// The calls that can throw here, outermost of each `try`.
  fileprivate var triedCalls: [FunctionCallExprSyntax] {
    everyOwn(TryExprSyntax.self).filter { $0.questionOrExclamationMark == nil }.compactMap { node in
      // `try await f(x)`
      node.expression.core.as(FunctionCallExprSyntax.self)
    }
  }
}

extension IfExprSyntax {
  /// What runs where none of its conditions holds: the last `else`, or the one statement after it
  /// where its body leaves.
  fileprivate var rest: CodeBlockItemListSyntax? {
    if let last = elseBody { return last.as(CodeBlockSyntax.self)?.statements }
    guard let leaving = body.statements.last?.item,
      leaving.is(ReturnStmtSyntax.self) || leaving.is(ThrowStmtSyntax.self),
      let list = nearest(CodeBlockItemListSyntax.self), parent?.kind == .expressionStmt,
      let before = list.dropLast().last, before.item.id == parent?.id
    else { return nil }
    return list
  }

  /// Whether it, or one that it is the `else` of, asks an error for its type.
  fileprivate var castsError: Bool {
    var current: IfExprSyntax? = self
    while let here = current {
      if here.conditions.contains(where: { $0.condition.castsError }) { return true }
      current = here.parent?.as(IfExprSyntax.self)
    }
    return false
  }
}

extension ConditionElementSyntax.Condition {
  fileprivate var castsError: Bool {
    switch self {
    case .optionalBinding(let binding): binding.initializer?.value.isCastOfError ?? false
    case .expression(let expression): expression.isCastOfError
    case .matchingPattern(let match):
      match.initializer.value.isNamedAsError && match.pattern.asksForType
    default: false
    }
  }
}

extension ExprSyntax {
  /// `error as? E` or `error is E`.
  fileprivate var isCastOfError: Bool {
    guard let parts = core.as(SequenceExprSyntax.self)?.elements.map(\.self), parts.count == 3,
      parts[1].kind == .unresolvedAsExpr || parts[1].kind == .unresolvedIsExpr
    else { return false }
    return parts[0].isNamedAsError
  }
}

extension PatternSyntax {
  fileprivate var asksForType: Bool {
    contains { [.unresolvedAsExpr, .unresolvedIsExpr, .isTypePattern].contains($0.kind) }
  }
}

extension SwitchExprSyntax {
  /// Whether it asks an error for its type.
  fileprivate var castsError: Bool {
    guard subject.isNamedAsError else { return false }
    return cases.contains { element in
      guard let label = element.as(SwitchCaseSyntax.self)?.label.as(SwitchCaseLabelSyntax.self)
      else { return false }
      return label.caseItems.contains { $0.pattern.asksForType }
    }
  }
}

extension SwitchCaseSyntax.Label {
  fileprivate var isDefault: Bool { self.is(SwitchDefaultLabelSyntax.self) }
}

/// What kind of thing can fail.
private enum Domain: CaseIterable {
  case network, storage, coding

  /// What the name of a case says, where its words are of one kind alone.
  init?(of label: String) {
    let said = Set(words(of: label))
    let matching = Self.allCases.filter { !$0.labels.isDisjoint(with: said) }
    guard matching.count == 1, said.isDisjoint(with: ["unknown", "other", "or", "generic"]) else {
      return nil
    }
    self = matching[0]
  }

  private var labels: Set<String> {
    switch self {
    case .network:
      [
        "network", "networking", "offline", "connection", "connectivity", "internet", "unreachable",
        "timeout",
      ]
    case .storage: ["database", "storage", "persistence", "disk"]
    case .coding: ["decoding", "decode", "parsing", "serialization", "deserialization"]
    }
  }

  /// Words of calls that belong to it.
  private var calls: Set<String> {
    switch self {
    case .network:
      [
        "network", "http", "url", "session", "request", "download", "upload", "fetch", "send",
        "api", "client", "remote", "server", "service", "socket", "connect", "connection", "ping",
        "endpoint", "web", "rest", "graph", "transport", "channel", "stream", "post", "sync",
        "reachability", "response", "login", "status",
      ]
    case .storage:
      [
        "save", "insert", "delete", "database", "db", "store", "storage", "write", "read", "file",
        "disk", "persist", "migrate", "context", "realm", "sqlite", "keychain", "cache", "archive",
        "manager", "directory", "folder", "record", "execute", "query", "contents", "defaults",
      ]
    case .coding:
      [
        "decode", "encode", "decoder", "encoder", "parse", "parser", "json", "plist", "xml",
        "unpack",
      ]
    }
  }

  /// Words that only calls of this kind have.
  private var certain: Set<String> {
    switch self {
    case .network: ["network", "http", "url", "api", "remote", "socket", "endpoint", "server"]
    case .storage:
      ["database", "db", "sqlite", "keychain", "disk", "realm", "directory", "defaults"]
    case .coding: ["decode", "encode", "decoder", "encoder", "parse", "parser", "json", "plist"]
    }
  }

  /// Whether a call is none of this kind: its words are of another, or it neither waits nor says
  /// anything of this one.
  func excludes(_ call: FunctionCallExprSyntax) -> Bool {
    var said = Set(words(of: call.calledExpression.trimmedDescription.onlyNames))
    if said.count > 40 { return false }
    for argument in call.arguments {
      if let label = argument.label?.bareText { said.formUnion(words(of: label)) }
    }
    let isClearlyOther =
      Self.allCases.contains { $0 != self && !$0.certain.isDisjoint(with: said) }
      && certain.isDisjoint(with: said)
    if isClearlyOther { return true }
    if !calls.isDisjoint(with: said) { return false }
    if Self.allCases.contains(where: { $0 != self && !$0.calls.isDisjoint(with: said) }) {
      return true
    }
    return self == .network && call.parent?.kind != .awaitExpr
  }
}

extension String {
  /// The names in a path of calls, joined by dots.
  fileprivate var onlyNames: String { String(map { $0.isLetter || $0.isNumber ? $0 : "." }) }
}
