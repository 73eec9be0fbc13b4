// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let storeOverwritten = Forms(
    "MS212",
    bad: #"""
      final class NoteStore {
        private var notes: [Note] = []
        init() {
          notes = (try? JSONDecoder().decode([Note].self, from: Data(contentsOf: file))) ?? []
        }
        func save() throws { try JSONEncoder().encode(notes).write(to: file, options: .atomic) }
      }
      ---
      struct Favorites {
        var ids: Set<Int>
        init(_ data: Data) { ids = (try? JSONDecoder().decode(Set<Int>.self, from: data)) ?? Set() }
        func save() {
          UserDefaults.standard.set(try? JSONEncoder().encode(ids), forKey: "favorites")
        }
      }
      ---
      actor Outbox {
        private var operations: [Operation] = []
        func open() { self.operations = (try? loadOperations()) ?? [] }
        private func persist() throws {
          let data = try encoder.encode(self.operations)
          try data.write(to: url)
        }
      }
      ---
      @MainActor final class Profile: ObservableObject {
        @Published var names: [String: String] = [:]
        func load() { names = (try? disk.read("names")) ?? [:] }
        func rename(_ id: String, to name: String) {
          names[id] = name
          disk.write(names, "names")
        }
      }
      ---
      final class Counter {
        private var count = 0
        func restore() { count = (try? Int(String(contentsOf: file)) ) ?? 0 }
        func increase() throws {
          count += 1
          try save(count)
        }
      }
      ---
      final class History {
        lazy var entries: [Entry] = (try? decoder.decode([Entry].self, from: data)) ?? []
        func append(_ entry: Entry) throws {
          entries.append(entry)
          try PropertyListEncoder().encode(entries).write(to: file)
        }
      }
      ---
      class Archive {
        var items = [Item]()
        func restore() {
          items = (try? unarchive(data)) ?? [Item]()
        }
        func store() throws {
          let data = try NSKeyedArchiver.archivedData(withRootObject: items)
          try data.write(to: file)
        }
      }
      ---
      final class Cart {
        private var items: [Item] = (try? Cart.load()) ?? [] {
          didSet { try? Cart.save(items) }
        }
      }
      ---
      actor Ledger {
        var lines: [Line] = []
        func open() async { lines = (try? await file.load()) ?? [] }
        func add(_ line: Line) async throws {
          lines.append(line)
          try await file.save(lines)
        }
      }
      ---
      final class Notes {
        var text = ""
        func open() { text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
        func save() { try? text.write(toFile: path, atomically: true, encoding: .utf8) }
      }
      ---
      final class Draft {
        private var data = Data()
        func open() { data = (try? Data(contentsOf: url)) ?? Data() }
        func flush() throws { try data.write(to: url) }
      }
      ---
      actor Tokens {
        private var tokens: [Token] = []
        init(keychain: Keychain) {
          self.keychain = keychain
          self.tokens = (try? keychain.read("tokens")) ?? []
        }
        func add(_ token: Token) throws {
          tokens.append(token)
          try keychain.store(tokens, "tokens")
        }
      }
      ---
      final class Queue {
        var jobs: [Job] = []
        func load() {
          guard let data = defaults.data(forKey: "jobs") else { return }
          jobs = (try? decoder.decode([Job].self, from: data)) ?? []
        }
        func save() {
          if let data = try? encoder.encode(jobs) { defaults.set(data, forKey: "jobs") }
        }
      }
      ---
      final class Queue {
        var jobs: [Job] = []
        func load() { jobs = (try? decoder.decode([Job].self, from: file.contents)) ?? .empty }
        func save() throws {
          let document = Document(version: 2, jobs: jobs)
          try encoder.encode(document).write(to: file.url)
        }
      }
      ---
      struct Settings {
        var flags: [String: Bool] = [:]
        mutating func load() { flags = (try? Self.read(from: path)) ?? [:] }
        func save() {
          let data = try? JSONEncoder().encode(flags)
          FileManager.default.createFile(atPath: path, contents: data)
        }
      }
      """#,
    good: #"""
      final class NoteStore {
        private var notes: [Note] = []
        init() throws {
          notes = try JSONDecoder().decode([Note].self, from: Data(contentsOf: file))
        }
        func save() throws { try JSONEncoder().encode(notes).write(to: file) }
      }
      ---
      struct Note: Codable {
        var tags: [String]
        init(from decoder: any Decoder) throws {
          let box = try decoder.container(keyedBy: Key.self)
          tags = (try? box.decode([String].self, forKey: .tags)) ?? []
        }
        func save() throws { try JSONEncoder().encode(tags).write(to: file) }
      }
      ---
      func count() -> Int {
        let lines = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return lines.count
      }
      ---
      final class Catalog {
        private let items: [Item] = (try? JSONDecoder().decode([Item].self, from: bundled)) ?? []
        func item(_ id: Int) -> Item? { items.first { $0.id == id } }
      }
      ---
      final class Feed {
        private var posts: [Post] = []
        func refresh() async { posts = (try? await client.load()) ?? posts }
        func save() throws { try disk.save(posts) }
      }
      ---
      final class Queue {
        private var jobs: [Job] = []
        func load() {
          jobs = (try? decoder.decode([Job].self, from: data)) ?? backup
        }
        func save() throws { try encoder.encode(jobs).write(to: file) }
      }
      """#)
}
