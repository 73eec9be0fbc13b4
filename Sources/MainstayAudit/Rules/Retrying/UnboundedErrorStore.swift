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
    remedy: .unsafe("Keeps the newest 100, in a line after the one that appends."),
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
      .good(
        """
        final class PurchaseManager: ObservableObject {
          @Published var history: [Purchase] = []
          func bought(_ purchase: Purchase) { history.append(purchase) }
        }
        """, because: "what people own is no error"),
      .good(
        """
        final class PendingRecordStore {
          var pendingRecords: [OfflineRecord] = []
          func add(_ record: OfflineRecord) { pendingRecords.append(record) }
        }
        """, because: "nothing says that the records are of errors"),
    ],
    checks: .type { type, file in
      guard type.kind == .classType || type.kind == .actor, type.isLongLived else { return }
      let isLog = words(of: type.name).contains {
        ["log", "logs", "logger", "logging", "trail"].contains($0)
      }
      let stores = type.properties.filter {
        $0.binding.isRecordStore($0.variable, in: type.name, isLog: isLog)
      }.map(\.name.bareText)
      let uses = StoreUses.all(of: Set(stores), in: type)
      for name in stores {
        guard let found = uses[name], let growth = found.growth, !found.isLimited else { continue }
        file.report(
          growth.marked, "`\(name)` keeps all that is ever added, without a limit",
          fix: growth.fix(in: file))
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
  fileprivate func isRecordStore(
    _ variable: VariableDeclSyntax, in owner: String, isLog isInLog: Bool
  ) -> Bool {
    guard variable.bindingSpecifier.tokenKind == .keyword(.var),
      accessorBlock?.accessors.is(CodeBlockItemListSyntax.self) != true,
      let name = pattern.as(IdentifierPatternSyntax.self)?.identifier.bareText,
      let element = arrayElement
    else { return false }
    let names = words(of: name)
    let parts = words(of: element)
    // A history or records may be what people own, such as purchases and messages.
    let isOfTrouble = (names + parts + words(of: owner)).contains(where: Self.troubles.contains)
    // A word at the end says what it holds: `errorHandlers` holds no errors.
    let isNamed =
      names.last.map { Self.records.contains($0) || isOfTrouble && Self.notes.contains($0) }
      ?? false
    guard let last = parts.last else { return isNamed }
    if names.last == "log", names.dropLast().last == "error" { return true }
    if isNamed && !Self.others.contains(last) || Self.recordTypes.contains(last) { return true }
    // `ErrorEntry`, `Report` in an `ErrorReporter`, and `LogEntry` in a `LogStore`.
    guard Self.entries.contains(last) else { return false }
    return isOfTrouble || isInLog && ["log", "audit"].contains(parts.dropLast().last)
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
    "errors", "failures", "breadcrumbs", "crumbs", "incidents",
  ]
  /// What counts only where a word beside it tells of trouble.
  private static let notes: Set<String> = ["history", "records", "problems"]
  private static let troubles: Set<String> = [
    "error", "errors", "failure", "failures", "crash", "crashes", "incident", "incidents",
    "breadcrumb", "breadcrumbs",
  ]
  private static let recordTypes: Set<String> = [
    "error", "failure", "breadcrumb", "incident", "crash",
  ]
  private static let entries: Set<String> = ["entry", "event", "record", "report", "info"]
  private static let others: Set<String> = [
    "handler", "observer", "url", "uri", "item", "page", "view", "controller", "string",
  ]
}
