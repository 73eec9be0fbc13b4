// SPDX-License-Identifier: Apache-2.0

import SwiftParser
import SwiftSyntax

/// The cases of the enums of a module: what a state can be changed to.
public struct EnumCases: Sendable {
  private struct Found: Sendable {
    let file: String
    let name: String
    let cases: [(name: String, hasPayload: Bool)]
  }

  private var enums: [Found] = []

  /// Reads the enums of some files, by name and text.
  public init(_ files: [(name: String, text: String)]) {
    for file in files {
      let visitor = Visitor(viewMode: .sourceAccurate)
      visitor.walk(Parser.parse(source: file.text))
      enums += visitor.found.map { Found(file: file.name, name: $0.name, cases: $0.cases) }
    }
  }

  /// The cases without a payload that stand in for this one: the next of each enum that has it.
  ///
  /// Which enum is meant is not known before the compiler has seen it: enums of the same file win,
  /// then those of a file that this one is a part of, as `A.swift` for `A+B.swift`; and where the
  /// wrong one is taken the mutant does not compile.
  func others(than name: String, of type: String?, in file: String) -> [String] {
    let having = enums.filter { found in
      (type == nil || found.name == type) && found.cases.contains { $0.name == name }
    }
    func stem(_ file: String) -> Substring { file.prefix { $0 != "+" && $0 != "." } }
    let same = having.filter { $0.file == file }
    let near = same.isEmpty ? having.filter { stem($0.file) == stem(file) } : same
    var others: [String] = []
    for found in near.isEmpty ? having : near {
      guard let index = found.cases.firstIndex(where: { $0.name == name }) else { continue }
      let rest = found.cases[(index + 1)...] + found.cases[..<index]
      if let other = rest.first(where: { !$0.hasPayload })?.name, !others.contains(other) {
        others.append(other)
      }
    }
    return Array(others.prefix(3))
  }

  private final class Visitor: SyntaxVisitor {
    var found: [(name: String, cases: [(name: String, hasPayload: Bool)])] = []

    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
      let elements = node.memberBlock.members.compactMap { $0.decl.as(EnumCaseDeclSyntax.self) }
        .flatMap { Array($0.elements) }
      found.append(
        (
          node.name.text,
          elements.map { (name: $0.name.text, hasPayload: $0.parameterClause != nil) }
        ))
      return .visitChildren
    }
  }
}
