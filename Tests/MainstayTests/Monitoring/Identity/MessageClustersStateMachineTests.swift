// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import TestSupport
import Testing

@testable import Mainstay

@Suite(.requirement("B41")) struct MessageClustersStateMachineTests {
  private static func machine(
    words: Int = 1, similarity: Double = 0.6, children: Int = 100, clusters: Int = 1000
  ) -> MessageClustersStateMachine {
    MessageClustersStateMachine(
      .init(
        leadingWords: words, similarity: similarity, maximumChildren: children,
        maximumClusters: clusters))
  }

  @Test func `a message finds its cluster below the first word only`() {
    var machine = Self.machine()
    let first = machine.add(Message("alpha x y z", type: "", code: ""))
    #expect(machine.add(Message("beta x y z", type: "", code: "")).id != first.id)
    #expect(machine.add(Message("alpha x y w", type: "", code: "")).id == first.id)
  }

  @Test func `words with digits and those without room go below the wildcard`() {
    var machine = Self.machine(children: 3)
    for word in ["a", "b", "c", "d"] { machine.add(Message("\(word) x y", type: "", code: "")) }
    // The root, two words, and one wildcard for the others.
    #expect(machine.nodes == 4)
    var digits = Self.machine()
    let first = digits.add(Message("db2 x y", type: "", code: ""))
    #expect(digits.add(Message("db3 x y", type: "", code: "")).id == first.id)
  }

  @Test func `wildcards do not count as alike while learning`() {
    var machine = Self.machine(similarity: 0.6)
    machine.add(Message("a b c d e", type: "", code: ""))
    machine.add(Message("a b c x y", type: "", code: ""))
    #expect(machine.clusters.map(\.template) == ["a b c <*> <*>"])
    let other = machine.add(Message("a b z d e", type: "", code: ""))
    #expect(other.isNew, "two of five words")
  }

  @Test func `of two that are alike the one with more wildcards is taken`() {
    var machine = Self.machine(similarity: 0.5)
    let first = machine.add(Message("a b c d", type: "", code: ""))
    machine.add(Message("a b x y", type: "", code: ""))
    var exact = Self.machine(similarity: 0.9)
    exact.add(Message("a b c d", type: "", code: ""))
    #expect(machine.add(Message("a b q r", type: "", code: "")).id == first.id)
    #expect(exact.add(Message("a b q r", type: "", code: "")).isNew)
  }

  @Test func `a first template that comes again joins its old cluster`() {
    var machine = Self.machine(similarity: 0.5)
    let first = machine.add(Message("a b c d", type: "", code: ""))
    machine.add(Message("a b x y", type: "", code: ""))
    machine.add(Message("a z x y", type: "", code: ""))
    let again = machine.add(Message("a b c d", type: "", code: ""))
    #expect(again.id == first.id)
    #expect(Set(machine.clusters.map(\.id)).count == machine.count)
  }

  private func message(_ text: String, type: String = "", code: String = "") -> Message {
    Message(text, type: type, code: code)
  }

  @Test func `of two that are equally alike the older one is taken`() {
    var machine = Self.machine(similarity: 0.7)
    let first = machine.add(message("k a b c"))
    #expect(machine.add(message("k a x y")).isNew)
    #expect(machine.add(message("k a b y")).id == first.id)
  }

  @Test func `the largest cluster is named first, and those of one size by their ids`() {
    var machine = Self.machine(similarity: 1)
    for text in ["a x", "b x", "c x", "b x", "d x", "b x", "d x"] { machine.add(message(text)) }
    let clusters = machine.clusters
    #expect(clusters.map(\.count) == [3, 2, 1, 1])
    #expect(clusters.prefix(2).map(\.template) == ["b x", "d x"])
    let ids = clusters.suffix(2).map(\.id.description)
    #expect(ids == ids.sorted() && machine.nodes == 5)
  }

  @Test func `a message is matched where all of its words fit, and nothing is learned`() {
    var machine = Self.machine(words: 0, similarity: 0.5)
    let first = machine.add(message("a b c"))
    machine.add(message("a x c"))
    let before = machine.clusters
    let match = machine.match(message("a q c"))
    #expect(match?.id == first.id && match?.isNew == false && match?.template == "a <*> c")
    #expect(machine.match(message("a q z")) == nil, "a wildcard does not make up for a word")
    #expect(machine.match(message("z q z")) == nil)
    #expect(machine.match(message("a q c", type: "T")) == nil)
    #expect(machine.match(message("a q c d")) == nil && machine.match(message("")) == nil)
    #expect(machine.clusters == before)
    let empty = machine.add(message(""))
    #expect(machine.match(message(""))?.id == empty.id)
  }

  @Test func `lines are words apart`() {
    #expect(message("a b\nc").words == ["a", "b", "c"])
  }

  @Test func `when one leaves, those beside it are still found`() {
    var machine = Self.machine(similarity: 0.7, clusters: 2)
    machine.add(message("k a b c"))
    let second = machine.add(message("k x y z"))
    machine.add(message("q q q q"))
    #expect(machine.evicted == 1 && machine.nodes == 3)
    #expect(machine.add(message("k x y w")).id == second.id)
  }

  @Test func `the one used longest ago leaves, however many uses there were`() {
    for seed in 0..<RandomDose.schedules / 100 {
      var random = SeededGenerator(seed: seed)
      let limit = Int.random(in: 1...6, using: &random)
      var machine = Self.machine(similarity: 1, clusters: limit)
      var (recent, gone) = ([String](), 0)
      for _ in 0..<200 {
        let word = ["a", "b", "c", "d", "e", "f", "g", "h"].randomElement(using: &random) ?? ""
        let isKnown = recent.contains(word)
        #expect(machine.add(message(word + " x")).isNew == !isKnown, "seed \(seed)")
        recent.removeAll { $0 == word }
        recent.insert(word, at: 0)
        if recent.count > limit {
          recent.removeLast()
          gone += 1
        }
        let kept = machine.clusters.map(\.template).sorted()
        #expect(kept == recent.map { $0 + " x" }.sorted(), "seed \(seed)")
        #expect(machine.evicted == gone && machine.rememberedUses <= 2 * limit, "seed \(seed)")
      }
    }
  }

  @Test func `no walk breaks a rule`() {
    for seed in 0..<RandomDose.schedules / 10 {
      var random = SeededGenerator(seed: seed)
      let limit = Int.random(in: 1...6, using: &random)
      let settings = MessageClustersStateMachine.Settings(
        leadingWords: Int.random(in: 0...3, using: &random),
        similarity: Double.random(in: 0.3...1, using: &random),
        maximumChildren: Int.random(in: 2...4, using: &random), maximumClusters: limit)
      var machine = MessageClustersStateMachine(settings)
      var replay = MessageClustersStateMachine(settings)
      var added = 0
      for _ in 0..<60 {
        let words = (0..<Int.random(in: 0...4, using: &random)).map { _ in
          ["a", "b", "c", "d1", "e2"].randomElement(using: &random) ?? ""
        }
        let type = Bool.random(using: &random) ? "T" : "U"
        let message = Message(words.joined(separator: " "), type: type, code: "")
        let match = machine.add(message)
        added += 1
        #expect(match == replay.add(message), "seed \(seed): the order decides alone")
        expectRules(of: machine, match, message, seed: seed)
        #expect(machine.count <= limit && machine.clusters.reduce(0) { $0 + $1.count } <= added)
        let longest = limit * (settings.leadingWords + 1)
        #expect(machine.nodes <= longest, "seed \(seed): a node leads nowhere")
      }
    }
  }

  private func expectRules(
    of machine: MessageClustersStateMachine, _ match: MessageClusters.Match, _ message: Message,
    seed: UInt64
  ) {
    guard let cluster = machine.clusters.first(where: { $0.id == match.id }) else {
      Issue.record("seed \(seed): the cluster just met is gone")
      return
    }
    #expect(cluster.type == message.root.type)
    let words = cluster.template.split(separator: " ").map(String.init)
    #expect(words.count == message.words.count)
    let fits = zip(words, message.words).allSatisfy { $0 == $1 || $0 == "<*>" }
    #expect(fits, "seed \(seed): \(cluster.template) is not the template of \(message.template)")
    #expect(Set(machine.clusters.map(\.id)).count == machine.count)
  }
}
