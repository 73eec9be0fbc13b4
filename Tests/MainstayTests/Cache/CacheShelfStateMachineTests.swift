// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Mainstay

@Suite struct CacheShelfStateMachineTests {
  private func entry(
    _ name: String, of partition: CachePartition = .everybody, size: Int = 10,
    tags: Set<String> = []
  ) -> CacheEntry {
    CacheEntry(
      key: CacheEntry.Key(name, of: partition), bytes: Data(count: size), form: "", tags: tags)
  }

  @Test func `what was used longest ago makes room`() {
    let size = entry("a").size
    var shelf = CacheShelfStateMachine(maximumBytes: 3 * size)
    for name in ["a", "b", "c"] {
      let ticket = shelf.read(entry(name).key, now: .zero).ticket
      let isKept = shelf.write(entry(name), under: ticket)
      #expect(isKept)
    }
    _ = shelf.read(entry("a").key, now: .zero)
    let ticket = shelf.read(entry("d").key, now: .zero).ticket
    let isKept = shelf.write(entry("d"), under: ticket)
    #expect(isKept)
    #expect(shelf.keys.map(\.name) == ["d", "a", "c"])
    #expect(shelf.evictions == 1 && shelf.bytes == 3 * size)
  }

  @Test(.requirement("O39"))
  func `a ticket from before more removals than are told apart is worth nothing`() {
    var shelf = CacheShelfStateMachine(maximumBytes: 10_000)
    let ticket = shelf.read(entry("a").key, now: .zero).ticket
    for _ in 0..<CacheRemovals.capacity { shelf.remove(.key(entry("z").key)) }
    let isKept = shelf.write(entry("a"), under: ticket)
    #expect(isKept)
    for _ in 0..<CacheRemovals.capacity + 1 { shelf.remove(.key(entry("z").key)) }
    let isKeptAgain = shelf.write(entry("a"), under: ticket)
    #expect(!isKeptAgain)
    #expect(shelf.count == 1)
  }

  @Test func `of two loads the one that began later wins, and each may answer again`() {
    var shelf = CacheShelfStateMachine(maximumBytes: 10_000)
    let early = shelf.read(entry("a").key, now: .zero).ticket
    let late = shelf.read(entry("a").key, now: .zero).ticket
    let isKept = shelf.write(entry("a", size: 2), under: late)
    let isOlderKept = shelf.write(entry("a", size: 1), under: early)
    let isKeptAgain = shelf.write(entry("a", size: 3), under: late)
    #expect(isKept && !isOlderKept && isKeptAgain)
    #expect(shelf.read(entry("a").key, now: .zero).entry?.bytes.count == 3)
  }

  @Test func `a ticket of another shelf, from its future, is as good as a new one`() {
    var shelf = CacheShelfStateMachine(maximumBytes: 10_000)
    let ticket = CacheEntry.Ticket(removals: 7, number: 1, reading: .zero)
    let isKept = shelf.write(entry("a"), under: ticket)
    #expect(isKept)
  }

  @Test func `places are used again`() {
    var shelf = CacheShelfStateMachine(maximumBytes: 2 * entry("0").size)
    for number in 0..<9 {
      let key = entry("\(number)").key
      _ = shelf.write(entry("\(number)"), under: shelf.read(key, now: .zero).ticket)
      if number % 3 == 0 { shelf.remove(.partition(.everybody)) }
    }
    #expect(shelf.places == 2 && shelf.count == 2)
  }

  /// What a list does that keeps everything in the plainest way.
  private struct Model {
    struct Item {
      var entry: CacheEntry
      var number: Int64
      var since: Duration
      var isExpired = false
    }
    var items: [Item] = []  // used last first
    var removals: [(selection: CacheEntry.Selection, by: Int64?)] = []
    var latest = Duration.zero

    func covers(_ selection: CacheEntry.Selection, _ entry: CacheEntry) -> Bool {
      switch selection {
      case .key(let key): key == entry.key
      case .prefix(let start, let partition):
        partition == entry.key.partition && entry.key.name.hasPrefix(start)
      case .tag(let tag, let partition):
        partition == entry.key.partition && entry.tags.contains(tag)
      case .partition(let partition): partition == entry.key.partition
      }
    }

