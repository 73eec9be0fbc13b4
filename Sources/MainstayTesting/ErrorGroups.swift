// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Mainstay

/// A list of errors with their groups, kept as a file beside the tests, so that no change of the
/// code moves an error to another group unseen.
///
/// ```swift
/// let groups = ErrorGroups(["declined": PaymentError.declined(reason: "")])
/// try groups.check(against: "Tests/ErrorGroups.txt")
/// ```
///
/// With `MAINSTAY_REWRITE_GROUPS=1` in the environment the file is written anew.
public struct ErrorGroups: Sendable, Equatable {
  /// One error of the list.
  public struct Entry: Sendable, Equatable {
    /// The name under which the test lists it.
    public let name: String
    /// Its stable code, or a hyphen where nobody gave it one.
    public let code: String
    /// What decided.
    public let tier: String
    /// Its group.
    public let fingerprint: String
    /// What the group was made of.
    public let components: String

    fileprivate var line: String { "\(fingerprint) by \(tier), code \(code): \(components)" }
  }

  /// The errors, by name.
  public let entries: [Entry]

  /// Lists errors.
  ///
  /// - Parameters:
  ///   - errors: Each error with a name that stays when the error is renamed; of two with the same
  ///     name the second is called `name#2`.
  ///   - mapping: The mapping that the app sets at launch; the default is `ErrorMapping.current`.
  public init(_ errors: KeyValuePairs<String, any Error>, mapping: ErrorMapping? = nil) {
    self.init(errors.map { ($0, $1) }, mapping: mapping) {
      Fingerprint.explain($0, mapping: mapping)
    }
  }

  /// Lists errors by other rules than this release's own, such as those to be used next.
  ///
  /// - Parameters:
  ///   - errors: Each error with a name.
  ///   - mapping: The mapping that the app sets at launch; the default is `ErrorMapping.current`.
  ///   - explain: Says what makes its group.
  public init(
    _ errors: [(String, any Error)], mapping: ErrorMapping? = nil,
    by explain: (any Error) -> Fingerprint.Explanation
  ) {
    var seen: [String: Int] = [:]
    let entries = errors.map { name, error in
      let name = Self.word(name)
      seen[name, default: 0] += 1
      let number = seen[name] ?? 1
      let explanation = explain(error)
      let code = AppError.from(error, mapping: mapping).code.rawValue
      let components = explanation.components.filter(\.contributes)
      return Entry(
        name: number == 1 ? name : "\(name)#\(number)", code: code == "unknown" ? "-" : code,
        tier: explanation.tier.rawValue, fingerprint: explanation.fingerprint.description,
        components: components.map { "\($0.name)=\(Self.word($0.value))" }.joined(separator: " "))
    }
    self.entries = entries.sorted { $0.name < $1.name }
  }

  /// A text without the marks by which the file is read.
  private static func word(_ text: String) -> String {
    let text = text.isEmpty ? "(empty)" : text
    return String(text.map { $0.isNewline || $0 == "\t" || $0 == "#" ? " " : $0 })
  }
}

// MARK: The file

extension ErrorGroups {
  private static let heading = "# name, code, tier, fingerprint, components; see ErrorGroups"

  /// The list as the file holds it: one line for each error, columns with tabs between them.
  public var text: String {
    let lines = entries.map {
      [$0.name, $0.code, $0.tier, $0.fingerprint, $0.components].joined(separator: "\t")
    }
    return ([Self.heading] + lines).joined(separator: "\n") + "\n"
  }

  /// Reads a list.
  ///
  /// - Parameter text: What ``text`` has written.
  /// - Throws: ``Unreadable`` with the first line that is none.
  public init(text: String) throws(Unreadable) {
    var entries: [Entry] = []
    // Git may have given the file line ends of two bytes, which are one character each.
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (index, line) in lines.enumerated()
    where !line.isEmpty && !line.hasPrefix("# ") {
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard columns.count == 5, Fingerprint(columns[3]) != nil else {
        throw Unreadable(line: index + 1, text: String(line.prefix(200)))
      }
      entries.append(
        Entry(
          name: columns[0], code: columns[1], tier: columns[2], fingerprint: columns[3],
          components: columns[4]))
    }
    self.entries = entries.sorted { $0.name < $1.name }
  }

  /// A line of the file has another form.
  public struct Unreadable: Error, CustomStringConvertible, Equatable {
    /// The number of the line, from one.
    public let line: Int
    /// The line.
    public let text: String

    /// Line, text and cure.
    public var description: String {
      "line \(line) is no error with its group: \"\(text)\"; \(ErrorGroups.cure)"
    }
  }

