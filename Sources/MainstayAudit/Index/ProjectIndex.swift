// SPDX-License-Identifier: Apache-2.0

/// What the files of a project say about its errors, known by the last part of their names.
package struct ProjectIndex: Sendable {
  /// The types and extensions that may be about errors, under their names.
  package internal(set) var types: [String: [IndexedType]] = [:]
  /// What other names stand for.
  package internal(set) var aliases: [String: [String]] = [:]
  /// Names that stand behind `throw`, by type where it is written: `CartError` and `empty`.
  package internal(set) var throwSites: [IndexedUse] = []
  /// Types that `catch`, `as?` or `case let … as` ask for.
  package internal(set) var catchSites: [IndexedUse] = []
  /// Ways from the errors of one type into the type for the errors of the whole app.
  package internal(set) var conversions: Set<IndexedConversion> = []
  /// Lists of error types, one after another: chains of casts.
  package internal(set) var castLists: [IndexedCastList] = []
  /// How often tests name a member, whatever its type.
  package internal(set) var testMembers: [String: Int] = [:]
  /// Names of properties that hold a logger of the system, by how they are declared.
  package internal(set) var systemLoggers: Set<String> = []
  /// Names that stand in an alert or sheet, which a person dismisses, or that others reset.
  private var alertNames: Set<AlertName> = []
  /// The texts of a `LocalizedError` that code reads, of whatever type.
  private(set) var textReads: Set<String> = []
  /// Whether the project has tables of texts for people.
  package internal(set) var hasStringTables = false
  /// What the files of a target import.
  package internal(set) var imports: [String: Set<String>] = [:]
  /// Functions that take an error, and members of errors that look at cancellation, by name.
  private(set) var errorTakers: [String: [IndexedErrorTaker]] = [:]
  /// The folders of packages, and whether the compiler must be one that warns of dropped tasks.
  private(set) var modernPackages: [String: Bool] = [:]
  /// Enums with a `success` and a `failure` that carries nothing: there is no error to drop.
  private var bareOutcomes: Set<String> = []
  private var typeNames: Set<String> = []
  private var uses: [String: Set<MemberUse>] = [:]
  private var testUses: [String: Set<MemberUse>] = [:]

  package init() {}

  mutating func add(_ part: FileIndex) {
    for type in part.types { types[type.name, default: []].append(type) }
    aliases.merge(part.aliases, uniquingKeysWith: +)
    throwSites += part.throwSites
    catchSites += part.catchSites
    conversions.formUnion(part.conversions)
    castLists += part.castLists
    bareOutcomes.formUnion(part.bareOutcomes)
    typeNames.formUnion(part.typeNames)
    uses.merge(part.members) { $0.union($1) }
    testUses.merge(part.testMembers) { $0.union($1) }
    for (name, found) in part.testMembers { testMembers[name, default: 0] += found.count }
    textReads.formUnion(part.textReads)
    systemLoggers.formUnion(part.systemLoggers)
    imports[part.target, default: []].formUnion(part.imports)
    alertNames.formUnion(part.alertNames)
    errorTakers.merge(part.errorTakers, uniquingKeysWith: +)
    if let package = part.package { modernPackages[package.folder] = package.isModern }
  }

  /// The names that make a type an error.
  package static let errorRoots: Set<String> = [
    "Error", "LocalizedError", "CustomNSError", "RecoverableError", "NSError",
    "AppErrorConvertible",
  ]

  /// The types of errors that the project declares, each with its main declaration, sorted.
  package var errorTypes: [IndexedType] {
    types.values.flatMap(\.self)
      .filter { $0.kind != .extension && $0.kind != .protocolType && isError($0) }
      .sorted { ($0.path, $0.line, $0.site.column) < ($1.path, $1.line, $1.site.column) }
  }
}

// MARK: - What a type is

extension ProjectIndex {
  /// Whether a type is an error: by conformance, also in an extension, through a protocol or a
  /// superclass of the project.
  package func isError(_ name: String) -> Bool { conforms(name, to: Self.errorRoots) }

  /// The same of one declaration, whatever others have its name.
  package func isError(_ type: IndexedType) -> Bool { conforms(type, to: Self.errorRoots) }

  /// Whether a failure of a type carries an error, as far as the project says; where nobody knows
  /// the type, it may be any.
  func failureCarriesError(of type: String?) -> Bool {
    guard let type else { return bareOutcomes.isEmpty }
    return !bareOutcomes.contains(resolved(type))
  }

  /// Whether a type conforms to one of the names, in any of its parts or through what it inherits.
  package func conforms(_ name: String, to roots: Set<String>) -> Bool {
    reaches(roots, from: inherited(by: name))
  }

