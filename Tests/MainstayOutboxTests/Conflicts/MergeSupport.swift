// SPDX-License-Identifier: Apache-2.0

import MainstayOutbox
import MainstayTesting

/// A record with a field for each strategy.
struct Thing: Codable, Equatable, Sendable {
  var title = "t"
  var theirs = 0
  var ours = 0
  var latest = 0
  var stamp = HybridLogicalClock.Stamp.at(1)
  var register = Register("r", at: .at(1))
  var quantity = 5
  var tags: Set<String> = []
  var labels: [String: String] = [:]
  var counts: [String: Int] = [:]
  var words: [String] = []
  var size = 1.0
  var room = 0
  var shelf = 0
  var left = 0
  var right = 0
  var near = 0
  var far = 0
  /// No rule names it.
  var unnamed = 0

  static let rules: [MergeRule<Thing>] = [
    .field("title", \.title),
    .field("theirs", \.theirs, .preferRemote),
    .field("ours", \.ours, .preferLocal),
    .field("latest", \.latest, lastWriteBy: \.stamp),
    .field("stamp", \.stamp, .greatest),
    .field("register", \.register, .lastWrite()),
    .field("quantity", \.quantity, .counter(in: 0...10)),
    .field("tags", \.tags, .set()),
    .field("labels", \.labels, .map()),
    .field("counts", \.counts, .map(of: .counter(), deletion: .deleteWins)),
    .field(
      "words", \.words,
      .custom { base, local, remote in
        // Both only added at the end: both additions stand, in an order that all agree on.
        guard let base, local.starts(with: base), remote.starts(with: base) else { return nil }
        let added = [local, remote].map { Array($0.dropFirst(base.count)) }
        return base + added.sorted { $0.joined() < $1.joined() }.flatMap { $0 }
      }),
    .field("size", \.size, .conflict(isEqual: { abs($0 - $1) < 0.01 })),
    .group("place", \.room, \.shelf),
    .group("sides", \.left, \.right, whenBothChanged: .preferRemote),
    .group("distance", \.near, \.far, whenBothChanged: .preferLocal),
  ]

  static let policy = MergePolicy<Thing>(rules)

  static func random(using generator: inout SeededGenerator) -> Thing {
    func number(_ range: ClosedRange<Int> = 0...2) -> Int { .random(in: range, using: &generator) }
    func keys() -> [String] { ["a", "b", "c/~"].filter { _ in number(0...1) == 1 } }
    return Thing(
      title: "t\(number())", theirs: number(), ours: number(), latest: number(),
      stamp: .at(UInt64(number(1...3)), node: UInt64(number(1...2))),
      register: Register("r\(number())", at: .at(UInt64(number(1...3)))),
      quantity: number(0...10), tags: Set(keys()),
      labels: Dictionary(uniqueKeysWithValues: keys().map { ($0, "l\(number())") }),
      counts: Dictionary(uniqueKeysWithValues: keys().map { ($0, number()) }), words: keys(),
      size: Double(number()), room: number(), shelf: number(), left: number(), right: number(),
      near: number(), far: number(), unnamed: number(0...1))
  }

  /// A thing with some of its fields changed.
  func with(_ change: (inout Thing) -> Void) -> Thing {
    var copy = self
    change(&copy)
    return copy
  }
}

extension MergePolicy {
  /// Merges versions that are all there; a base of nil is one that is not known.
  func merge(_ base: Record?, _ local: Record, _ remote: Record) -> MergeResult<Record> {
    merge(
      base: base.map { .present($0) } ?? .missing, local: .present(local),
      remote: .present(remote))
  }
}

/// Tests that merge what two sides made of one thing.
protocol MergesThings {}

extension MergesThings {
  var base: Thing { Thing() }

  func merge(
    _ local: (inout Thing) -> Void, _ remote: (inout Thing) -> Void,
    choosing choices: [String: MergeSide] = [:]
  ) -> MergeResult<Thing> {
    Thing.policy.merge(
      base: .present(base), local: .present(base.with(local)),
      remote: .present(base.with(remote)), choosing: choices)
  }

  func receipt(_ field: String, _ side: MergeSide, _ rule: String) -> DiscardedChange {
    DiscardedChange(field: field, side: side, rule: rule)
  }
}
