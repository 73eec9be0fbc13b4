// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
@testable import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// What an in-memory store looks at, and what it remembers of where its rows stand.
@Suite(.ends(withinMinutes: 5)) struct InMemoryStateMachineTests {
  @Test func `a sorted set is the same as a sorted array`() {
    var generator = SeededGenerator(seed: 1)
    var (set, model) = (SortedSet<Int>(), Set<Int>())
    for step in 0..<6_000 {
      // It grows, shrinks to little, and grows anew.
      let grows = Int.random(in: 0..<10, using: &generator) < (step / 2_000 == 1 ? 2 : 8)
      let number = Int.random(in: 0..<3_000, using: &generator)
      if grows {
        set.insert(number)
        model.insert(number)
      } else {
        let taken = step % 3 == 0 ? model.min() ?? number : number
        #expect(set.contains(taken) == model.contains(taken))
        set.remove(taken)
        model.remove(taken)
      }
      guard step % 200 == 0 else { continue }
      let sorted = model.sorted()
      #expect(Array(set) == sorted && set.count == sorted.count && set.last == sorted.last)
      #expect(Array(set.elements(after: number)) == sorted.filter { $0 > number })
      #expect(set.first(after: number) == sorted.first { $0 > number })
      #expect(set.isEmpty == sorted.isEmpty && set.first == sorted.first)
    }
    while let first = set.popFirst() { model.remove(first) }
    #expect(model.isEmpty && set == SortedSet())
  }

  @Test func `in a random life the indexes say what a look at all rows says`() async throws {
    for seed in 0..<25 as Range<UInt64> {
      let walk = Walk(seed: seed)
      for _ in 0..<120 {
        try await walk.step()
        walk.store.state.withLock { state in
          #expect(state.rows.index == state.rows.rebuilt, "seed \(seed)")
          #expect(state.rows.isIndexedAsScanned && state.isCounted, "seed \(seed)")
        }
      }
    }
  }

  @Test func `a claim looks at what it leases, however much else waits`() async throws {
    let time = TimeOfDay()
    let store = InMemoryStore(now: { time.now })
    // Ten times as many are looked at no more often.
    for count in [1_000, 10_000] {
      try await fill(store, count)
      let request = ClaimRequest(
        limit: 100, types: NewOperation.types, isAlone: true, unmet: [.network])
      // The first one sets aside what a constraint holds back.
      for turn in 0..<3 {
        let claim = try await store.claim(request)
        #expect(claim.operations.count == 100)
        let looks = store.state.withLock { $0.looks }
        #expect(turn == 0 || looks <= 110, "\(looks) of \(count)")
        for leased in claim.operations {
          #expect(try await store.settle(leased.lease, OperationVerdict(.done)))
        }
      }
    }
  }

  /// What waits for a time, behind another one, for a constraint, in a lane that is closed, of a
  /// kind that is paused, or without a worker; and 300 that are ready.
  private func fill(_ store: InMemoryStore, _ count: Int) async throws {
    let closed = Lane(rawValue: "closed")
    try await store.close(closed, LaneClosure(.paused))
    try await store.pause("paused")
    var new: [NewOperation] = []
    for number in 0..<count {
      let text = "\(number)"
      new.append(.note(text, wishes: .init(delay: .seconds(60))))
      new.append(.note(text, orderedBy: "key", lane: closed))
      new.append(.note(text, wishes: .init(constraints: [.network])))
      new.append(.note(text, kind: "paused"))
      new.append(.note(text, timeToLive: .seconds(600), wishes: .init(delay: .seconds(90))))
    }
    _ = try await store.insert(contentsOf: new)
    _ = try await store.insert(contentsOf: (0..<300).map { .note("ready \($0)") })
  }
}

extension InMemoryRows {
  /// The indexes, made anew from the rows.
  fileprivate var rebuilt: InMemoryIndex {
    var index = InMemoryIndex()
    for (number, row) in sorted { index.change(number, from: nil, to: row) }
    return index
  }

  private func numbers(where isIn: (Row) -> Bool) -> Set<Int64> {
    Set(sorted.filter { isIn($0.value) }.map(\.key))
  }

