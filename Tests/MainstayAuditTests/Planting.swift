// SPDX-License-Identifier: Apache-2.0

import SwiftParser
import SwiftSyntax

/// Puts a defect into other code in many forms, to see whether it is still found there.
enum Planting {
  /// A form of other code: `%` is where the defect goes.
  struct Form: Sendable {
    let name: String
    let text: String
  }

  /// Around statements.
  static let aroundStatements: [Form] = [
    Form(name: "a function", text: "func run() {\n  %\n}"),
    Form(name: "a throwing function", text: "func run() async throws {\n  %\n}"),
    Form(name: "a method", text: "struct Store {\n  func run() {\n    %\n  }\n}"),
    Form(
      name: "a method of an actor",
      text: "actor Store {\n  private var count = 0\n  func run() async {\n    %\n  }\n}"),
    Form(
      name: "a generic method",
      text: """
        extension Store where Element: Sendable {
          @discardableResult
          static func run<T>(_ value: T) -> Int {
            %
            return 1
          }
        }
        """),
    Form(name: "an initializer", text: "final class Store {\n  init(id: Int) {\n    %\n  }\n}"),
    Form(
      name: "a property", text: "struct Store {\n  var count: Int {\n    %\n    return 1\n  }\n}"),
    Form(
      name: "a getter",
      text: """
        struct Store {
          var count: Int {
            get {
              %
              return 1
            }
          }
        }
        """),
    Form(name: "a closure", text: "func run() {\n  queue.async {\n    %\n  }\n}"),
    Form(
      name: "a closure with a list",
      text: "func run() {\n  items.forEach { [weak self] item in\n    %\n    use(item)\n  }\n}"),
    Form(name: "an if", text: "func run() {\n  if isReady, let id {\n    %\n  }\n}"),
    Form(
      name: "an else",
      text: "func run() {\n  if isReady {\n    prepare()\n  } else {\n    %\n  }\n}"),
    Form(
      name: "a case",
      text: """
        func run() {
          switch step {
          case .first(let id) where id > 3:
            %
          default:
            finishStep()
          }
        }
        """),
    Form(
      name: "a nested function",
      text: "func run() {\n  func inner() {\n    %\n  }\n  inner()\n}"),
    Form(name: "a platform", text: "#if os(Linux)\nfunc run() {\n  %\n}\n#endif"),
    Form(
      name: "an availability",
      text: """
        @available(macOS 15, *)
        public func run(_ id: Int = 3) {
          if #available(iOS 18, *) {
            %
          }
        }
        """
    ),
    Form(
      name: "between other statements",
      text: """
        func run() {
          let name = "store"
          prepare(name)
          %
          let total = items.map { $0.count }.reduce(0, +)
          finishStep(total)
        }
        """),
    Form(
      name: "a task",
      text: "func run() {\n  let work = Task { @MainActor in\n    %\n  }\n  keep(work)\n}"),
    Form(
      name: "an inner type",
      text: "enum Feature {\n  struct Store {\n    mutating func run() {\n      %\n    }\n  }\n}"),
    Form(
      name: "a long file",
      text: String(repeating: "func other() { let x = 1; use(x) }\n", count: 60)
        + "func run() {\n  %\n}\n" + "struct Last { let id: Int }"),
  ]

  /// Around declarations.
  static let aroundDeclarations: [Form] = [
    Form(name: "an enum", text: "enum Feature {\n  %\n}"),
    Form(name: "a struct", text: "struct Feature {\n  let id: Int\n\n  %\n}"),
    Form(name: "a platform", text: "#if os(Linux)\n%\n#endif"),
    Form(name: "two platforms", text: "#if canImport(UIKit)\n#if os(iOS)\n%\n#endif\n#endif"),
    Form(
      name: "a long file",
      text: String(repeating: "func other() { let x = 1; use(x) }\n", count: 60)
        + "%\nstruct Last { let id: Int }"),
    Form(name: "after imports", text: "import Foundation\nimport Logging\n\n%"),
    Form(name: "after a comment", text: "/* What follows\n   is old. */\n\n// MARK: Parts\n\n%"),
    Form(name: "with the ends of Windows", text: "%\r\n"),
    Form(name: "behind tabs", text: "enum Feature {\n\t%\n}"),
  ]

  /// The code in all forms that fit it.
  static func forms(of code: String) -> [(name: String, code: String)] {
    let tree = Parser.parse(source: code)
    let declares = tree.statements.contains { $0.item.is(DeclSyntax.self) }
    let imports = tree.statements.contains { $0.item.is(ImportDeclSyntax.self) }
    guard !imports else { return [] }
    // Declarations among statements stay where they are; others can stand in types as well.
    let forms = declares ? aroundDeclarations.filter { fits($0, tree) } : aroundStatements
    return forms.map { form in
      if form.name == "with the ends of Windows" {
        return (form.name, code.replacing("\n", with: "\r\n"))
      }
      return (form.name, plant(code, in: form.text))
    } + renamed(code)
  }

  /// Extensions stand at the top of a file alone, and so do statements.
  private static func fits(_ form: Form, _ tree: SourceFileSyntax) -> Bool {
    let isInType = form.text.contains("Feature {")
    guard isInType else { return true }
    return tree.statements.allSatisfy {
      $0.item.is(DeclSyntax.self) && !$0.item.is(ExtensionDeclSyntax.self)
        && !$0.item.is(IfConfigDeclSyntax.self) && !$0.item.is(ProtocolDeclSyntax.self)
        && !$0.item.is(MacroExpansionDeclSyntax.self)
    }
  }

  /// With another name for the error, where a clause gives it none.
  private static func renamed(_ code: String) -> [(name: String, code: String)] {
    guard code.contains("catch {"), !code.contains("problem") else { return [] }
    var text = ""
    for token in Parser.parse(source: code).tokens(viewMode: .sourceAccurate) {
      let isUse =
        token.text == "error" && token.previousToken(viewMode: .sourceAccurate)?.text != "."
        && token.nextToken(viewMode: .sourceAccurate)?.text != ":"
      text +=
        isUse
        ? token.leadingTrivia.description + "problem" + token.trailingTrivia.description
        : token.description
    }
    return [("another name of the error", text.replacing("catch {", with: "catch let problem {"))]
  }

  private static func plant(_ code: String, in form: String) -> String {
    form.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard let place = line.firstIndex(of: "%") else { return String(line) }
      let indentation = line[..<place]
      return code.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.isEmpty ? "" : indentation + $0 }.joined(separator: "\n")
    }.joined(separator: "\n")
  }
}