  /// The same of one declaration, whatever others have its name.
  package func conforms(_ type: IndexedType, to roots: Set<String>) -> Bool {
    reaches(roots, from: parts(of: type).flatMap(\.inherited))
  }

  /// The declaration and the extensions of one type, whatever others have its name.
  package func parts(of type: IndexedType) -> [IndexedType] {
    let all = types[type.name] ?? []
    return all.filter { part in
      guard part.kind == .extension else {
        return part.path == type.path && part.qualifiedName == type.qualifiedName
      }
      guard type.isExtended(by: part.qualifiedName) else { return false }
      // Of `Cart.Failure` and `Failure`, the longer; of two of one name, that of the same target.
      return !all.contains { other in
        guard other.kind != .extension, other.isExtended(by: part.qualifiedName) else {
          return false
        }
        let length = other.qualifiedName.utf8.count
        return length > type.qualifiedName.utf8.count
          || other.qualifiedName == type.qualifiedName && other.target == part.target
            && type.target != part.target
      }
    }
  }

  /// The declarations with a name: the full one, or the last part of it.
  package func declarations(of name: String) -> [IndexedType] {
    let last = name.split(separator: ".").last.map(String.init) ?? name
    return (types[last] ?? []).filter { type in
      type.kind != .extension
        && (name == last || type.isExtended(by: name) || type.qualifiedName.hasSuffix("." + name))
    }
  }

  /// The types that a name in a file may mean: those of this very file, or else all of that name.
  package func declarations(of name: String, in path: String) -> [IndexedType] {
    let all = declarations(of: name)
    let own = all.filter { $0.path == path }
    return own.isEmpty ? all : own
  }

  private func inherited(by name: String) -> [String] {
    (types[name] ?? []).flatMap(\.inherited) + (aliases[name] ?? [])
  }

  private func reaches(_ roots: Set<String>, from start: [String]) -> Bool {
    var found = false
    visitAncestors(from: start) { name in
      found = roots.contains(name)
      return !found
    }
    return found
  }

  /// Goes over what is inherited, nearest first, until told to stop.
  private func visitAncestors(from start: [String], _ goesOn: (String) -> Bool) {
    var seen: Set<String> = []
    var open = start
    while !open.isEmpty {
      let level = open.filter { seen.insert($0).inserted }
      open = []
      for name in level {
        guard goesOn(name) else { return }
        // A project may call a type of its own `Error`; what conforms to `Error` is none of it.
        if !Self.errorRoots.contains(name) { open += inherited(by: name) }
      }
    }
  }

  /// The names of everything that a type inherits from or conforms to.
  package func ancestors(of type: IndexedType) -> Set<String> {
    var names: Set<String> = []
    visitAncestors(from: parts(of: type).flatMap(\.inherited)) { names.insert($0).inserted }
    return names
  }

  /// Whether a property is declared in any part of a type.
  package func hasProperty(_ property: String, in name: String) -> Bool {
    types[name]?.contains { $0.properties[property] != nil } ?? false
  }

  /// Whether a type has a property: declared in any part of it, or of what it inherits.
  package func hasProperty(_ property: String, in type: IndexedType) -> Bool {
    if parts(of: type).contains(where: { $0.properties[property] != nil }) { return true }
    return ancestors(of: type).contains { name in
      (types[name] ?? []).contains { part in
        part.properties[property] != nil && (name != "Error" || part.kind == .extension)
      }
    }
  }

  /// Whether it may have members that the project does not show, from a type of another module.
  func hasForeignAncestors(_ type: IndexedType) -> Bool {
    ancestors(of: type).contains { name in
      types[name] == nil && aliases[name] == nil && !WellKnownTypes.contains(name)
    }
  }
}

// MARK: - Conversions

extension ProjectIndex {
  /// Whether errors of a type have a way into another: a function, an initializer, an arm of a
  /// chain, or a protocol that stands for one; also through what the type inherits.
  package func converts(_ type: IndexedType, into app: String, by protocols: Set<String>) -> Bool {
    let names = ancestors(of: type)
    if !protocols.isDisjoint(with: names) { return true }
    let sources = names.subtracting(["Error"]).union([type.name])
    return conversions.contains { $0.into == app && sources.contains(resolved($0.from)) }
  }

  /// How code makes the app's error out of one of a type, where a call can.
  func call(from name: String, into app: String, by protocols: Set<String>)
    -> IndexedConversion.Call?
  {
    let calls = conversions.filter { $0.into == app && resolved($0.from) == name }
      .compactMap(\.call)
    if let call = calls.min(by: { ($0.before, $0.after) < ($1.before, $1.after) }) { return call }
    return conforms(name, to: protocols) ? .init(before: app + "(", after: ")") : nil
  }

