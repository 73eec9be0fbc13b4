// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let unboundedErrorStore = Rule(
    "MS509", "unbounded-error-store", .warning, .default, serves: ["D16", "T6"],
    summary: "A long-lived object keeps every error or record that it ever met.",
    why: """
      In a bad hour errors come by the thousand: memory fills with their history until the system \
      ends the program.
      """,
    guess: "A class or actor with such a name, or that a screen watches, lives as long as the app.",
    onPurpose: "Trim the collection where it grows.",
    remedy: .safe("Keeps the newest 100, in a line after the one that appends."),
    examples: [
      .bad(
        """
        final class ErrorStore {
          private var history: [Error] = []
          func record(_ error: Error) {
            ↓history.append(error)
          }
        }
        """,
        fixed: """
          final class ErrorStore {
            private var history: [Error] = []
            func record(_ error: Error) {
              history.append(error)
              if history.count > 100 { history.removeFirst() }
            }
          }
          """),
      .bad(
        """
        actor CrashReporter {
          var breadcrumbs = [Breadcrumb]()
          func leave(_ crumb: Breadcrumb) {
            guard isOn else { return }
            self.↓breadcrumbs.append(crumb)
          }
        }
        """),
      .bad(
        """
        @Observable final class Model {
          private(set) var errors: [AppError] = []
          func clear() { errors.removeAll() }
          func load() async {
            do { try await fetch() } catch { ↓errors.append(AppError(error)) }
          }
        }
        """),
      .bad(
        """
        class LogService {
          static let shared = LogService()
          var entries: Array<LogRecord> = .init()
          func log(_ text: String) { ↓entries += [LogRecord(text)] }
        }
        """),
      .bad(
        """
        final class SyncManager: ObservableObject {
          @Published var failures: [Failure] = []
          func add(_ more: [Failure]) {
            ↓failures.append(contentsOf: more)
          }
        }
        """),
      .good(
        """
        final class ErrorStore {
          private var history: [Error] = []
          func record(_ error: Error) {
            history.append(error)
            if history.count > 100 { history.removeFirst() }
          }
        }
        """),
      .good(
        """
        struct Parser {
          var errors: [ParseError] = []
          mutating func fail(_ error: ParseError) { errors.append(error) }
        }
        """, because: "a value lives no longer than its work"),
      .good(
        """
        final class MockErrorReporter {
          var errors: [Error] = []
          func report(_ error: Error) { errors.append(error) }
        }
        """, because: "a test looks at all of them"),
      .good(
        """
        final class ErrorStore {
          func all() -> [Error] {
            var errors: [Error] = []
            for job in jobs { errors.append(job.error) }
            return errors
          }
        }
        """, because: "it is local"),
      .good(
        """
        actor EventQueue {
          var events: [Event] = []
          func add(_ event: Event) { events.append(event) }
          func next() -> Event? { events.isEmpty ? nil : events.removeFirst() }
        }
        """, because: "somebody takes them out"),
      .good(
        """
        actor ErrorStore {
          var failures: [Failure] = []
          func add(_ failure: Failure) {
            failures.append(failure)
            failures = failures.suffix(50)
          }
        }
        """),
    ],
    checks: .type { type, file in
      guard type.kind == .classType || type.kind == .actor, type.isLongLived else { return }
      let isLog = words(of: type.name).contains {
        ["log", "logs", "logger", "logging"].contains($0)
      }
      for property in type.properties
      where property.binding.isRecordStore(property.variable, inLog: isLog) {
        let name = property.name.bareText
        let uses = StoreUses(of: name, in: type)
        guard let growth = uses.growth, !uses.isLimited else { continue }
        file.report(
          growth.marked, "`\(name)` keeps all that is ever added, without a limit",
          fix: growth.fix(name, in: file))
      }
    })
}

extension TypeDeclaration {
  /// Whether an object of the type probably lives as long as the program.
  fileprivate var isLongLived: Bool {
    let parts = words(of: name)
    guard !parts.contains(where: Self.doubles.contains) else { return false }
    if parts.contains(where: Self.long.contains) { return true }
    if inherited.contains("ObservableObject") { return true }
    if node.as(ClassDeclSyntax.self)?.attributes.contains(where: {
      $0.as(AttributeSyntax.self)?.attributeName.lastName == "Observable"
    }) ?? false {
      return true
    }
    return properties.contains { $0.name.text == "shared" && $0.variable.modifiers.has(.static) }
  }

