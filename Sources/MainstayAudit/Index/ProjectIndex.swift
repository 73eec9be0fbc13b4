// SPDX-License-Identifier: Apache-2.0

/// What the files of a project say about its errors, known by the last part of their names.
package struct ProjectIndex: Sendable {
  /// Every type and extension that was declared, under its name.
  package internal(set) var types: [String: [IndexedType]] = [:]
  /// Names that stand behind `throw`, by type where it is written: `CartError` and `empty`.
  package internal(set) var throwSites: [IndexedUse] = []
  /// Types that `catch`, `as?` or `case let … as` ask for.
  package internal(set) var catchSites: [IndexedUse] = []
  /// Functions and initializers that turn errors of one type into another.
  package internal(set) var conversions: [IndexedConversion] = []
  /// Lists of error types, one after another: chains of casts.
  package internal(set) var castLists: [IndexedCastList] = []
  /// Members that code of the project names, such as `empty` in `.empty`, and how often.
  package internal(set) var members: [String: Int] = [:]
  /// The same in tests.
  package internal(set) var testMembers: [String: Int] = [:]
  /// Names of properties that hold a logger of the system, by how they are declared.
  package internal(set) var systemLoggers: Set<String> = []
  /// Names that stand in an alert or sheet, which a person dismisses, or that others reset.
  package internal(set) var alertNames: Set<String> = []
  /// Whether the project has tables of texts for people.
  package internal(set) var hasStringTables = false

  package init() {}

  mutating func add(_ part: FileIndex) {
    for type in part.types { types[type.name, default: []].append(type) }
    throwSites += part.throwSites
    catchSites += part.catchSites
    conversions += part.conversions
    castLists += part.castLists
    members.merge(part.members, uniquingKeysWith: +)
    testMembers.merge(part.testMembers, uniquingKeysWith: +)
    systemLoggers.formUnion(part.systemLoggers)
    alertNames.formUnion(part.alertNames)
  }

  /// Whether a type is an error: by conformance, also in an extension, through a protocol or a
  /// superclass of the project.
  package func isError(_ name: String) -> Bool { conforms(name, to: Self.errorRoots) }

  /// Whether a type conforms to one of the names, in any of its parts or through what it inherits.
  package func conforms(_ name: String, to roots: Set<String>) -> Bool {
    var seen: Set<String> = []
    var open = [name]
    while let next = open.popLast() {
      guard seen.insert(next).inserted else { continue }
      for type in types[next] ?? [] {
        if !roots.isDisjoint(with: type.inherited) { return true }
        open += type.inherited
      }
    }
    return false
  }

  /// Whether a property is declared in any part of a type.
  package func hasProperty(_ property: String, in name: String) -> Bool {
    types[name]?.contains { $0.properties[property] != nil } ?? false
  }

  /// The types of errors that the project declares, each with its main declaration, sorted.
  package var errorTypes: [IndexedType] {
    types.values.compactMap { parts in
      parts.first { $0.kind != .extension && $0.kind != .protocolType }
    }
    .filter { isError($0.name) }.sorted { ($0.path, $0.line) < ($1.path, $1.line) }
  }

  /// The names that make a type an error.
  package static let errorRoots: Set<String> = [
    "Error", "LocalizedError", "CustomNSError", "RecoverableError", "NSError",
    "AppErrorConvertible",
  ]
}

/// A declaration of a type, or an extension of one.
package struct IndexedType: Sendable {
  package enum Kind: Sendable { case enumeration, structure, classType, protocolType, `extension` }

  package let name: String
  package let kind: Kind
  package let inherited: [String]
  /// The declared types of its properties; empty where none is written.
  package let properties: [String: String]
  package let cases: [IndexedCase]
  /// Whether nobody outside its file can name it.
  package let isFileLocal: Bool
  package let isPublic: Bool
  package let pathClass: PathClass
  package let site: IndexedSite

  package var path: String { site.path }
  package var line: Int { site.line }
}

package struct IndexedCase: Sendable {
  package let name: String
  /// The types of what it carries.
  package let payload: [String]
  package let site: IndexedSite
}

/// A place that something is said about, ready to become a finding.
package struct IndexedSite: Sendable {
  package let path: String
  package let line: Int
  let column: Int
  let endColumn: Int
  let source: String
  let anchor: Finding.Anchor
}

/// A use of an error type.
package struct IndexedUse: Sendable {
  /// The type's name, where it is written.
  package let type: String?
  /// The case or static member.
  package let member: String?
  package let pathClass: PathClass
  package let path: String
  package let line: Int
}

/// One function that takes an error of a type and gives the app's error.
package struct IndexedConversion: Sendable {
  package let from: String
  /// The type that declares it, or that it returns.
  package let into: String
}

/// A chain of casts, or a switch over types, in one function.
package struct IndexedCastList: Sendable {
  package let types: [String]
  package let site: IndexedSite
  package let pathClass: PathClass
}

/// What one file adds to the index.
struct FileIndex: Sendable {
  var types: [IndexedType] = []
  var throwSites: [IndexedUse] = []
  var catchSites: [IndexedUse] = []
  var conversions: [IndexedConversion] = []
  var castLists: [IndexedCastList] = []
  var members: [String: Int] = [:]
  var testMembers: [String: Int] = [:]
  var systemLoggers: Set<String> = []
  var alertNames: Set<String> = []
}