  /// Errors are in other groups than the file says.
  public struct Moved: Error, CustomStringConvertible, Equatable {
    /// One line or more for each error that moved, came or went.
    public let changes: [String]

    /// All changes, and what to do.
    public var description: String {
      (["the groups of these errors have changed:"] + changes + [ErrorGroups.cure])
        .joined(separator: "\n")
    }
  }

  fileprivate static let cure =
    "undo the change, or run the test with MAINSTAY_REWRITE_GROUPS=1 and commit the file"

  /// Compares the list with its file, or writes the file.
  ///
  /// - Parameters:
  ///   - path: The file; a relative path is taken from the current folder.
  ///   - rewriting: Whether the file is written instead; by default where the environment has
  ///     `MAINSTAY_REWRITE_GROUPS=1`.
  /// - Throws: ``Moved`` where an error is in another group, new or gone, ``Unreadable``, or what
  ///   reading and writing the file throws.
  public func check(against path: String, rewriting: Bool? = nil) throws {
    let asked = ProcessInfo.processInfo.environment["MAINSTAY_REWRITE_GROUPS"] == "1"
    let url = URL(fileURLWithPath: path)
    if rewriting ?? asked {
      try Data(text.utf8).write(to: url, options: .atomic)
      return
    }
    let known =
      FileManager.default.fileExists(atPath: path)
      ? String(decoding: try Data(contentsOf: url), as: UTF8.self) : ""
    let changes = changes(since: try ErrorGroups(text: known))
    guard changes.isEmpty else { throw Moved(changes: changes) }
  }

  private func changes(since old: ErrorGroups) -> [String] {
    var result: [String] = []
    for entry in old.entries where self[entry.name] == nil {
      result.append("- \(entry.name): \(entry.fingerprint) is not listed any more")
    }
    for entry in entries {
      guard let before = old[entry.name] else {
        result.append("+ \(entry.name): \(entry.fingerprint) is not in the file")
        continue
      }
      guard before != entry else { continue }
      let moved = before.fingerprint == entry.fingerprint ? "is described otherwise" : "has moved"
      result += [
        "! \(entry.name) \(moved)",
        "    was \(before.line)", "    is  \(entry.line)",
      ]
    }
    return result
  }

  private subscript(name: String) -> Entry? { entries.first { $0.name == name } }
}

// MARK: Migration

extension ErrorGroups {
  /// What becomes of groups under other rules.
  public struct Migration: Sendable, Equatable, CustomStringConvertible {
    /// One group under one set of rules, and the errors of it under the other.
    public struct Change: Sendable, Equatable {
      /// The group that is split, or that others are merged into.
      public let group: String
      /// The names of the errors, by the groups on the other side.
      public let parts: [String: [String]]
    }

    /// Old groups whose errors come into several new ones.
    public let splits: [Change]
    /// New groups that take errors of several old ones.
    public let merges: [Change]
    /// How many groups only get another name.
    public let renamed: Int

    /// Whether every old group is one new group.
    public var isHarmless: Bool { splits.isEmpty && merges.isEmpty }

    /// A line for each split and merge with the names of the errors, then how many are renamed.
    public var description: String {
      let lines =
        splits.map { "split \($0.group) into \(Self.text($0.parts))" }
        + merges.map { "merge into \($0.group) of \(Self.text($0.parts))" }
      return (lines + ["renamed \(renamed)"]).joined(separator: "\n")
    }

    private static func text(_ parts: [String: [String]]) -> String {
      parts.sorted { $0.key < $1.key }
        .map { "\($0.key) (\($0.value.joined(separator: ", ")))" }.joined(separator: " and ")
    }
  }

  /// Compares the groups of the same errors under old and new rules, before anything is switched.
  ///
  /// - Parameter new: The same errors under the new rules; one that only one list has is left out.
  /// - Returns: Which groups are split and merged.
  public func migration(to new: ErrorGroups) -> Migration {
    var forward: [String: [String: [String]]] = [:]
    var backward: [String: [String: [String]]] = [:]
    for entry in entries {
      guard let other = new[entry.name] else { continue }
      forward[entry.fingerprint, default: [:]][other.fingerprint, default: []].append(entry.name)
      backward[other.fingerprint, default: [:]][entry.fingerprint, default: []].append(entry.name)
    }
    let renamed = forward.filter { old, parts in
      parts.count == 1 && parts[old] == nil && parts.keys.allSatisfy { backward[$0]?.count == 1 }
    }
    return Migration(
      splits: Self.changes(forward), merges: Self.changes(backward), renamed: renamed.count)
  }

  private static func changes(_ groups: [String: [String: [String]]]) -> [Migration.Change] {
    groups.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }
      .map { Migration.Change(group: $0.key, parts: $0.value) }
  }
}