    mutating func remove(_ key: CacheEntry.Key, _ ticket: CacheEntry.Ticket) {
      removals.append((.key(key), ticket.number))
      items.removeAll { $0.entry.key == key && $0.number <= ticket.number }
    }

    mutating func write(_ entry: CacheEntry, _ ticket: CacheEntry.Ticket, room: Int) -> Bool {
      let later = removals.dropFirst(Int(ticket.removals))
      for removal in later where covers(removal.selection, entry) {
        guard let load = removal.by, load < ticket.number else { return false }
      }
      if let index = items.firstIndex(where: { $0.entry.key == entry.key }) {
        if items[index].number > ticket.number { return false }
        items.remove(at: index)
      }
      guard entry.size <= room else { return false }
      let item = Item(entry: entry, number: ticket.number, since: ticket.reading)
      items.insert(item, at: 0)
      while items.reduce(0, { $0 + $1.entry.size }) > room { items.removeLast() }
      return true
    }
  }

  @Test(.requirement("O39")) func `a random walk agrees with a list`() {
    for seed in 0..<RandomDose.schedules {
      var random = SplitMix64(seed: seed)
      if let disagreement = walk(&random) {
        Issue.record("seed \(seed): \(disagreement)")
        return
      }
    }
  }

  private func walk(_ random: inout SplitMix64) -> String? {
    let room = 280 * Int.random(in: 1...6, using: &random)
    var (shelf, model) = (CacheShelfStateMachine(maximumBytes: room), Model())
    var tickets: [(key: CacheEntry.Key, ticket: CacheEntry.Ticket)] = []
    var now = Duration.zero
    let partitions: [CachePartition] = [.account(1), .account(2)]
    for _ in 0..<80 {
      now += .seconds(Int.random(in: -2...3, using: &random))
      let partition = partitions[Int.random(in: 0...1, using: &random)]
      let name = ["a", "ab", "b", "bc"][Int.random(in: 0...3, using: &random)]
      let key = CacheEntry.Key(name, of: partition)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        model.latest = max(model.latest, now)
        let found = shelf.read(key, now: now)
        let index = model.items.firstIndex { $0.entry.key == key }
        let item = index.map { model.items.remove(at: $0) }
        if let item { model.items.insert(item, at: 0) }
        guard found.entry == item?.entry, found.isExpired == (item?.isExpired ?? false),
          found.age == item.map({ model.latest - $0.since + $0.entry.initialAge })
        else { return "found \(found) instead of \(String(describing: item))" }
        tickets.append((key, found.ticket))
      case 4..<8:
        guard !tickets.isEmpty else { break }
        let (key, ticket) = tickets.remove(at: Int.random(in: 0..<tickets.count, using: &random))
        if Int.random(in: 0..<5, using: &random) == 0 {
          shelf.remove(key, under: ticket)
          model.remove(key, ticket)
          break
        }
        let tags: Set<String> = Bool.random(using: &random) ? ["t"] : []
        let new = CacheEntry(
          key: key, bytes: Data(count: Int.random(in: 0..<400, using: &random)), form: "",
          tags: tags, initialAge: .seconds(Int.random(in: 0...2, using: &random)))
        let isKept = shelf.write(new, under: ticket)
        guard isKept == model.write(new, ticket, room: room) else { return "kept: \(isKept)" }
      default:
        let selections: [CacheEntry.Selection] = [
          .key(key), .prefix(name, of: partition), .tag("t", of: partition), .partition(partition),
        ]
        let selection = selections[Int.random(in: 0...3, using: &random)]
        model.removals.append((selection, nil))
        if Bool.random(using: &random) {
          shelf.remove(selection)
          model.items = model.items.filter { !model.covers(selection, $0.entry) }
        } else {
          shelf.expire(selection)
          for index in model.items.indices
          where model.covers(selection, model.items[index].entry) {
            model.items[index].isExpired = true
          }
        }
      }
      guard shelf.keys == model.items.map(\.entry.key), shelf.count == model.items.count else {
        return "\(shelf.keys) instead of \(model.items.map(\.entry.key))"
      }
      guard shelf.bytes == model.items.reduce(0, { $0 + $1.entry.size }), shelf.bytes <= room
      else { return "\(shelf.bytes) bytes of \(room)" }
    }
    return nil
  }
}
