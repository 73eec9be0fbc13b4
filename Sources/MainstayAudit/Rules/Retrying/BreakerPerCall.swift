// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let breakerPerCall = Rule(
    "MS511", "breaker-per-call", .error, .default, serves: ["A23"],
    places: [.production, .example],
    summary: "A breaker, limiter or bulkhead is made for one call, so that it never acts.",
    why: """
      It decides by what earlier calls met. One that is made for each call has met nothing: it \
      never opens, never limits, never queues.
      """,
    guess: "A type whose name ends like `CircuitBreaker`, `RateLimiter` or `Bulkhead` is one.",
    onPurpose: "Keep it in a property, or pass it in.",
    remedy: .none("where it is to live depends on what shares it"),
    examples: [
      .bad(
        """
        func load() async throws -> Data {
          let breaker = ↓CircuitBreaker("catalog")
          return try await breaker.run { try await fetch() }
        }
        """),
      .bad(
        """
        struct Client {
          func send() async throws {
            try await ↓RateLimiter("mail", .perSecond(5)).run { try await post() }
          }
        }
        """),
      .bad(
        """
        final class Catalog {
          func book(_ id: Int) async throws -> Book {
            let pipeline = Pipeline("catalog") {
              Retry(maximumAttempts: 3)
              ↓CircuitBreaker("catalog", .consecutiveFailures(5), breakFor: .seconds(5))
            }
            return try await pipeline.run { try await api.book(id) }
          }
        }
        """),
      .bad(
        """
        func work() async throws {
          var limiter = try ↓Bulkhead(limit: 5)
          defer { log.debug("done") }
          try await limiter.execute { try await run() }
        }
        """),
      .bad(
        """
        func load() async throws {
          let breaker: CircuitBreaker = ↓CircuitBreaker(threshold: 3)
          do {
            try await breaker.call { try await fetch() }
          } catch {
            log.error("\\(error)")
            throw error
          }
        }
        """),
      .bad(
        """
        func load() {
          let breaker = ↓CircuitBreaker("catalog")
          Task { try await breaker.run { try await fetch() } }
        }
        """),
      .good(
        """
        struct Client {
          private let breaker = CircuitBreaker("catalog")
          func load() async throws -> Data {
            try await breaker.run { try await fetch() }
          }
        }
        """),
      .good(
        """
        func makeBreaker() -> CircuitBreaker {
          let breaker = CircuitBreaker("catalog")
          return breaker
        }
        """, because: "it is returned"),
      .good(
        """
        func start() async throws {
          let breaker = CircuitBreaker("catalog")
          self.client = Client(breaker: breaker)
          try await breaker.run { try await ping() }
        }
        """, because: "it is kept"),
      .good(
        """
        func sendAll() async throws {
          let limiter = RateLimiter("mail", .perSecond(5))
          for mail in mails {
            try await limiter.run { try await send(mail) }
          }
        }
        """, because: "many calls go through it"),
      .good(
        """
        func fetchAll() async throws {
          let limiter = Bulkhead("images", limit: 4)
          try await withThrowingTaskGroup(of: Void.self) { group in
            for url in urls { group.addTask { try await limiter.run { try await load(url) } } }
          }
        }
        """, because: "many calls go through it"),
      .good(
        """
        let breaker = CircuitBreaker("catalog")
        try await breaker.run { try await fetch() }
        """, path: "Sources/App/main.swift", because: "it lives as long as the program"),
    ],
    checks: .call { call, file in
      guard let type = call.madePolicy, let routine = call.enclosingFunction,
        routine.name != "main", routine.name != "init",
        [.functionDecl, .accessorDecl].contains(routine.node.kind),
        let owner = call.owner(in: routine)
      else { return }
      switch owner {
      case .run: break
      case .name(let name, let declaration):
        guard let list = declaration.enclosingRoutine?.statements,
          list.usesOnce(name, declaredBy: declaration)
        else { return }
      }
      file.report(call, "This `\(type)` is made for each call, so that it never acts")
    })
}

extension String {
  /// Whether a type of that name decides by what earlier calls met.
  fileprivate var isStatefulPolicy: Bool {
    guard first?.isUppercase ?? false else { return false }
    return ["CircuitBreaker", "RateLimiter", "Bulkhead", "Throttler", "ConcurrencyLimiter"]
      .contains(where: hasSuffix)
  }

