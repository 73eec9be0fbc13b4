// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let storeOverwritten = Rule(
    "MS212", "store-overwritten", .warning, .default, serves: ["B22", "D17"],
    summary: "What could not be read becomes empty, and the same type writes that back.",
    why: """
      One byte that cannot be read makes the list empty, and the next change writes the empty list \
      over all that was kept.
      """,
    guess: """
      A property that the type hands to `encode`, `write`, `save` or the like goes where it was \
      read from; a function that exports or sends writes elsewhere.
      """,
    onPurpose: """
      A `do` with a clause that puts the unreadable file aside, or throws, before anything is \
      written.
      """,
    remedy: .none("what to do with what cannot be read is the author's choice"),
    examples: storeOverwrittenBad + storeOverwrittenGood,
    checks: .sequence { sequence, file in
      for element in sequence.elements where element.kind == .tupleExpr {
        guard let attempt = element.parenthesized?.as(TryExprSyntax.self), attempt.isOptional,
          let fallback = element.fallback, fallback.isMadeUp,
          !attempt.isLenient(fallback: fallback), let name = sequence.nameWrittenBack(attempt)
        else { continue }
        file.report(
          element,
          "`\(name)` becomes `\(fallback.trimmedDescription)` where it cannot be read, and that is "
            + "written back")
      }
    })
}

extension SequenceExprSyntax {
  /// Whether what is read here goes into state that the same type writes back.
  func isWrittenBack(_ attempt: TryExprSyntax) -> Bool { nameWrittenBack(attempt) != nil }

  /// The property that gets what is read here, where the same type writes it back.
  fileprivate func nameWrittenBack(_ attempt: TryExprSyntax) -> String? {
    guard attempt.readsWhatIsKept, let name = nameOfState,
      let type = TypeDeclaration(around: self), type.stores(name), type.writes(name)
    else { return nil }
    return name
  }

  /// The property that it sets, or is the first value of.
  private var nameOfState: String? {
    if let assignment = Assignment(self) {
      guard assignment.pathNames.count == 1, assignment.isState else { return nil }
      return assignment.name
    }
    guard let binding = parent?.parent?.as(PatternBindingSyntax.self),
      binding.parent?.parent?.parent?.kind == .memberBlockItem
    else { return nil }
    return binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.bareText
  }
}

extension TryExprSyntax {
  /// Whether it reads what is kept here, as far as names tell, and asks no service for it.
  fileprivate var readsWhatIsKept: Bool {
    let waits = expression.contains { $0.kind == .awaitExpr }
    return expression.every(FunctionCallExprSyntax.self).contains { call in
      if waits, let owner = call.receiver?.lastName, let last = words(of: owner).last,
        Self.services.contains(last)
      {
        return false
      }
      if call.arguments.first?.label?.bareText.hasPrefix("contentsOf") ?? false { return true }
      guard let verb = call.name.flatMap({ words(of: $0).first }) else { return false }
      return Self.readers.contains(verb)
    }
  }

  private static let readers: Set<String> = [
    "decode", "load", "read", "restore", "unarchive", "unarchived", "saved", "loaded",
  ]
  private static let services: Set<String> = [
    "api", "client", "service", "session", "network", "server", "remote", "backend",
  ]
}

extension TypeDeclaration {
  /// Whether it declares a property of that name that holds a value.
  fileprivate func stores(_ name: String) -> Bool {
    guard let block = property(name)?.accessorBlock else { return property(name) != nil }
    guard case .accessors(let list) = block.accessors else { return false }
    return list.allSatisfy {
      [.keyword(.didSet), .keyword(.willSet)].contains($0.accessorSpecifier.tokenKind)
    }
  }

  /// Whether one of its functions writes the property where it is kept.
  fileprivate func writes(_ name: String) -> Bool {
    members.every(FunctionCallExprSyntax.self).contains { call in
      guard let verb = call.name.flatMap({ words(of: $0).first }),
        let routine = call.enclosingFunction, routine.name != "encode",
        let purpose = words(of: routine.name ?? "").first, !Self.otherPlaces.contains(purpose)
      else { return false }
      let names = routine.names(for: name)
      if call.writes, verb == "write", let receiver = call.receiver?.lastName,
        names.contains(receiver)
      {
        return true
      }
      guard call.arguments.mentions(where: { names.contains($0.bareText) }) else { return false }
      if call.writes { return true }
      guard Self.encoders.contains(verb) else { return false }
      return routine.node.every(FunctionCallExprSyntax.self).contains(where: \.writes)
    }
  }