  /// Whether the indexes have those rows that a scan by their meaning finds.
  fileprivate var isIndexedAsScanned: Bool {
    let ready = index.ready.values.flatMap { $0.map(\.number) }
    let restrained = index.restrained.values.flatMap { $0.map(\.number) }
    let queued = index.queues.values.flatMap(Array.init)
    return Set(index.numbers) == numbers { _ in true }
      && Set(ready) == numbers { $0.operation.state == .ready }
      && Set(restrained + index.restrainedSuspects) == numbers(where: \.isHeld)
      && Set(index.suspects)
        == numbers { $0.operation.state == .ready && $0.operation.lostRuns > 0 }
      && Set(index.due.map(\.number)) == numbers { $0.operation.due != nil }
      && Set(index.expiring.map(\.number)) == numbers { $0.operation.expires != nil }
      && Set(index.leased) == numbers { $0.operation.state == .leased }
      && Set(index.expendable.map(\.number)) == numbers(where: \.operation.isExpendable)
      && Set(queued) == numbers { $0.orderingKey != nil }
      && Set(index.uniqueNames.values) == numbers { $0.uniqueKey != nil }
      // Not more than one of a key has its turn.
      && Set(index.heads.values)
        == numbers { $0.orderingKey != nil && $0.operation.state != .blocked }
      && Set(index.ids.keys) == Set(values.map(\.operation.id)) && index.ids.count == count
      && Set(index.keys.keys) == Set(values.map(\.operation.idempotencyKey))
      && index.keys.count == count
      && index.bytes == values.reduce(0) { $0 + $1.operation.payload.count }
  }
}

extension InMemoryState {
  /// Whether nothing is missing, and what is remembered of letters and needs fits.
  fileprivate var isCounted: Bool {
    let letters = Array(dead.letters(after: .min))
    let keyed = letters.filter { $0.value.operation.orderingKey != nil }
    let pairs = needs.all.flatMap { one in one.value.keys.map { [one.key, $0] } }
    let reversed = needs.dependents.flatMap { one in one.value.map { [$0, one.key] } }
    return ledger.isBalanced && letters.count == dead.count
      && Set(letters.map(\.value.id)) == Set(dead.ids.keys)
      && Set(letters.map(\.value.operation.idempotencyKey)) == Set(dead.keys.keys)
      && Set(dead.queues.values.flatMap(Array.init)) == Set(keyed.map(\.key))
      && Set(dead.holders.values.flatMap(Array.init))
        == Set(keyed.filter(\.value.holdsKey).map(\.key))
      && Set(pairs) == Set(reversed)
  }
}

/// A random life of an in-memory store, with all that it can be asked.
private final class Walk: Sendable {
  private struct Own {
    var generator: SeededGenerator
    var leased: [LeasedOperation] = []
    var ids: [OperationID] = []
  }

  private let time = TimeOfDay()
  private let own: Locked<Own>
  let store: InMemoryStore

  init(seed: UInt64) {
    own = Locked(Own(generator: SeededGenerator(seed: seed)))
    let limits = StoreLimits(maximumPending: 60, maximumBytes: 1_500, maximumOutcomes: 5)
    store = InMemoryStore(limits: limits, now: { [time] in time.now })
  }

  private func number(_ below: Int) -> Int {
    own.withLock { Int.random(in: 0..<below, using: &$0.generator) }
  }

  private func pick<Element>(_ all: [Element]) -> Element? {
    all.isEmpty ? nil : all[number(all.count)]
  }

  private var id: OperationID { pick(own.withLock { $0.ids }) ?? OperationID(UUID()) }

  func step() async throws {
    switch number(20) {
    case 0..<5: try await insert()
    case 5..<9: try await claim()
    case 9..<13: try await settle()
    case 13: move()
    case 14: _ = try await store.promote(number(2) == 0 ? NewOperation.types : types)
    case 15: try await store.reconsider()
    case 16: try await store.expedite(unimportantAfter: .seconds(number(2) * 5))
    case 17: try await decide()
    case 18: _ = try await store.cancel(id)
    default: try await control()
    }
  }

  /// Time passes, or the clock is set back.
  private func move() {
    time.advance(by: .seconds(number(90) - 15))
  }

  private let types: Set<PayloadType> = [
    PayloadType(kind: "note", version: 1), PayloadType(kind: "other", version: 1),
  ]

