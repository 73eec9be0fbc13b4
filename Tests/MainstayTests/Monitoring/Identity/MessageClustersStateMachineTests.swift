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