  private static let encoders: Set<String> = ["encode", "encoded", "archived", "archive", "data"]
  /// First words of functions that write something else than the place that was read.
  private static let otherPlaces: Set<String> = [
    "export", "share", "send", "upload", "post", "submit", "copy", "print",
  ]
}

extension Routine {
  /// The property's name, and those of what is made of it here.
  fileprivate func names(for property: String) -> Set<String> {
    var names: Set<String> = [property]
    node.walk { inner in
      if let binding = inner.as(PatternBindingSyntax.self),
        let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.bareText,
        let value = binding.initializer?.value,
        value.mentions(where: { names.contains($0.bareText) })
      {
        names.insert(name)
      }
      return true
    }
    return names
  }
}

extension FunctionCallExprSyntax {
  /// Whether it puts something where it is kept: `write(to:)`, `save(…)`, `set(…, forKey:)`.
  fileprivate var writes: Bool {
    guard let verb = name.flatMap({ words(of: $0).first }) else { return false }
    switch verb {
    case "write", "save", "store", "persist": return !arguments.isEmpty
    case "set": return argument("forKey") != nil
    case "create": return name == "createFile"
    default: return false
    }
  }
}

private let storeOverwrittenBad: [Example] = [
  .bad(
    """
    actor Queue {
      private var waiting: [Note] = []
      private let file: URL
      init(file: URL) {
        self.file = file
        if let data = try? Data(contentsOf: file) {
          waiting = ↓(try? JSONDecoder().decode([Note].self, from: data)) ?? []
        }
      }
      private func save() throws {
        try JSONEncoder().encode(waiting).write(to: file)
      }
    }
    """),
  .bad(
    """
    final class Drafts {
      private var drafts: [Draft] = ↓(try? Disk.load("drafts")) ?? []
      func add(_ draft: Draft) throws {
        drafts.append(draft)
        try Disk.save(drafts, as: "drafts")
      }
    }
    """),
  .bad(
    """
    final class Cart {
      var items: [Item] = [] {
        didSet { defaults.set(try? JSONEncoder().encode(items), forKey: "cart") }
      }
      func restore() {
        let data = defaults.data(forKey: "cart") ?? Data()
        items = ↓(try? JSONDecoder().decode([Item].self, from: data)) ?? []
      }
    }
    """),
  .bad(
    """
    @MainActor @Observable final class Journal {
      private(set) var text = ""
      func open() { self.text = ↓(try? String(contentsOf: file, encoding: .utf8)) ?? "" }
      func close() throws { try text.write(to: file, atomically: true, encoding: .utf8) }
    }
    """),
  .bad(
    """
    actor Settings {
      var values: [String: String] = [:]
      func reload() async { values = ↓(try? await store.read()) ?? [:] }
      func change(_ name: String, to value: String) async throws {
        values[name] = value
        let copy = values
        try await store.write(copy)
      }
    }
    """),
]

private let storeOverwrittenGood: [Example] = [
  .good(
    """
    actor Queue {
      private var waiting: [Note] = []
      init(file: URL) throws {
        waiting = try JSONDecoder().decode([Note].self, from: Data(contentsOf: file))
      }
      func save() throws { try JSONEncoder().encode(waiting).write(to: file) }
    }
    """),
  .good(
    """
    final class Feed {
      private var posts: [Post] = []
      func open() { posts = (try? JSONDecoder().decode([Post].self, from: bundled)) ?? [] }
      var count: Int { posts.count }
    }
    """, because: "it writes nothing"),
  .good(
    """
    final class Report {
      private var lines: [String] = []
      func open() { lines = (try? read(file)) ?? [] }
      func export(to url: URL) throws { try JSONEncoder().encode(lines).write(to: url) }
    }
    """, because: "it writes elsewhere"),
  .good(
    """
    final class Search {
      private var hits: [Hit] = []
      func find() async { hits = (try? await api.load("hits")) ?? [] }
      func keep() throws { try disk.save(hits) }
    }
    """, because: "a service was asked, and what is kept was not read"),
  .good(
    """
    final class Sender {
      private var items: [Item] = []
      func open() { items = (try? loadItems()) ?? [] }
      func body() throws -> Data { try JSONEncoder().encode(items) }
    }
    """, because: "what is encoded is kept nowhere"),
  .good(
    """
    final class Queue {
      private var waiting: [Note] = []
      func open() {
        do { waiting = try decoder.decode([Note].self, from: data) } catch { setAside(error) }
      }
      func save() throws { try encoder.encode(waiting).write(to: file) }
    }
    """, because: "what cannot be read is put aside"),
]
