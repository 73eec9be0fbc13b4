// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// What a function has to declare to take a value of a type that may be generic, or lie in one.
package struct IndexedGenerics: Sendable {
  /// The name with its arguments: `Cart<Item>.Failure`.
  let name: String
  /// The parameters of all of it: `Item: Hashable`.
  let parameters: [String]
  /// The requirements of their `where` clauses.
  let requirements: [String]
  /// Types that it lies in an extension of: whether they are generic, only the project knows.
  let extended: [String]
  /// Whether a function can say all that.
  let isSimple: Bool

  /// - Parameter types: The type and those around it, the outermost first.
  init(_ types: [TypeDeclaration]) {
    var (parts, all, conditions): ([String], [String], [String]) = ([], [], [])
    var (names, foreign, isSimple): ([String], [String], Bool) = ([], [], true)
    for type in types {
      let generic = type.node.asProtocol((any WithGenericParametersSyntax).self)
      let parameters = generic?.genericParameterClause?.parameters.map(\.self) ?? []
      let own = parameters.map(\.name.bareText)
      parts.append(type.fullName + (own.isEmpty ? "" : "<\(own.joined(separator: ", "))>"))
      names += own
      all += parameters.map { $0.with(\.trailingComma, nil).trimmedDescription }
      if let clause = generic?.genericWhereClause {
        conditions += clause.requirements.map { $0.with(\.trailingComma, nil).trimmedDescription }
      }
      if let node = type.node.as(ExtensionDeclSyntax.self) {
        foreign.append(type.name)
        if node.genericWhereClause != nil { isSimple = false }
      }
      if parameters.contains(where: { $0.specifier != nil }) { isSimple = false }
    }
    self.isSimple = isSimple && Set(names).count == names.count
    (name, self.parameters, requirements) = (parts.joined(separator: "."), all, conditions)
    extended = foreign
  }

  /// The parameters as they stand behind the name of a function.
  var clause: String { parameters.isEmpty ? "" : "<\(parameters.joined(separator: ", "))>" }

  /// The requirements as they stand before its body.
  var conditions: String {
    requirements.isEmpty ? "" : " where \(requirements.joined(separator: ", "))"
  }
}
