// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import Testing

/// Does the same to a store in memory and to one in a file, and compares all that can be seen.
struct TwinStores {
  /// The two stores differ, or say one thing and do another.
  struct Difference: Error {
    let what: String
    let (first, second): (String, String)
  }

  private var memory: StoreUnderTest
  private var file: StoreUnderTest
  private var generator: SeededGenerator
  private var ids: [OperationID] = []
  private var held: [(memory: Lease, file: Lease, operation: StoredOperation)] = []
  private var log: [String] = []

  private static let types: Set = [
    PayloadType(kind: "note", version: 1), PayloadType(kind: "other", version: 1),
  ]

  init(seed: UInt64) async throws {
    generator = SeededGenerator(seed: seed)
    var limits = StoreLimits(maximumOutcomes: Int.random(in: 0...9, using: &generator))
    if Bool.random(using: &generator) {
      limits.maximumPending = Int.random(in: 1...12, using: &generator)
    }
    if Bool.random(using: &generator) {
      limits.maximumBytes = Int.random(in: 10...200, using: &generator)
    }
    memory = try await StoreUnderTest(.memory, limits: limits)
    file = try await StoreUnderTest(.sqlite, limits: limits)
  }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &generator) < percent
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  private mutating func pick<T>(_ choices: [T]) -> T {
    choices[Int.random(in: 0..<choices.count, using: &generator)]
  }

  mutating func run(steps: Int) async throws {
    for _ in 0..<steps {
      do {
        try await step()
        try await compare()
      } catch let difference as Difference {
        throw Difference(
          what: "\(difference.what) after \(log.suffix(12).joined(separator: ", "))",
          first: difference.first, second: difference.second)
      }
    }
  }

  private func same<T: Equatable>(_ what: String, _ first: T, _ second: T) throws {
    guard first != second else { return }
    throw Difference(what: what, first: "\(first)", second: "\(second)")
  }

  /// Asks both for the same, and compares the answers.
  @discardableResult
  private mutating func both<T: Equatable & Sendable>(
    _ what: String, _ call: (any OutboxStore) async throws -> T
  ) async throws -> T {
    log.append(what)
    let first = await Self.answer { try await call(memory.store) }
    let second = await Self.answer { try await call(file.store) }
    switch (first, second) {
    case (.success(let first), .success(let second)):
      try same(what, first, second)
      return first
    case (.failure(let first), .failure(let second)):
      try same(what, OutboxError.code(first), OutboxError.code(second))
      throw first
    default: throw Difference(what: what, first: "\(first)", second: "\(second)")
    }
  }

  private static func answer<T>(_ call: () async throws -> T) async -> Result<T, any Error> {
    do { return .success(try await call()) } catch { return .failure(error) }
  }

  private mutating func step() async throws {
    switch number(0...99) {
    case 0..<28: try await insert()
    case 28..<48: try await claim()
    case 48..<68: try await settle()
    case 68..<74: try await decide()
    case 74..<82:
      let span = Duration.seconds(number(0...90))
      advance(by: span)
      if chance(15) { try await setClock() }
      _ = try await both("promote after \(span)") { try await $0.promote(Self.types) }
    case 82..<87:
      if let id = ids.isEmpty ? nil : pick(ids) {
        _ = try await both("cancel \(name(id))") { try await $0.cancel(id) }
      }
    case 87..<89:
      if let id = ids.isEmpty ? nil : pick(ids) {
        _ = try await both("hasten \(name(id))") { try await $0.hasten(id) }
      }
    case 89..<91: _ = try await both("reconsider") { try await $0.reconsider() == () }
    case 91..<93: try await learn()
    case 93..<96: try await turnLane()
    default: try await crash()
    }
  }

  private func advance(by span: Duration) {
    memory.time.advance(by: span)
    file.time.advance(by: span)
  }

  /// Somebody sets the time of day, and sets it right again some steps later or never.
  private mutating func setClock() async throws {
    let jump = Duration.seconds(pick([1, 90, 3600, 365 * 86_400]) * pick([-1, 1]))
    log.append("clock set by \(jump)")
    advance(by: jump)
    if chance(50) {
      try await insert()
      advance(by: .zero - jump)
    }
  }

  private func name(_ id: OperationID) -> String {
    ids.firstIndex(of: id).map { "#\($0)" } ?? "?"
  }

  private mutating func wishes() -> NewOperation.Wishes {
    var wishes = NewOperation.Wishes()
    if chance(40) {
      wishes.priority = pick(OperationPriority.allCases)
      wishes.handicap = wishes.priority.handicap(ageing: .seconds(30))
    }
    if chance(25) { wishes.delay = .seconds(number(0...120)) }
    if chance(30) {
      wishes.uniqueKey = .init(
        pick(["u", "v", "e\u{301}", "\u{e9}"]),
        ifTaken: pick(EnqueueOptions.UniqueKey.IfTaken.allCases))
    }
    if chance(35), !ids.isEmpty {
      wishes.dependencies = .init(
        Set((0..<number(1...3)).map { _ in pick(ids) }),
        ifGivenUp: pick(EnqueueOptions.Dependencies.IfGivenUp.allCases))
    }
    wishes.isExpendable = chance(30)
    if chance(10) { wishes.timeout = .milliseconds(number(1...90_000)) }
    if chance(20) { wishes.constraints = pick([[.power], [.unmetered], [.power, .unmetered]]) }
    return wishes
  }

  private mutating func insert() async throws {
    // Two of the keys look alike.
    let (key, kind) = (
      pick(["a", "b", "e\u{301}", "\u{e9}", nil, nil, nil]),
      pick(["note", "note", "other", "strange"])
    )
    let life = chance(15) ? Duration.seconds(number(1...200)) : nil
    var wishes = wishes()
    if chance(25), let key, let last = try await memory.store.last(of: key) {
      wishes = NewOperation.Wishes()
      if chance(80) { (wishes.priority, wishes.isExpendable) = (last.priority, last.isExpendable) }
      wishes.coalescing = NewOperation.Coalescing(
        earlier: chance(90) ? last.id : pick(ids), expected: last.payload,
        payload: chance(60) ? Data("{\(ids.count)}".utf8) : nil)
    }
    let new = NewOperation.note(
      String(ids.count), orderedBy: key, kind: OperationKind(rawValue: kind),
      lane: chance(80) ? .main : "side", timeToLive: life,
      effect: chance(5) ? .sentUnknown : .notSent, wishes: wishes)
    do {
      let id = try await both("insert") { try await $0.insert(new) }
      if id == new.id { ids.append(id) }
    } catch let error as OutboxError
      where
      [.duplicate, .changedMeanwhile, .full].contains(error.code)
    {
      // Both refused it.
    }
  }

  /// Operations without an obstacle are claimed, and no others.
  private mutating func claim() async throws {
    var free: Set<OperationID> = []
    for id in ids where try await memory.store.obstacles(id)?.isEmpty == true { free.insert(id) }
    let isPlain = chance(40)
    let request = ClaimRequest(
      limit: isPlain ? 1000 : number(1...3), types: Self.types, isAlone: held.isEmpty,
      limits: isPlain ? [:] : [PayloadType(kind: "note", version: 1): number(0...2)],
      unmet: isPlain ? [] : pick([[], [.power], [.power, .unmetered]]),
      passesSuspects: !isPlain && !held.isEmpty && chance(30))
    log.append("claim \(request.limit)")
    let first = try await memory.store.claim(request)
    let second = try await file.store.claim(request)
    try same(
      "claim", first.operations.map { name($0.lease.id) },
      second.operations.map {
        name($0.lease.id)
      })
    try same("exclusive", first.isExclusive, second.isExclusive)
    for (one, other) in zip(first.operations, second.operations) {
      held.append((one.lease, other.lease, one.operation))
    }
    guard isPlain else { return }
    let claimed = Set(first.operations.map(\.lease.id))
    for id in ids where free.contains(id) != claimed.contains(id) {
      // What no worker knows is found out by the claim, and what lost its run and waits for a
      // constraint comes last.
      if try await memory.store.obstacles(id)?.contains(where: \.isNoWorker) == true { continue }
      let operation = try await memory.store.operation(id)
      if operation?.state == .waiting, (operation?.lostRuns ?? 0) > 0 { continue }
      // What has expired since the last look is dropped by the next one.
      if let operation, let expires = operation.expires, expires <= memory.time.now,
        operation.effect.isSafe
      {
        continue
      }
      throw Difference(
        what: "explained \(name(id))", first: "\(free.contains(id))",
        second: "\(claimed.contains(id))")
    }
  }

  private mutating func settle() async throws {
    guard !held.isEmpty else { return }
    let (one, other, operation) = held.remove(at: number(0...(held.count - 1)))
    if chance(20) {
      let data = chance(80) ? Data("far".utf8) : nil
      try same(
        "checkpoint", try await memory.store.checkpoint(one, data),
        try await file.store.checkpoint(other, data))
    }
    let fields = chance(50) ? [FieldConflict(field: "f", cause: .bothChanged)] : []
    let next = pick([
      OperationVerdict.Next.done, .done, .ready, .dropped,
      .scheduled(after: .seconds(number(0...60))),
      .waiting(after: .seconds(number(1...60))),
      .conflicted(remote: Data("r".utf8), fields: fields), .parked,
      .dead(.refused, followers: pick(Worker.AfterDeadLetter.allCases)), .cancelled,
    ])
    var verdict = OperationVerdict(
      next, attempts: operation.attempts + 1, unreachable: number(0...1),
      effect: pick([.sentUnknown, .notSent, .notSent, .refused]))
    if chance(25) { verdict.output = Data("out".utf8) }
    if chance(25) { verdict.news = news() }
    if chance(10) { verdict.closesLane = LaneClosure(.throttled, for: .seconds(20)) }
    log.append("settle \(name(operation.id)) \(next)")
    try same(
      "settle", try await memory.store.settle(one, verdict),
      try await file.store.settle(other, verdict))
  }

  private mutating func news() -> RecordNews {
    RecordNews(
      latest: Data("latest \(number(0...9))".utf8),
      idempotencyKey: chance(50) ? IdempotencyKey() : nil, merges: number(0...3))
  }

  private mutating func learn() async throws {
    guard !ids.isEmpty else { return }
    let (id, news) = (pick(ids), news())
    let fields = chance(50) ? [FieldConflict(field: "g", cause: .noBase)] : []
    try await both("learn \(name(id))") { try await $0.learn(id, news, conflicts: fields) }
  }

  private mutating func decide() async throws {
    let letters = try await memory.store.deadLetters(after: nil, limit: 99)
    if !letters.isEmpty {
      let id = pick(letters).id
      if chance(60) {
        try await both("redrive \(name(id))") { try await $0.redrive(id) }
      } else {
        try await both("discard \(name(id))") { try await $0.discard(id) }
      }
    }
    let conflicts = try await memory.store.conflicts()
    if !conflicts.isEmpty {
      let id = pick(conflicts).id
      let key = IdempotencyKey()
      let resolution: StoredResolution =
        chance(50) ? .dropped : .replaced(payload: Data("{}".utf8), idempotencyKey: key)
      try await both("resolve \(name(id))") { try await $0.resolve(id, with: resolution) }
    }
    if chance(30) {
      let delay = Duration.seconds(number(0...30))
      _ = try await both("expedite") { try await $0.expedite(unimportantAfter: delay) == () }
    }
  }

  private mutating func turnLane() async throws {
    if chance(30) {
      let (kind, isPause): (OperationKind, Bool) = (pick(["note", "other"]), chance(40))
      _ = try await both("\(isPause ? "pause" : "resume") \(kind)") { store in
        if isPause { try await store.pause(kind) } else { try await store.resume(kind) }
        return isPause
      }
      return
    }
    let lane: Lane = pick([.main, "side"])
    if chance(70) {
      let cause: LaneClosure.Cause? = pick([nil, nil, .paused, .needsUser, .throttled])
      _ = try await both("reopen") { try await $0.reopen(lane, closedFor: cause) == () }
    } else {
      let closure = LaneClosure(pick([.paused, .needsUser]), for: chance(30) ? .seconds(40) : nil)
      _ = try await both("close") { try await $0.close(lane, closure) == () }
    }
  }

  private mutating func crash() async throws {
    log.append("crash")
    held = []
    let (first, one) = try await memory.crash()
    let (second, other) = try await file.crash()
    try same("opening", one, other)
    memory = memory.with(first)
    file = file.with(second)
  }

  private mutating func compare() async throws {
    let names = ids
    let what = log.last ?? ""
    let first = try await memory.store.operations(after: nil, limit: 9_999)
    let second = try await file.store.operations(after: nil, limit: 9_999)
    try same("number of operations", first.map { name($0.id) }, second.map { name($0.id) })
    for (one, other) in zip(first, second) { try same("operation, \(what)", one, other) }
    let letters = try await memory.store.deadLetters(after: nil, limit: 9_999)
    let others = try await file.store.deadLetters(after: nil, limit: 9_999)
    try same(
      "dead letters", letters.map { "\(name($0.id)) \($0.reason) \($0.holdsKey)" },
      others.map { "\(name($0.id)) \($0.reason) \($0.holdsKey)" })
    try same(
      "snapshot", try await memory.store.snapshot(), try await file.store.snapshot())
    let ledger = try await memory.store.ledger()
    try same("ledger", ledger, try await file.store.ledger())
    try same("balance", ledger.isBalanced, true)
    try same(
      "conflicts", try await memory.store.conflicts().map { "\($0.remote ?? Data()) \($0.fields)" },
      try await file.store.conflicts().map { "\($0.remote ?? Data()) \($0.fields)" })
    for operation in first {
      try same(
        "latest of \(name(operation.id))", try await memory.store.latest(for: operation),
        try await file.store.latest(for: operation))
    }
    for id in names {
      try same(
        "outcome of \(name(id))", try await memory.store.outcome(id),
        try await file.store.outcome(id))
      try same(
        "attempts of \(name(id))", try await memory.store.attempts(of: id),
        try await file.store.attempts(of: id))
      try same(
        "obstacles of \(name(id))", try await memory.store.obstacles(id),
        try await file.store.obstacles(id))
    }
  }
}

extension Obstacle {
  fileprivate var isNoWorker: Bool {
    if case .noWorker = self { return true }
    return false
  }
}

extension OutboxError {
  fileprivate static func code(_ error: any Error) -> String {
    (error as? OutboxError)?.code.rawValue ?? "\(error)"
  }
}
