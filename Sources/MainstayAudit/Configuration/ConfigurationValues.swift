// SPDX-License-Identifier: Apache-2.0

import Foundation
import Yams

/// Reads values of the types that a configuration has, and notes where one has another type.
struct ConfigurationValues {
  private(set) var violations: [AuditConfigurationError.Violation] = []

  // MARK: Complaints

  mutating func complain(at node: Node?, _ message: String) {
    complain(at: node?.mark?.line ?? 1, node?.mark?.column ?? 1, message)
  }

  private mutating func complain(at line: Int, _ column: Int, _ message: String) {
    violations.append(.init(line: line, column: column, message: message))
  }

  mutating func complain(ofKey name: String, at key: Node, among names: [String]) {
    complain(at: key, "There is no key `\(name)`" + Suggestion.ending(for: name, in: names))
  }

  /// What the reader of YAML says.
  mutating func complain(of error: any Error) {
    switch error as? YamlError {
    case .composer(_, let problem, let mark, _) where problem.contains("another document"):
      complain(
        at: mark.line, mark.column, "A second document begins here; a configuration is one")
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      complain(at: mark.line, mark.column, "This is no YAML: \(problem)")
    case .duplicatedKeysInMapping(let duplicates, let context):
      let names = Set(duplicates).sorted().map { "`\($0)`" }.joined(separator: ", ")
      complain(at: context.mark.line, context.mark.column, "These keys occur twice: \(names)")
    case .reader(let problem, let offset, _, let yaml):
      let before = yaml.utf8.prefix(offset ?? 0)
      let line = before.count { $0 == UInt8(ascii: "\n") } + 1
      complain(at: line, 1, "This is no text: \(problem)")
    default: complain(at: 1, 1, "This is no YAML: \(error)")
    }
  }

  // MARK: Values

  func text(of key: Node) -> String { key.scalar?.string ?? key.kindInWords }

  mutating func mapping(_ node: Node, _ what: String, of parts: String) -> Node.Mapping? {
    if let mapping = node.mapping { return mapping }
    complain(at: node, "\(what) wants \(parts) with values, not \(node.kindInWords)")
    return nil
  }

  mutating func sequence(_ node: Node, _ key: String, of parts: String) -> Node.Sequence? {
    if let sequence = node.sequence { return sequence }
    complain(at: node, "`\(key)` wants a list of \(parts), not \(node.kindInWords)")
    return nil
  }

  /// A list of texts; an empty one is a slip as well.
  private mutating func texts(
    _ node: Node, _ key: String, of parts: String
  ) -> [(text: String, node: Node)] {
    (sequence(node, key, of: parts) ?? []).compactMap { entry in
      if let text = entry.scalar?.string, entry.null == nil, !text.isEmpty { return (text, entry) }
      complain(at: entry, "`\(key)` wants a list of \(parts); this is \(entry.kindInWords)")
      return nil
    }
  }

  mutating func names(_ node: Node, _ key: String) -> [String] {
    texts(node, key, of: "names").compactMap { checked($0.text, at: $0.node) }
  }

  mutating func name(_ node: Node, _ key: String) -> String? {
    guard let text = node.scalar?.string, node.null == nil, !text.isEmpty else {
      complain(at: node, "`\(key)` wants the name of a type, not \(node.kindInWords)")
      return nil
    }
    return checked(text, at: node)
  }

  /// Code has no name that is no identifier, so that it would never be met.
  private mutating func checked(_ name: String, at node: Node) -> String? {
    let isName =
      name.first?.isNumber == false && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    if isName { return name }
    let last = name.split(separator: ".").last.map(String.init) ?? ""
    let hint =
      name.contains(".") && last.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
      ? "; names are compared by their last part: `\(last)`" : ""
    complain(at: node, "`\(name)` is no name of Swift\(hint)")
    return nil
  }

  mutating func globs(_ node: Node, _ key: String) -> [String] {
    texts(node, key, of: "paths").compactMap { entry in
      if entry.text.hasPrefix("/") || entry.text.split(separator: "/").contains("..") {
        complain(
          at: entry.node, "`\(entry.text)` lies outside: paths are relative to the project's folder"
        )
        return nil
      }
      if entry.text.hasPrefix("!") || entry.text.contains(where: "{}[]".contains) {
        complain(
          at: entry.node,
          "`\(entry.text)` matches nothing: a pattern has `*`, `**` and `?`, and no braces, "
            + "brackets or `!`"
        )
        return nil
      }
      return entry.text
    }
  }

  mutating func rules(_ node: Node, _ key: String) -> Set<String> {
    var ids: Set<String> = []
    for (text, node) in texts(node, key, of: "rules") {
      guard let id = rule(text, at: node) else { continue }
      if RuleNames.isAlwaysOn(id) {
        complain(at: node, "`\(text)` is about the audit itself and always on")
      } else {
        ids.insert(id)
      }
    }
    return ids
  }

  private mutating func rule(_ text: String, at node: Node) -> String? {
    if let id = RuleNames.id(text) { return id }
    complain(at: node, RuleNames.complaint(about: text))
    return nil
  }

  mutating func severities(_ node: Node) -> [String: Severity] {
    var severities: [String: Severity] = [:]
    for (key, value) in mapping(node, "`severity`", of: "rules") ?? [:] {
      let id = rule(text(of: key), at: key)
      guard let severity = choice(value, "A severity", Severity.self) else { continue }
      if let id { severities[id] = severity }
    }
    return severities
  }

  mutating func profile(_ node: Node) -> Profile? { choice(node, "`profile`", Profile.self) }

  private mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ node: Node, _ what: String, _: Choice.Type
  ) -> Choice? where Choice.RawValue == String {
    let names = Choice.allCases.map(\.rawValue)
    guard let text = node.scalar?.string, node.null == nil else {
      complain(at: node, "\(what) is one of \(names.inWords), not \(node.kindInWords)")
      return nil
    }
    if let choice = Choice(rawValue: text) { return choice }
    complain(
      at: node,
      "\(what) is one of \(names.inWords), not `\(text)`" + Suggestion.ending(for: text, in: names))
    return nil
  }

  mutating func truth(_ node: Node, _ key: String) -> Bool? {
    if let truth = node.bool { return truth }
    complain(at: node, "`\(key)` is true or false, not \(node.kindInWords)")
    return nil
  }
}

extension Node {
  /// What it is, for a person.
  var kindInWords: String {
    switch self {
    case .mapping: "keys with values"
    case .sequence: "a list"
    case .alias: "an alias"
    case .scalar(let scalar):
      null != nil || scalar.string.isEmpty ? "nothing" : "`\(scalar.string.prefix(60))`"
    }
  }
}

extension [String] {
  /// `a, b or c`.
  fileprivate var inWords: String {
    guard let last, count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " or " + last
  }
}
