// SPDX-License-Identifier: Apache-2.0

import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// A record of today, and the form that it had before.
struct Labelled: Codable, Equatable, Sendable {
  var name: String
  var count: Int
  var labels: [String: String]

  static let policy = MergePolicy<Labelled>([
    .field("name", \.name), .field("count", \.count, .counter()),
    .field("labels", \.labels, .map()),
  ])

  static func random(using generator: inout SeededGenerator) -> Labelled {
    OldLabelled.random(using: &generator).upcast
  }
}

struct OldLabelled: Codable, Equatable, Sendable {
  var title: String
  var count: Int8
  var label: String?

  static let policy = MergePolicy<OldLabelled>([
    .field("title", \.title), .field("count", \.count, .counter()), .field("label", \.label),
  ])

  static func random(using generator: inout SeededGenerator) -> OldLabelled {
    func number() -> Int { .random(in: 0...2, using: &generator) }
    return OldLabelled(title: "t\(number())", count: Int8(number()), label: "l\(number())")
  }

  var upcast: Labelled {
    Labelled(name: title, count: Int(count), labels: label.map { ["label": $0] } ?? [:])
  }
}

/// What the laws find in policies, codecs and upcasters that are wrong.
@Suite(.requirement("C21")) struct MergeLawsTests {
  struct Pair: Codable, Equatable, Sendable {
    var a: Int
    var b: Int
    var set: Set<String> = []

    static func random(using generator: inout SeededGenerator) -> Pair {
      Pair(
        a: .random(in: 0...2, using: &generator), b: .random(in: 0...2, using: &generator),
        set: Set((0..<9).map { "\($0)" }.filter { _ in Bool.random(using: &generator) }))
    }
  }

  private func found(_ rules: [MergeRule<Pair>]) -> Set<String> {
    let laws = MergeLaws(MergePolicy(rules)) { Pair.random(using: &$0) }
    return Set(laws.violations(cases: 200, seed: 1).map(\.law))
  }

  @Test func `a policy that is right breaks none`() {
    #expect(
      found([.field("a", \.a, .greatest), .field("b", \.b), .field("s", \.set, .set())]) == [])
  }

  @Test func `rules for the same place do not go together`() {
    let rules: [MergeRule<Pair>] = [
      .field("a", \.a, .preferLocal), .field("again", \.a, .preferRemote),
    ]
    #expect(found(rules).isSuperset(of: ["locality", "no loss"]))
  }

  @Test func `an equality that is none is found`() {
    let rules: [MergeRule<Pair>] = [
      .field("a", \.a, .conflict(isEqual: { _, _ in false })), .field("b", \.b),
    ]
    #expect(found(rules).contains("no loss"))
  }

  @Test func `a computed field that writes another one is found`() {
    #expect(found([.field("a", \.a), .field("both", \.sum)]).contains("locality"))
  }

  @Test func `a number that is not even equal to itself is found`() {
    struct Measured: Equatable {
      var value: Double
      var count: Int
    }
    for strategy in [MergeStrategy<Double>.conflict, .preferRemote] {
      let laws = MergeLaws(
        MergePolicy<Measured>([.field("value", \.value, strategy), .field("count", \.count)])
      ) { generator in
        Measured(
          value: [0, 1, .nan].randomElement(using: &generator) ?? 0,
          count: .random(in: 0...2, using: &generator))
      }
      let found = Set(laws.violations(cases: 200, seed: 1).map(\.law))
      #expect(found.isSuperset(of: ["identity", "again", "deletion"]), "\(found)")
    }
  }

  @Test func `an order that is none depends on the side, and is found`() {
    struct Unordered: Comparable {
      var value: Int
      static func < (_: Unordered, _: Unordered) -> Bool { false }
    }
    struct Ranked: Equatable { var rank: Unordered }
    let laws = MergeLaws(MergePolicy<Ranked>([.field("rank", \.rank, .greatest)])) {
      Ranked(rank: Unordered(value: .random(in: 0...2, using: &$0)))
    }
    #expect(laws.violations(cases: 200, seed: 1).contains { $0.law == "symmetry" })
  }

  @Test func `a merger that declines for one side only is found`() {
    let rules: [MergeRule<Pair>] = [
      .field("a", \.a, .custom { _, local, remote in local < remote ? nil : local }),
      .field("b", \.b),
    ]
    #expect(found(rules).contains("symmetry"))
  }

  @Test func `a setter that writes something else is found`() {
    #expect(found([.field("raised", \.raised, .preferRemote)]).contains("no invention"))
  }

  @Test func `each violation names a seed that shows it again`() throws {
    let laws = MergeLaws(MergePolicy<Pair>([.field("a", \.a), .field("both", \.sum)])) {
      Pair.random(using: &$0)
    }
    let violation = try #require(laws.violations(cases: 100, seed: 50).first)
    let again = laws.violations(cases: 1, seed: violation.seed)
    #expect(again.contains { $0.law == violation.law && $0.seed == violation.seed })
    #expect(violation.description.contains("seed \(violation.seed)"))
  }

  @Test func `bytes that chance orders are found`() {
    let laws = MergeLaws(MergePolicy<Pair>([.field("a", \.a)])) { Pair.random(using: &$0) }
    #expect(!laws.codecViolations(cases: 200).isEmpty)
  }

  @Test func `a codec that forgets is found`() {
    struct Forgetful: Codable, Equatable {
      var kept = 0
      var lost = 0
      enum CodingKeys: CodingKey { case kept }
    }
    let laws = MergeLaws(MergePolicy<Forgetful>([.field("kept", \.kept)])) {
      Forgetful(lost: .random(in: 0...9, using: &$0))
    }
    #expect(!laws.codecViolations().isEmpty)
  }

  @Test func `an upcaster that makes two values one is found`() {
    let laws = MergeLaws(Labelled.policy) { Labelled.random(using: &$0) }
    let older = MergeLaws(OldLabelled.policy) { OldLabelled.random(using: &$0) }
    let found = laws.upcastViolations(
      from: older,
      by: { old in
        Labelled(name: "", count: Int(old.count), labels: [:])
      })
    #expect(!found.isEmpty)
  }

  @Test func `no cases are no test`() async {
    await #expect(processExitsWith: .failure) {
      _ = MergeLaws(Labelled.policy) { Labelled.random(using: &$0) }.violations(cases: 0)
    }
  }
}

extension MergeLawsTests.Pair {
  fileprivate var sum: Int {
    get { a + b }
    set { a = newValue - b }
  }

  fileprivate var raised: Int {
    get { a }
    set { a = newValue + 10 }
  }
}