  private static let doubles: Set<String> = [
    "mock", "fake", "spy", "stub", "test", "testing", "dummy", "preview", "sample", "demo",
    "parser", "visitor", "builder", "rewriter", "validator", "memory", "collecting", "recording",
    "capturing", "transaction", "session",
  ]
  private static let long: Set<String> = [
    "store", "manager", "service", "reporter", "monitor", "logger", "center", "tracker",
    "coordinator", "controller", "model", "presenter", "registry", "console", "analytics",
    "history", "trail",
  ]
}

extension PatternBindingSyntax {
  /// Whether it is a stored array of errors or of what is noted about them.
  fileprivate func isRecordStore(_ variable: VariableDeclSyntax, inLog isInLog: Bool) -> Bool {
    guard variable.bindingSpecifier.tokenKind == .keyword(.var),
      accessorBlock?.accessors.is(CodeBlockItemListSyntax.self) != true,
      let name = pattern.as(IdentifierPatternSyntax.self)?.identifier.bareText,
      let element = arrayElement
    else { return false }
    // A word at the end says what it holds: `errorHandlers` holds no errors.
    let names = words(of: name)
    let isNamed = names.last.map(Self.records.contains) ?? false
    let parts = words(of: element)
    guard let last = parts.last else { return isNamed }
    if names.last == "log", names.dropLast().last == "error" { return true }
    if isNamed && !Self.others.contains(last) || Self.recordTypes.contains(last) { return true }
    // `ErrorEntry`, and `LogEntry` in a `LogStore`.
    guard Self.entries.contains(last), let first = parts.dropLast().last else { return false }
    return Self.recordTypes.contains(first) || isInLog && first == "log"
  }

  /// `E` of `[E]`, `Array<E>`, `[E]()`; empty for what is not written; nil for what is no array.
  private var arrayElement: String? {
    if let type = typeAnnotation?.type {
      if let array = type.as(ArrayTypeSyntax.self) { return array.element.lastName ?? "" }
      guard let name = type.as(IdentifierTypeSyntax.self),
        ["Array", "ContiguousArray"].contains(name.name.text)
      else { return nil }
      return name.genericArgumentClause?.arguments.first.flatMap {
        $0.argument.as(TypeSyntax.self)?.lastName
      } ?? ""
    }
    guard let call = initializer?.value.as(FunctionCallExprSyntax.self),
      let array = call.calledExpression.as(ArrayExprSyntax.self), array.elements.count == 1
    else { return nil }
    return array.elements.first?.expression.lastName ?? ""
  }

  private static let records: Set<String> = [
    "errors", "failures", "history", "records", "breadcrumbs", "crumbs", "incidents", "problems",
  ]
  private static let recordTypes: Set<String> = [
    "error", "failure", "breadcrumb", "incident", "record", "crash",
  ]
  private static let entries: Set<String> = ["entry", "event", "record", "report", "info"]
  private static let others: Set<String> = [
    "handler", "observer", "url", "uri", "item", "page", "view", "controller", "string",
  ]
}

/// What a type does with one of its collections.
private struct StoreUses {
  struct Growth {
    /// Where the finding stands.
    let marked: Syntax
    let statement: CodeBlockItemSyntax?
    /// Whether more than one element may come at once.
    let isBulk: Bool
    let target: String
    /// Whether it is put elsewhere than at the end.
    var isInFront = false
  }

  private(set) var growth: Growth?
  private(set) var isLimited = false

  init(of name: String, in type: TypeDeclaration) {
    for member in type.members {
      guard !member.decl.isType else { continue }
      member.decl.walk { node in
        guard !isLimited else { return false }
        look(at: node, name)
        return true
      }
    }
  }

  private mutating func look(at node: Syntax, _ name: String) {
    if let call = node.as(FunctionCallExprSyntax.self), call.receiver.names(name) {
      look(at: call)
    } else if let sequence = node.as(SequenceExprSyntax.self) {
      look(at: sequence, name)
    } else if let access = node.as(MemberAccessExprSyntax.self), access.base.names(name),
      ["count", "endIndex", "indices"].contains(access.declName.baseName.text),
      let sequence = access.nearest(SequenceExprSyntax.self), sequence.isComparison
    {
      isLimited = true
    }
  }

