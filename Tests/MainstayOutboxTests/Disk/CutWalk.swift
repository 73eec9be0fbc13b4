// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting

/// A random life of a store on a disk whose power is cut again and again, beside a list of what the
/// disk may hold afterwards.
struct CutWalk {
  /// Where an operation is.
  enum Place: Hashable {
    case absent, pending, dead
    case ended(OutboxReceipt.Reason)
  }

  /// What is known of an operation.
  private struct Known {
    let new: NewOperation
    /// Those of one batch are enqueued at once.
    let batch: Int
    /// Where calls that returned left it; the first is where it is for certain.
    var places: [Place] = [.absent]
    /// Where the call might leave it that was not answered.
    var hoped: Set<Place> = []

    var place: Place { places.last ?? .absent }
  }

  let disk: FaultyDisk
  /// Whether what is promised survives a power cut; otherwise the app's connection says it may not.
  private let isSafe: Bool
  private let day = TimeOfDay()
  private var generator: SeededGenerator
  private var store: SQLiteStore
  private var host: DatabaseQueue?
  private var known: [Known] = []
  private var held: [LeasedOperation] = []
  private var number = 0
  private var batch = 0
  /// What must never happen, and did.
  private(set) var violations: [String] = []
  private(set) var cuts = 0
  /// How many operations were accepted, and how many of those were lost that may be.
  private(set) var accepted = 0
  private(set) var forgotten = 0

  init(seed: UInt64, isSafe: Bool = true, isLying: Bool = false) throws {
    disk = try FaultyDisk()
    self.isSafe = isSafe
    generator = SeededGenerator(seed: seed)
    store = SQLiteStore(at: disk.database)
    // An outbox takes its reserve where there is none, which takes time and is not at stake.
    disk.put(besideAs: "-reserve")
    disk.setLying(isLying)
  }

  /// Lives until the power was cut so often, and looks at what is left after each cut.
  mutating func run(cuts wanted: Int) async {
    while cuts < wanted, violations.isEmpty {
      // Many cuts hit the opening, which is short.
      disk.cut(at: Int.random(in: 1...(chance(40) ? 25 : 250), using: &generator))
      if await open() {
        await check()
        for _ in 0..<30 where !disk.isOff && violations.isEmpty { await step() }
      }
      await crash()
    }
    if violations.isEmpty, await open() { await check() }
    await leave()
  }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &generator) < percent
  }

  private mutating func violate(_ what: String) { violations.append("cut \(cuts): \(what)") }

  /// - Returns: Whether it is open; where the disk is good, it has to be.
  private mutating func open() async -> Bool {
    let day = day
    held = []
    do {
      if isSafe {
        store = SQLiteStore(at: disk.database, now: { day.now })
      } else {
        var configuration = Configuration.patient
        configuration.journalMode = .wal
        let queue = try DatabaseQueue(
          path: disk.database.path(percentEncoded: false), configuration: configuration)
        host = queue
        store = SQLiteStore(in: queue, now: { day.now })
      }
      let report = try await store.open()
      if let salvage = report.salvage { violate("it was taken for damaged: \(salvage)") }
      if !report.isBalanced { violate("the ledger does not balance at the opening") }
      return true
    } catch {
      if !disk.isOff { violate("opening threw \(error)") }
      return false
    }
  }

  /// Leaves the file as a process does that dies with the power.
  private mutating func crash() async {
    disk.cut(at: 0)
    await leave()
    do { try disk.restart(seed: generator.next()) } catch { violate("\(error)") }
    cuts += 1
    // Nobody synced the locks: they may be gone.
    if chance(50) {
      for lock in disk.companions where lock.hasPrefix("-owner-") { disk.remove(besideAs: lock) }
    }
    // Another run of the operating system would look for damage.
    if chance(50) { disk.put(besideAs: "-check") }
  }

  private mutating func leave() async {
    store.abandon()
    try? host?.close()
    host = nil
  }
}

// What it does.
extension CutWalk {
  private mutating func step() async {
    do {
      switch Int.random(in: 0..<100, using: &generator) {
      case 0..<40: try await insert()
      case 40..<60: try await claim()
      case 60..<82: try await settle()
      case 82..<87: try await cancel()
      case 87..<94: try await decide()
      case 94..<97:
        day.advance(by: .seconds(1))
        _ = try await store.promote(NewOperation.types)
      default:
        await store.close()
        await leave()
        _ = await open()
      }
    } catch {
      if !disk.isOff { violate("\(error) on a good disk") }
    }
  }

