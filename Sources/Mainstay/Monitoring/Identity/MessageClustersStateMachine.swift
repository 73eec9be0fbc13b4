// SPDX-License-Identifier: Apache-2.0

/// Drain: a tree by which a message finds the clusters that it may belong to in a few steps
/// (He, Zhu, Zheng, Lyu: "Drain: An Online Log Parsing Approach with Fixed Depth Tree", ICWS 2017).
///
/// Below the root stand type, code and number of words, then the first words of the template. The
/// last node holds the clusters, of which the most similar is taken.
struct MessageClustersStateMachine {
  typealias Cluster = MessageClusters.Cluster

  struct Settings {
    /// How many words lead through the tree.
    var leadingWords: Int
    var similarity: Double
    var maximumChildren: Int
    var maximumClusters: Int
  }

  struct Root: Hashable {
    let type: String
    let code: String
    let count: Int
  }

  fileprivate struct Node {
    var children: [String: Node] = [:]
    var clusters: [Fingerprint] = []

    var isEmpty: Bool { children.isEmpty && clusters.isEmpty }
  }

  private struct Entry {
    var cluster: Cluster
    var words: [String]
    let root: Root
    /// The keys that lead to the node that holds it.
    let path: [String]
    var used: UInt64
  }

  static let wildcard = "<*>"

  private let settings: Settings
  private var roots: [Root: Node] = [:]
  private var entries: [Fingerprint: Entry] = [:]
  /// Which cluster was used when, the oldest first; entries of an earlier use are stale.
  private var uses: [(id: Fingerprint, used: UInt64)] = []
  private var oldestUse = 0
  private var clock: UInt64 = 0
  /// How many uses are remembered, stale ones included.
  var rememberedUses: Int { uses.count }

  /// How many clusters were dropped to stay within the limit.
  private(set) var evicted = 0

  init(_ settings: Settings) { self.settings = settings }

  var count: Int { entries.count }

  /// The clusters, the largest first, and of the same size by id.
  var clusters: [Cluster] {
    entries.values.map(\.cluster).sorted {
      ($1.count, $0.id.description) < ($0.count, $1.id.description)
    }
  }

  /// How many nodes the tree has; those that lead nowhere are taken away with their last cluster.
  var nodes: Int { roots.values.reduce(0) { $0 + Self.nodes(in: $1) } }

  private static func nodes(in node: Node) -> Int {
    node.children.values.reduce(1) { $0 + nodes(in: $1) }
  }

  // MARK: Learning

  /// Counts a message, and lets its cluster learn from it.
  @discardableResult
  mutating func add(_ message: Message) -> MessageClusters.Match {
    clock += 1
    let candidates = candidates(for: message)
    // A cluster that has learned may no longer be like the message that it began with.
    let found =
      best(of: candidates, for: message, wildcardsCount: false)
      ?? (entries[message.fingerprint] == nil ? nil : message.fingerprint)
    let id = found ?? message.fingerprint
    if found == nil { insert(message) }
    if var entry = entries[id] {
      if found != nil {
        entry.words = Self.merged(entry.words, message.words)
        entry.cluster.template = entry.words.joined(separator: " ")
        entry.cluster.count += 1
      }
      entry.used = clock
      entries[id] = entry
      note(id)
    }
    while entries.count > settings.maximumClusters { evictOldest() }
    return MessageClusters.Match(
      id: id, fingerprint: message.fingerprint,
      template: entries[id]?.cluster.template ?? message.template, isNew: found == nil)
  }

  /// The cluster that a message would belong to, without learning: all of its words fit.
  func match(_ message: Message) -> MessageClusters.Match? {
    let found = best(
      of: candidates(for: message), for: message, wildcardsCount: true, threshold: 1)
    guard let found, let entry = entries[found] else { return nil }
    return MessageClusters.Match(
      id: found, fingerprint: message.fingerprint, template: entry.cluster.template, isNew: false)
  }

  /// Where words differ, a wildcard; the words of one message and one template are as many.
  private static func merged(_ template: [String], _ words: [String]) -> [String] {
    zip(template, words).map { $0 == $1 ? $0 : wildcard }
  }

  // MARK: Finding

  private func candidates(for message: Message) -> [Fingerprint] {
    guard var node = roots[message.root] else { return [] }
    for word in message.words.prefix(settings.leadingWords) {
      guard let next = node.children[word] ?? node.children[Self.wildcard] else { return [] }
      node = next
    }
    return node.clusters
  }