  /// What a name stands for.
  private func resolved(_ name: String) -> String {
    guard types[name] == nil, let targets = aliases[name], targets.count == 1 else { return name }
    return targets[0]
  }
}

// MARK: - Alerts

extension ProjectIndex {
  /// Whether an alert may show one of the names, as a member of one of the types.
  ///
  /// - Parameters:
  ///   - names: The names of a path, such as `model` and `message`.
  ///   - owners: The types that have them; empty where that cannot be told.
  /// - Returns: False only where every alert with such a name shows that of another type.
  func mayBeInAlert(_ names: [String], of owners: Set<String>) -> Bool {
    alertNames.contains { use in
      guard names.contains(use.name) else { return false }
      guard !owners.isEmpty, let owner = use.owner, isConcrete(owner) else { return true }
      return owners.contains { $0 == owner || !isConcrete($0) || inherits($0, from: owner) }
    }
  }

  /// Whether a name means one type of the project, and no protocol or parameter.
  private func isConcrete(_ name: String) -> Bool {
    let found = declarations(of: name)
    return !found.isEmpty && aliases[name] == nil && found.allSatisfy { $0.kind != .protocolType }
  }

  private func inherits(_ name: String, from owner: String) -> Bool {
    conforms(name, to: [owner]) || conforms(owner, to: [name])
  }
}

// MARK: - Generics

extension ProjectIndex {
  /// What a function has to declare to take a value of a type; nil where nobody can tell.
  func generics(of type: IndexedType) -> IndexedGenerics? {
    let isPlain = type.generics.extended.allSatisfy { name in
      let found = declarations(of: name)
      return found.isEmpty
        ? !WellKnownTypes.generic.contains(name)
        : found.allSatisfy { $0.generics.parameters.isEmpty }
    }
    return isPlain && type.generics.isSimple ? type.generics : nil
  }
}

// MARK: - Members

extension ProjectIndex {
  /// Whether code of the project makes a value of a case, tests included.
  package func constructs(_ element: IndexedCase, of type: IndexedType) -> Bool {
    [uses, testUses].contains { table in
      (table[element.name] ?? []).contains { use in
        mayMean(type, use) && fits(use, element)
      }
    }
  }

  /// Whether a test names a case, to make it or to ask for it.
  package func isNamedInTests(_ element: IndexedCase, of type: IndexedType) -> Bool {
    (testUses[element.name] ?? []).contains { mayMean(type, $0) }
  }

  private func mayMean(_ type: IndexedType, _ use: MemberUse) -> Bool {
    guard let owner = use.owner, owner != type.name else { return true }
    if let targets = aliases[owner] { return targets.contains(type.name) || targets.isEmpty }
    // What no file declares may be a parameter, or come from another module.
    return !use.isExplicit && !typeNames.contains(owner) && !WellKnownTypes.contains(owner)
  }

  private func fits(_ use: MemberUse, _ element: IndexedCase) -> Bool {
    guard let called = use.labels else { return use.isExplicit || element.payload.isEmpty }
    guard let labels = element.labels, called != "*" else { return true }
    return called == labels
  }
}

/// Names of the standard library and of Foundation that bring no text for people with them.
enum WellKnownTypes {
  static func contains(_ name: String) -> Bool {
    names.contains(name) || name.hasPrefix("ExpressibleBy")
  }

  /// Types that need arguments, of which others make extensions.
  static let generic: Set<String> = [
    "Array", "ArraySlice", "AsyncStream", "AsyncThrowingStream", "ClosedRange", "Dictionary",
    "KeyedDecodingContainer", "Mutex", "Optional", "Range", "Result", "Set", "Task", "TaskGroup",
    "ThrowingTaskGroup",
  ]

  private static let names: Set<String> = [
    "Error", "LocalizedError", "CustomNSError", "RecoverableError", "NSError", "NSObject",
    "Sendable", "SendableMetatype", "Copyable", "BitwiseCopyable", "Escapable", "AnyObject",
    "Equatable", "Hashable", "Comparable", "Identifiable", "CaseIterable", "RawRepresentable",
    "OptionSet", "SetAlgebra", "Codable", "Decodable", "Encodable", "CodingKey", "NSSecureCoding",
    "CustomStringConvertible", "CustomDebugStringConvertible", "LosslessStringConvertible",
    "TextOutputStreamable", "CustomReflectable", "CustomPlaygroundDisplayConvertible",
    "CustomLocalizedStringResourceConvertible", "AppErrorConvertible", "MainActor",
    "String", "Substring", "Character", "Bool", "Double", "Float", "Int", "Int8", "Int16",
    "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Date", "URL", "Data", "UUID",
  ]
}