  /// Whether a member of that name lets a call through, or asks whether it may go through.
  fileprivate var runs: Bool {
    [
      "run", "execute", "call", "outcome", "perform", "withPermit", "callAsFunction", "protect",
      "acquire", "tryAcquire", "wait", "allowsRequest", "allowRequest", "allow", "canExecute",
      "isOpen", "state",
    ].contains(self)
  }

  /// Whether a member of that name says how a call ended.
  fileprivate var notes: Bool {
    let found = words(of: self)
    return ["record", "report", "note", "mark", "on"].contains(found.first ?? "")
      && (found.last.map { ["success", "failure", "succeeded", "failed", "error"].contains($0) }
        ?? false)
      || ["success", "failure", "release", "succeeded", "failed"].contains(self)
  }
}

/// Who holds what a function makes.
private enum Owner {
  /// Nobody: it runs something at once.
  case run
  case name(String, VariableDeclSyntax)
}

extension FunctionCallExprSyntax {
  /// `CircuitBreaker` of `CircuitBreaker(…)`, `CircuitBreaker<Data>(…)`, `CircuitBreaker.init(…)`,
  /// and of `let breaker: CircuitBreaker = .init(…)`.
  fileprivate var madePolicy: String? {
    var callee = calledExpression
    if let access = callee.as(MemberAccessExprSyntax.self) {
      let name = access.declName.baseName.text
      guard name == "init" else { return access.base != nil && name.isStatefulPolicy ? name : nil }
      guard let base = access.base else {
        let type = parent?.parent?.as(PatternBindingSyntax.self)?.typeAnnotation?.type.lastName
        return type.flatMap { $0.isStatefulPolicy ? $0 : nil }
      }
      callee = base
    }
    if let special = callee.as(GenericSpecializationExprSyntax.self) { callee = special.expression }
    guard let name = callee.as(DeclReferenceExprSyntax.self)?.baseName.bareText,
      name.isStatefulPolicy
    else { return nil }
    return name
  }

  /// Who holds what the call makes, alone or as a stage of a pipeline.
  fileprivate func owner(in routine: Routine) -> Owner? {
    var current = Syntax(self)
    while let parent = current.parent, parent.id != routine.node.id {
      if let access = parent.as(MemberAccessExprSyntax.self) {
        guard access.declName.baseName.text.runs, access.parent?.kind == .functionCallExpr
        else { return nil }
        return .run
      }
      if parent.kind == .initializerClause,
        let binding = parent.parent?.as(PatternBindingSyntax.self),
        let variable = binding.nearest(VariableDeclSyntax.self),
        let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.bareText
      {
        guard !variable.modifiers.has(.static), variable.enclosingLoop == nil else { return nil }
        return .name(name, variable)
      }
      switch parent.kind {
      case .tryExpr, .awaitExpr, .codeBlockItem, .codeBlockItemList: break
      case .closureExpr:
        guard let call = parent.as(ClosureExprSyntax.self)?.receivingCall, call.name == "Pipeline"
        else { return nil }
        current = Syntax(call)
        continue
      default: return nil
      }
      current = parent
    }
    return nil
  }
}

extension DeclReferenceExprSyntax {
  /// Whether it runs once where a routine runs once: in its own statements or in a task that it
  /// starts, and in no loop.
  fileprivate func isUsedOnce(in routine: SyntaxIdentifier?) -> Bool {
    var place = Syntax(self)
    while place.enclosingLoop == nil, let around = place.enclosingRoutine {
      if around.node.id == routine { return true }
      guard let call = around.node.as(ClosureExprSyntax.self)?.receivingCall,
        call.calledExpression.firstName == "Task"
      else { return false }
      place = Syntax(call)
    }
    return false
  }
}

extension CodeBlockItemListSyntax {
  /// Whether all that is done with a local name is one call that runs something through it, in no
  /// loop and no closure, and notes of how that ended.
  fileprivate func usesOnce(_ name: String, declaredBy declaration: VariableDeclSyntax) -> Bool {
    let routine = declaration.enclosingRoutine?.node.id
    var runs = 0
    for use in every(DeclReferenceExprSyntax.self)
    where use.baseName.bareText == name && !use.isMemberName {
      guard use.isUsedOnce(in: routine) else { return false }
      if let access = use.parent?.as(MemberAccessExprSyntax.self) {
        let member = access.declName.baseName.text
        if member.notes { continue }
        guard member.runs else { return false }
      } else {
        guard let call = use.parent?.as(FunctionCallExprSyntax.self),
          call.calledExpression.id == use.id, call.trailingClosure != nil
        else { return false }
      }
      runs += 1
    }
    return runs == 1
  }
}
