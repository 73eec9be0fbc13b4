// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let stringifiedCause = Rule(
    "MS111", "stringified-cause", .info, .optIn, serves: ["B2"],
    places: [.production, .example],
    summary: "A caught error goes into a new one only as text.",
    why: """
      The text keeps what the error says and loses what it is: nobody further up can ask for its \
      type, its code or its own cause.
      """,
    guess: "A log call beside it keeps the error itself where somebody can find it.",
    onPurpose: "Log the error in the same clause, or keep it in the new one as well.",
    remedy: .none("the new error needs a place for the old one"),
    examples: [
      .bad("do { try f() } catch { ↓throw LoadError.failed(\"\\(error)\") }"),
      .bad(
        """
        do { try f() } catch let problem {
          ↓throw LoadError(message: "Loading failed: " + problem.localizedDescription, code: 3)
        }
        """),
      .bad(
        """
        func load() async -> Result<Data, LoadError> {
          do { return .success(try await f()) } catch {
            return ↓.failure(.failed(String(describing: error)))
          }
        }
        """),
      .bad(
        """
        do { try f() } catch let error as DecodingError {
          let text = error.localizedDescription
          ↓throw LoadError.decoding(text)
        }
        """),
      .bad(
        """
        do { try await f() } catch {
          if isLast { ↓throw LoadError.failed(reason: error.localizedDescription) }
        }
        """),
      .good("do { try f() } catch { throw LoadError.failed(underlying: error) }"),
      .good("do { try f() } catch { throw LoadError.failed(\"\\(error)\", underlying: error) }"),
      .good(
        "do { try f() } catch { log.error(\"\\(error)\"); throw LoadError.failed(\"\\(error)\") }",
        because: "the error itself is in the log"),
      .good("do { try f() } catch { throw LoadError.failed }", because: "another rule finds that"),
      .bad(
        """
        do { try f() } catch {
          let wrapped = LoadError.failed("\\(error)")
          ↓throw wrapped
        }
        """),
      .good("do { try f() } catch { throw error }"),
      .good(
        """
        do { try f() } catch {
          let wrapped = LoadError.failed("\\(error)")
          report(wrapped, from: error)
          throw wrapped
        }
        """, because: "whoever gets the report gets the error itself"),
      .good(
        """
        do { try f() } catch DecodingError.keyNotFound(let key, let context) {
          throw LoadError.invalid("no \\(key): \\(context.debugDescription)")
        }
        """, because: "what the pattern took out goes on as it is"),
      .good("do { try f() } catch let e as HTTPError { throw LoadError.http(e.status) }"),
    ],
    checks: .catchClause { clause, file in
      guard !clause.body.statements.isEmpty, clause.bindsError else { return }
      let made = clause.newErrors
      guard !made.isEmpty else { return }
      let names = clause.boundNames
      let uses = made.map { ($0.node, CauseUse(of: names, in: $0.value)) }
      guard uses.contains(where: { $0.1 == .text }),
        !clause.logs(names, file)
      else { return }
      for (node, use) in uses where use == .text {
        file.report(node, "The error behind this one survives only as text")
      }
    })
}

extension CatchClauseSyntax {
  /// Whether the body has the error itself, rather than what a pattern takes out of it.
  fileprivate var bindsError: Bool {
    guard let pattern = catchItems.first?.pattern else { return true }
    if pattern.discardsValue { return false }
    return pattern.isIrrefutable || pattern.contains { $0.kind == .unresolvedAsExpr }
  }

  /// What it throws or hands on as a failure, where that is made here.
  fileprivate var newErrors: [(node: Syntax, value: ExprSyntax)] {
    body.everyOwn(ThrowStmtSyntax.self).compactMap { statement in
      let value = statement.expression.core
      let made = value.as(DeclReferenceExprSyntax.self)?.localValue?.core ?? value
      return made.is(FunctionCallExprSyntax.self) ? (Syntax(statement), made) : nil
    }
      + body.ownCalls.compactMap { call in
        guard let first = call.arguments.first,
          call.name == "failure" || first.label?.text == "throwing",
          first.expression.core.is(FunctionCallExprSyntax.self)
        else { return nil }
        return (Syntax(call), first.expression.core)
      }
  }

  /// Whether a call in it reports the error to somebody.
  fileprivate func logs(_ names: Set<String>, _ file: AuditedFile) -> Bool {
    body.ownCalls.contains { file.isRecorder($0) && $0.mentionsAny(of: names) }
  }
}

/// How a new error keeps the one that was caught.
private enum CauseUse {
  case none, text, whole

  init(of names: Set<String>, in value: ExprSyntax, isLocal: Bool = false) {
    var use = CauseUse.none
    value.walk { node in
      guard use != .whole, let name = node.as(DeclReferenceExprSyntax.self), !name.isMemberName
      else { return use != .whole }
      if names.contains(name.baseName.bareText) {
        use = name.isRead ? .text : .whole
      } else if !isLocal, let local = name.localValue, local.mentionsAny(of: names) {
        let inner = CauseUse(of: names, in: local, isLocal: true)
        if inner != .none { use = inner }
      }
      return true
    }
    self = use
  }
}

extension DeclReferenceExprSyntax {
  /// Whether only the words of the error get out of here: a description, an interpolation.
  fileprivate var isRead: Bool {
    if let access = castParent?.as(MemberAccessExprSyntax.self) {
      return descriptions.contains(access.declName.baseName.text)
    }
    guard let argument = parent?.as(LabeledExprSyntax.self) else { return false }
    if argument.parent?.parent?.kind == .expressionSegment { return true }
    return ["describing", "reflecting"].contains(argument.label?.text ?? "")
      && ["String", "init"].contains(argument.nearest(FunctionCallExprSyntax.self)?.name)
  }

  /// What the name stands in, past `(… as T)` and `?`.
  private var castParent: Syntax? {
    var current = parent
    while let here = current,
      [
        .exprList, .sequenceExpr, .labeledExpr, .labeledExprList, .tupleExpr, .optionalChainingExpr,
      ].contains(here.kind), ExprSyntax(here).map({ $0.uncast.id == id }) ?? true,
      here.parent?.kind != .functionCallExpr, here.parent?.kind != .expressionSegment
    {
      current = here.parent
    }
    return current
  }
}

private let descriptions: Set<String> = [
  "localizedDescription", "description", "debugDescription", "message", "errorDescription",
]