  private var newcomer: NewOperation {
    var wishes = NewOperation.Wishes(
      priority: pick([.low, .normal, .high]) ?? .normal, handicap: .seconds(number(3)),
      delay: number(4) == 0 ? .seconds(number(60)) : nil,
      constraints: number(4) == 0 ? [.network] : [], isExpendable: number(3) == 0)
    if number(4) == 0 {
      wishes.uniqueKey = .init(
        pick(["u", "v"]) ?? "u", ifTaken: pick([.keep, .replace, .append, .reject]) ?? .keep)
    }
    if number(4) == 0 {
      wishes.dependencies = .init(
        [id], ifGivenUp: pick([.waitForRedrive, .giveUp, .runAnyway]) ?? .giveUp)
    }
    if number(4) == 0 { wishes.base = Data("base".utf8) }
    return .note(
      String(repeating: "x", count: number(30)), orderedBy: pick(["a", "b", nil, nil]) ?? nil,
      kind: number(4) == 0 ? "other" : "note", lane: number(3) == 0 ? "side" : .main,
      timeToLive: number(4) == 0 ? .seconds(number(60)) : nil,
      effect: number(6) == 0 ? .sentUnknown : .notSent, wishes: wishes)
  }

  private func insert() async throws {
    if number(5) == 0, let last = try await store.last(of: "a") {
      var new = NewOperation.note("y", orderedBy: "a")
      new.wishes.coalescing = .init(
        earlier: last.id, expected: last.payload, payload: number(2) == 0 ? nil : Data("z".utf8))
      _ = try? await store.insert(new)
      return
    }
    let before = store.state.withLock { $0.ledger }
    if number(4) == 0 {
      let batch = (0..<(1 + number(4))).map { _ in newcomer }
      let kept = try? await store.insert(contentsOf: batch)
      own.withLock { $0.ids += kept ?? [] }
      // None of it was kept where one was refused.
      if kept == nil { #expect(store.state.withLock { $0.ledger } == before) }
    } else if let id = try? await store.insert(newcomer) {
      own.withLock { $0.ids.append(id) }
    }
  }

  private func claim() async throws {
    let isAlone = own.withLock { $0.leased.isEmpty }
    let claim = try await store.claim(
      ClaimRequest(
        limit: 1 + number(5), types: number(3) == 0 ? types : NewOperation.types, isAlone: isAlone,
        limits: number(3) == 0 ? [PayloadType(kind: "note", version: 1): number(3)] : [:],
        unmet: number(2) == 0 ? [.network] : [], passesSuspects: !isAlone && number(3) == 0))
    own.withLock { $0.leased += claim.operations }
  }

  private func settle() async throws {
    guard let leased = pick(own.withLock { $0.leased }) else { return }
    own.withLock { own in own.leased.removeAll { $0.lease == leased.lease } }
    if number(4) == 0 { _ = try await store.checkpoint(leased.lease, Data([1])) }
    let nexts: [OperationVerdict.Next] = [
      .done, .done, .ready, .scheduled(after: .seconds(number(60))),
      .waiting(after: .seconds(number(60))), .parked, .conflicted(remote: nil), .dropped,
      .dead(.refused, followers: pick([.holdKey, .goOn, .dropFollowers]) ?? .holdKey),
      .cancelled,
    ]
    var verdict = OperationVerdict(
      pick(nexts) ?? .done, attempts: 1, unreachable: number(2),
      effect: number(3) == 0 ? .sentUnknown : .notSent,
      closesLane: number(6) == 0 ? LaneClosure(.throttled, for: .seconds(number(30))) : nil)
    if number(5) == 0 {
      verdict.news = RecordNews(latest: Data("l".utf8), idempotencyKey: IdempotencyKey())
    }
    _ = try await store.settle(leased.lease, verdict)
  }

  /// What a person does now and then.
  private func decide() async throws {
    if let letter = pick(try await store.deadLetters(after: nil, limit: 99)) {
      let isKept = number(3) > 0
      #expect(
        isKept ? try await store.redrive(letter.id) : try await store.discard(letter.id))
    }
    guard let conflict = pick(try await store.conflicts()) else { return }
    _ = try await store.learn(
      conflict.id, RecordNews(latest: Data("m".utf8), idempotencyKey: IdempotencyKey()),
      conflicts: [])
    _ = try await store.resolve(
      conflict.id,
      with: number(2) == 0
        ? .dropped : .replaced(payload: Data("r".utf8), idempotencyKey: IdempotencyKey()))
  }

  private func control() async throws {
    switch number(7) {
    case 0: try await store.close("side", LaneClosure(.paused))
    case 1: try await store.reopen("side", closedFor: nil)
    case 2: try await store.pause("other")
    case 3: try await store.resume("other")
    case 4: _ = try await store.hasten(id)
    case 5: await store.close()
    default: _ = try await store.open()
    }
  }
}