  /// Several at once share a commit, and each is of another key.
  private mutating func insert() async throws {
    let first = known.count
    batch += 1
    for key in ["a", "b", "c", nil].shuffled(using: &generator).prefix(
      Int.random(in: 1...3, using: &generator))
    {
      number += 1
      let text = "\(number)-" + String(repeating: "x", count: chance(10) ? 9000 : 20)
      let new = NewOperation.note(
        text, orderedBy: key, idempotencyKey: IdempotencyKey("key-\(number)") ?? .init())
      known.append(Known(new: new, batch: batch, hoped: [.pending]))
    }
    let (store, news) = (store, known[first...].map(\.new))
    let results = await withTaskGroup(of: (Int, (any Error)?).self) { group in
      for (offset, new) in news.enumerated() {
        group.addTask {
          do { _ = try await store.insert(new) } catch { return (first + offset, error) }
          return (first + offset, nil)
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    for (index, error) in results where error == nil {
      accepted += 1
      await returned(index, isFull: true)
    }
    if let error = results.lazy.compactMap(\.1).first { throw error }
  }

  private mutating func claim() async throws {
    let claimed = try await store.claim(
      Int.random(in: 1...3, using: &generator), isAlone: held.isEmpty)
    if !claimed.isEmpty { assure() }
    for leased in claimed {
      guard let index = index(of: leased.lease.id) else { return violate("it was never enqueued") }
      if known[index].place != .pending { violate("\(index) runs, and is \(known[index].place)") }
      guard let key = leased.operation.orderingKey else { continue }
      let earlier = known[..<index].firstIndex {
        $0.new.orderingKey == key && [.pending, .dead].contains($0.place)
      }
      if let earlier { violate("\(index) runs before \(earlier)") }
    }
    held += claimed
  }

  private mutating func settle() async throws {
    guard !held.isEmpty else { return }
    let leased = held.remove(at: Int.random(in: held.indices, using: &generator))
    guard let index = index(of: leased.lease.id) else { return }
    let (verdict, place): (OperationVerdict, Place) =
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<5: (OperationVerdict(.done), .ended(.done))
      case 5: (OperationVerdict(.ready, attempts: 1), .pending)
      case 6: (OperationVerdict(.scheduled(after: .seconds(1)), attempts: 1), .pending)
      case 7: (OperationVerdict(.dead(.refused, followers: .holdKey)), .dead)
      case 8: (OperationVerdict(.conflicted(remote: Data("theirs".utf8))), .pending)
      default: (OperationVerdict(.dropped), .ended(.dropped))
      }
    known[index].hoped = [place, .ended(.cancelled)]
    if try await !store.settle(leased.lease, verdict) { violate("\(index) lost its lease") }
    await returned(index, isFull: false)
  }

  private mutating func cancel() async throws {
    let pending = known.indices.filter { known[$0].place == .pending }
    guard let index = pending.randomElement(using: &generator) else { return }
    known[index].hoped = [.pending, .ended(.cancelled)]
    _ = try await store.cancel(known[index].new.id)
    await returned(index, isFull: true)
  }

  private mutating func decide() async throws {
    if let conflict = try await store.conflicts().first {
      guard let index = index(of: conflict.id) else { return violate("it was never enqueued") }
      known[index].hoped = [.ended(.dropped)]
      _ = try await store.resolve(conflict.id, with: .dropped)
      return await returned(index, isFull: true)
    }
    guard let index = known.firstIndex(where: { $0.place == .dead }) else { return }
    if chance(60) {
      known[index].hoped = [.pending]
      _ = try await store.redrive(known[index].new.id)
    } else {
      known[index].hoped = [.ended(.discarded)]
      _ = try await store.discard(known[index].new.id)
    }
    await returned(index, isFull: true)
  }

  private func index(of id: OperationID) -> Int? { known.firstIndex { $0.new.id == id } }
}

// What it may find.
extension CutWalk {
  /// A call about an operation was answered.
  private mutating func returned(_ index: Int, isFull: Bool) async {
    let hoped = known[index].hoped
    if let (place, _) = try? await place(of: index) {
      if !hoped.contains(place) { violate("\(index) is \(place) after a call") }
      known[index].places.append(place)
      known[index].hoped = []
      if isFull { assure() }
    } else if isFull, isSafe {
      // The power went after it, and it is in one of these places for certain.
      assure()
      known[index].places = Array(hoped)
    }
  }

  /// All that was answered is on the disk now.
  private mutating func assure() {
    guard isSafe else { return }
    for index in known.indices { known[index].places = [known[index].place] }
  }

  private func place(of index: Int) async throws -> (Place, DeadLetter.Reason?) {
    let id = known[index].new.id
    if let letter = try await store.deadLetter(id) { return (.dead, letter.reason) }
    if let outcome = try await store.outcome(id) { return (.ended(outcome.reason), nil) }
    return (try await store.operation(id) == nil ? .absent : .pending, nil)
  }

  /// Looks at what a cut has left.
  private mutating func check() async {
    do {
      let findings = try await store.findings()
      if !findings.isEmpty { violate(findings.joined(separator: "; ")) }
      let operations = try await store.operations(after: nil, limit: 10_000)
      let pending = Set(operations.map(\.id))
      var lost: (index: Int, batch: Int)?
      for index in known.indices {
        // Most of them are pending, and asking for each alone takes time.
        let isPending = pending.contains(known[index].new.id)
        let (place, reason) = isPending ? (.pending, nil) : try await self.place(of: index)
        let item = known[index]
        let allowed = item.hoped.union(item.places)
        // Who runs whenever the power goes is given up, as one that ends its process.
        let isGivenUp = reason == .crashed && allowed.contains(.pending)
        if !allowed.contains(place), !isGivenUp {
          violate("\(index) is \(place), which was \(item.places), or \(item.hoped)")
        }
        if place == .absent, item.place != .absent {
          forgotten += 1
          lost = lost ?? (index, item.batch)
        }
        if let lost, place != .absent, item.batch > lost.batch {
          violate("\(lost.index) is lost, and \(index) is there, which is newer")
        }
        known[index].places = [place]
        known[index].hoped = []
      }
      checkOrder(operations)
    } catch {
      // The power may go while it looks, too.
      if !disk.isOff { violate("looking threw \(error)") }
    }
    // What has ended for certain, or was never there, would be seen if it came back.
    known.removeAll { ![.pending, .dead].contains($0.place) }
  }

  private mutating func checkOrder(_ operations: [StoredOperation]) {
    for key in ["a", "b", "c", nil] {
      let ids = operations.filter { $0.orderingKey == key }.map(\.id)
      let order = ids.compactMap { index(of: $0) }
      if order.count < ids.count { violate("\(key ?? "") has what cannot be there") }
      if key != nil, order != order.sorted() { violate("\(key ?? "") is out of order: \(order)") }
    }
  }
}