  private func best(
    of candidates: [Fingerprint], for message: Message, wildcardsCount: Bool,
    threshold: Double? = nil
  ) -> Fingerprint? {
    var best: (id: Fingerprint, similarity: Double, wildcards: Int)?
    for id in candidates {
      guard let entry = entries[id] else { continue }
      var (same, wildcards) = (0, 0)
      for (template, word) in zip(entry.words, message.words) {
        if template == Self.wildcard { wildcards += 1 } else if template == word { same += 1 }
      }
      if wildcardsCount { same += wildcards }
      let similarity = entry.words.isEmpty ? 1 : Double(same) / Double(entry.words.count)
      if let best, (best.similarity, best.wildcards) >= (similarity, wildcards) { continue }
      best = (id, similarity, wildcards)
    }
    guard let best, best.similarity >= threshold ?? settings.similarity else { return nil }
    return best.id
  }

  // MARK: The tree

  private mutating func insert(_ message: Message) {
    let path = settings.insert(message, into: &roots[message.root, default: Node()])
    entries[message.fingerprint] = Entry(
      cluster: Cluster(
        id: message.fingerprint, template: message.template, firstTemplate: message.template,
        type: message.root.type, code: message.root.code, count: 1),
      words: message.words, root: message.root, path: path, used: clock)
  }

  private mutating func note(_ id: Fingerprint) {
    uses.append((id, clock))
    // Seldom enough that each use is looked at twice on average.
    if uses.count > 2 * settings.maximumClusters {
      uses = uses[oldestUse...].filter { entries[$0.id]?.used == $0.used }
      oldestUse = 0
    }
  }

  private mutating func evictOldest() {
    while oldestUse < uses.count {
      let (id, used) = uses[oldestUse]
      oldestUse += 1
      guard let entry = entries[id], entry.used == used else { continue }
      entries[id] = nil
      evicted += 1
      if let root = roots[entry.root] {
        roots[entry.root] = Self.removing(id, at: entry.path[...], from: root)
      }
      return
    }
  }

  private static func removing(
    _ id: Fingerprint, at path: ArraySlice<String>, from node: Node
  ) -> Node? {
    var node = node
    if let key = path.first {
      if let child = node.children[key] {
        node.children[key] = removing(id, at: path.dropFirst(), from: child)
      }
    } else {
      node.clusters.removeAll { $0 == id }
    }
    return node.isEmpty ? nil : node
  }
}

extension MessageClustersStateMachine.Settings {
  /// Makes the way to a new cluster, and says which keys lead there.
  fileprivate func insert(
    _ message: Message, into root: inout MessageClustersStateMachine.Node
  ) -> [String] {
    var path: [String] = []
    descend(message.words.prefix(leadingWords), message.fingerprint, &root, &path)
    return path
  }

  private func descend(
    _ words: ArraySlice<String>, _ id: Fingerprint,
    _ node: inout MessageClustersStateMachine.Node, _ path: inout [String]
  ) {
    guard let word = words.first else {
      node.clusters.append(id)
      return
    }
    let key = key(for: word, in: node)
    path.append(key)
    descend(words.dropFirst(), id, &node.children[key, default: .init()], &path)
  }

  /// A word with digits, and one that finds no place, goes below the wildcard.
  private func key(for word: String, in node: MessageClustersStateMachine.Node) -> String {
    if node.children[word] != nil { return word }
    let wildcard = MessageClustersStateMachine.wildcard
    if word.utf8.contains(where: Byte.isDigit) { return wildcard }
    let room = node.children[wildcard] == nil ? maximumChildren - 1 : maximumChildren
    return node.children.count < room ? word : wildcard
  }
}

/// A message on its way to a cluster.
struct Message {
  let root: MessageClustersStateMachine.Root
  let words: [String]
  let template: String
  /// The exact group of type, code and template.
  let fingerprint: Fingerprint

  init(_ message: String, type: String, code: String) {
    template = MessageTemplate(message).redacted
    words = template.split(whereSeparator: { $0 == " " || $0 == "\n" }).map(String.init)
    root = .init(type: type, code: code, count: words.count)
    fingerprint = Fingerprint(hashing: [
      .init("type", type), .init("code", code), .init("template", template),
    ])
  }
}