  private mutating func look(at call: FunctionCallExprSyntax) {
    switch call.name {
    case "append", "insert":
      guard let target = call.receiver, !ExprSyntax(call).isLocalName(target) else { return }
      note(
        target, call.nearest(CodeBlockItemSyntax.self), target.trimmedDescription,
        isBulk: call.argument("contentsOf") != nil)
      if call.name == "insert" { growth?.isInFront = true }
    case "removeFirst", "removeLast", "popFirst", "popLast", "remove", "removeSubrange", "suffix",
      "prefix", "dropFirst", "dropLast":
      isLimited = true
    case "removeAll": isLimited = !call.closures.isEmpty || call.argument("where") != nil
    default: break
    }
  }

  private mutating func look(at sequence: SequenceExprSyntax, _ name: String) {
    guard let target = sequence.changedTarget, (target as ExprSyntax?).names(name),
      !ExprSyntax(sequence).isLocalName(target)
    else { return }
    let sign = sequence.elements.dropFirst().first?.as(BinaryOperatorExprSyntax.self)?.operator.text
    if sign == "+=" {
      note(
        target, sequence.nearest(CodeBlockItemSyntax.self), target.trimmedDescription, isBulk: true)
    } else if let assignment = Assignment(sequence), assignment.addsToItself {
      note(
        target, sequence.nearest(CodeBlockItemSyntax.self), target.trimmedDescription, isBulk: true)
    } else if let assignment = Assignment(sequence), !assignment.isReset {
      // It is made anew from something else, perhaps from its own end.
      isLimited = true
    }
  }

  private mutating func note(
    _ target: ExprSyntax, _ statement: CodeBlockItemSyntax?, _ text: String, isBulk: Bool
  ) {
    guard growth == nil else { return }
    let marked = target.as(MemberAccessExprSyntax.self).map { Syntax($0.declName) }
    growth = Growth(
      marked: marked ?? Syntax(target), statement: statement, isBulk: isBulk, target: text)
  }
}

extension Assignment {
  /// Whether it is `errors = errors + [error]`.
  fileprivate var addsToItself: Bool {
    values.count == 3 && values[0].trimmedDescription == target.trimmedDescription
      && values[1].as(BinaryOperatorExprSyntax.self)?.operator.text == "+"
      && values[2].kind == .arrayExpr
  }
}

extension StoreUses.Growth {
  /// A line after the one that adds, which takes out the oldest.
  func fix(_ name: String, in file: AuditedFile) -> Fix? {
    // What is put in front must not be what is taken out.
    guard !isInFront, let statement, !statement.isImplicitResult || statement.isAlone else {
      return nil
    }
    let surplus = isBulk ? "\(target).count - 100" : ""
    let text = "if \(target).count > 100 { \(target).removeFirst(\(surplus)) }"
    let end = statement.bytes.upperBound
    let first = file.lines.place(of: statement.bytes.lowerBound).line
    let line = file.lines.bytes(ofLine: first)
    let isOwnLine =
      file.bytes[line.lowerBound..<statement.bytes.lowerBound].allSatisfy {
        $0 == 0x20 || $0 == 0x09
      }
    let separator = isOwnLine ? "\n" + file.indentation(of: statement) : "; "
    return .safe("keep the newest 100", Edit(end..<end, separator + text))
  }
}

extension CodeBlockItemSyntax {
  /// Whether it lies in the body of a function that returns nothing.
  fileprivate var isAlone: Bool {
    guard let routine = enclosingRoutine else { return false }
    return !routine.isClosure && !routine.returnsValue
  }
}

extension ExprSyntax? {
  /// Whether it is a name, or that member of `self`.
  fileprivate func names(_ name: String) -> Bool {
    switch self?.kind {
    case .declReferenceExpr: return self?.lastName == name
    case .memberAccessExpr:
      let access = self?.as(MemberAccessExprSyntax.self)
      return access?.base?.lastName == "self" && self?.lastName == name
    default: return false
    }
  }
}

extension ExprSyntax {
  /// Whether a bare name belongs to a routine around this node.
  fileprivate func isLocalName(_ target: ExprSyntax) -> Bool {
    guard let reference = target.as(DeclReferenceExprSyntax.self) else { return false }
    return isLocal(reference.baseName.bareText)
  }
}

extension SequenceExprSyntax {
  fileprivate var isComparison: Bool {
    elements.contains {
      let sign = $0.as(BinaryOperatorExprSyntax.self)?.operator.text ?? ""
      return ["<", ">", "<=", ">="].contains(sign)
    }
  }
}

extension DeclSyntax {
  /// Whether it is a type within the type.
  fileprivate var isType: Bool { TypeDeclaration(Syntax(self)) != nil }
}
