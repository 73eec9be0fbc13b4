// SPDX-License-Identifier: Apache-2.0

internal import InventoryUpstream
internal import MainstayTesting

/// Draws a plan.
struct PlanMaker {
  /// An action that has no pause yet.
  private struct Draft {
    let item: Int
    let kind: Action.Kind
    let key: String
  }

  private let size: Plan.Size
  private let seed: UInt64
  private var generator: SeededGenerator
  private var counts: [Character: Int] = [:]

  init(seed: UInt64, size: Plan.Size) {
    self.seed = seed
    self.size = size
    generator = SeededGenerator(seed: seed)
  }

  mutating func phases() -> [Phase] {
    let groups = Script.groups.shuffled(using: &generator)
    let faults = [FaultSettings()] + groups.flatMap(\.self)
    let drafts = drafts(over: faults)
    let kills = kills(in: faults)
    // As long as the posts of a full run need to meet every fault; a small run is quick.
    let hold = min(max(size.scans * 20, 250), 4000)
    return faults.indices.map { number in
      var settings = faults[number]
      settings.seed = generator.next()
      return Phase(
        number: number, faults: settings, actions: actions(drafts[number], within: hold),
        kills: moments(kills[number], among: drafts[number].count),
        hold: .milliseconds(hold), requests: requests(settings))
    }
  }

  /// How many requests show that the app has met the fault: enough to tell whether it keeps to a
  /// limit, few where it leaves the service alone after some failures.
  private func requests(_ settings: FaultSettings) -> Int {
    switch settings.mode {
    case .healthy, .down, .portal: 1
    case .rateLimited where settings.limit != nil: max(1, size.scans / 5)
    default: max(1, size.scans / 20)
    }
  }
}

// What is posted.
extension PlanMaker {
  /// The actions of each phase; those of one thing are in their order.
  private mutating func drafts(over faults: [FaultSettings]) -> [[Draft]] {
    var drafts = Array(repeating: [Draft](), count: faults.count)
    // Most is scanned while nothing gets through, so that a long queue meets what comes then.
    let turns = faults.indices.flatMap {
      Array(repeating: $0, count: faults[$0].mode == .down ? 5 : 1)
    }
    let books = Catalog().books.shuffled(using: &generator)
    let strangers = Set((0..<size.scans).shuffled(using: &generator).prefix(2))
    for item in 0..<size.scans {
      // Of a few scans only one is unknown.
      let isUnknown = strangers.contains(item) && (size.scans >= 20 || item == strangers.min())
      let isbn = isUnknown ? Self.unknownISBN(item) : books[item % books.count].isbn
      var phase = turns[item * turns.count / size.scans]
      drafts[phase].append(draft(item, .scan(isbn: isbn), "s"))
      for _ in 0..<[0, 0, 0, 1, 1, 1, 1, 2, 2, 3].draw(&generator) {
        phase = Int.random(in: phase..<faults.count, using: &generator)
        drafts[phase].append(edit(item))
      }
      if Int.random(in: 0..<20, using: &generator) < 3 {
        phase = Int.random(in: phase..<faults.count, using: &generator)
        drafts[phase].append(draft(item, .delete, "d"))
      }
    }
    return drafts.map { mixed($0) }
  }

  private mutating func edit(_ item: Int) -> Draft {
    let key = key("e")
    let location = ["Shelf 1", "Shelf 2", "Attic", "Lent to a friend", nil].draw(&generator)
    let quantity = Bool.random(using: &generator) ? Int.random(in: 1...9, using: &generator) : nil
    let edit = Edit(notes: "Written by \(key)", location: location, quantity: quantity)
    return Draft(item: item, kind: .edit(edit), key: key)
  }

  private mutating func draft(_ item: Int, _ kind: Action.Kind, _ letter: Character) -> Draft {
    Draft(item: item, kind: kind, key: key(letter))
  }

  /// `demo-7-e012`: which run, what it is, and the how manieth of its sort.
  private mutating func key(_ letter: Character) -> String {
    counts[letter, default: 0] += 1
    let number = String(counts[letter, default: 0])
    let zeros = String(repeating: "0", count: max(0, 3 - number.count))
    return "demo-\(seed)-\(letter)\(zeros)\(number)"
  }

  /// Mixes things, and keeps the order of each.
  private mutating func mixed(_ drafts: [Draft]) -> [Draft] {
    var rest = Dictionary(grouping: drafts, by: \.item)
    return drafts.map(\.item).shuffled(using: &generator).compactMap { item in
      guard rest[item]?.isEmpty == false else { return nil }
      return rest[item]?.removeFirst()
    }
  }

  private mutating func actions(_ drafts: [Draft], within hold: Int) -> [Action] {
    // Several clients post side by side; their pauses fill most of the phase, and half of them are
    // none, so that posts come in bursts.
    let pause = hold * Demo.clients * 7 / 10 / max(1, drafts.count)
    return drafts.map { draft in
      let repetition: Action.Repetition =
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: .afterAnswer
        case 1...10: .never
        default: .untilAnswered
        }
      let isBurst = Bool.random(using: &generator)
      let wait = isBurst ? 0 : Int.random(in: 0...min(pause * 4, 2000), using: &generator)
      return Action(
        key: draft.key, item: draft.item, kind: draft.kind, repetition: repetition,
        pause: .milliseconds(wait))
    }
  }

  /// A valid number that is nobody's.
  private static func unknownISBN(_ item: Int) -> String {
    let number = String(item)
    let digits = "97999" + String(repeating: "9", count: 7 - number.count) + number
    let sum = zip(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]).reduce(0) { sum, pair in
      sum + (pair.0.wholeNumberValue ?? 0) * pair.1
    }
    return digits + String((10 - sum % 10) % 10)
  }
}

// When it is killed.
extension PlanMaker {
  /// How often it is killed in each phase: first where a kill tells most, then anywhere.
  private mutating func kills(in faults: [FaultSettings]) -> [Int] {
    let telling = faults.indices.filter { faults[$0].isTelling }.shuffled(using: &generator)
    let others = faults.indices.filter { !faults[$0].isTelling }.shuffled(using: &generator)
    // A phase without dedupe and a cut come first, so that few kills meet both.
    let first = telling.sorted { rank(faults[$0]) < rank(faults[$1]) }
    var kills = Array(repeating: 0, count: faults.count)
    for number in 0..<size.kills { kills[(first + others)[number % faults.count]] += 1 }
    return kills
  }

  private func rank(_ settings: FaultSettings) -> Int {
    switch (settings.mode, settings.dedupe) {
    case (.dropAfterCommit, false): 0
    case (.dropAfterCommit, true), (.slow, false): 1
    default: 2
    }
  }

  private mutating func moments(_ kills: Int, among actions: Int) -> [Phase.Kill] {
    (0..<kills).map { _ in
      Phase.Kill(
        accepted: Int.random(in: 0...max(0, actions * 6 / 10), using: &generator),
        delay: .milliseconds(Int.random(in: 0...400, using: &generator)))
    }
    .sorted { $0.accepted < $1.accepted }
  }
}

extension Array {
  /// One of them by chance; there must be one.
  fileprivate func draw(_ generator: inout SeededGenerator) -> Element {
    self[Int.random(in: 0..<count, using: &generator)]
  }
}
