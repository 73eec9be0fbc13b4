// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

@Suite struct CacheSessionStateMachineTests {
  private typealias Session = CacheSessionStateMachine<Int>
  private let key = CacheEntry.Key("a", of: .everybody)

  @Test func `one load at a time goes on behind the answers of a key`() {
    var session = Session()
    let flight = session.flight(key, isForced: false)
    let (first, second) = (session.beginRevalidating(flight), session.beginRevalidating(flight))
    #expect(first && !second)
    _ = session.invalidate()
    #expect(session.flight(key, isForced: false) != flight)
    session.endRevalidating(flight)
    let third = session.beginRevalidating(flight)
    #expect(third)
  }

  @Test(.requirement("O39")) func `after the end nothing is watched or begun`() {
    var session = Session()
    #expect(session.watch(key, 7) != nil)
    let flight = session.flight(key, isForced: false)
    #expect(session.end() == [7] && session.isEnded)
    #expect(session.counts.watched == 0 && session.kept(key) == [])
    #expect(session.watch(key, 8) == nil)
    let begins = session.beginRevalidating(flight)
    #expect(!begins)
    #expect(session.flight(key, isForced: false) != flight)
  }

  @Test func `what ends without a beginning counts for nothing`() {
    var session = Session()
    #expect(session.endLoading(key, .cancelled) == [] && session.counts.loading == 0)
  }

  @Test func `something newer takes the reason of an older failure away`() {
    var session = Session()
    _ = session.watch(key, 7)
    _ = session.beginLoading(key)
    _ = session.endLoading(key, .failed(.http(status: 503, isRepeatable: true)))
    #expect(session.reason(key).failure != nil)
    #expect(session.kept(key) == [7] && session.reason(key).failure == nil)
  }

  @Test func `after a change nobody shares a load of that key from before`() {
    var session = Session()
    let (one, other) = (key, CacheEntry.Key("b", of: .everybody))
    let flights = [one, other].map { session.flight($0, isForced: false) }
    _ = session.kept(one)
    #expect(flights == [one, other].map { session.flight($0, isForced: false) })
    _ = session.beginLoading(one)
    _ = session.kept(other)
    #expect(session.flight(one, isForced: false) == flights[0], "that was about another key")
    _ = session.kept(one)
    #expect(session.flight(one, isForced: false) != flights[0])
  }

  /// Random steps against the plainest bookkeeping: nothing is left over, and nobody is missed.
  @Test func `a random walk loses nobody and leaves nothing behind`() {
    for seed in 0..<RandomDose.schedules {
      var random = SplitMix64(seed: seed)
      var session = Session()
      var watching: [(id: UInt64, key: CacheEntry.Key, watcher: Int)] = []
      var loading: [CacheEntry.Key] = []
      var failed: [CacheEntry.Key: Bool] = [:]
      for step in 0..<40 {
        let key = CacheEntry.Key(["a", "b"][Int.random(in: 0...1, using: &random)], of: .everybody)
        let told = watching.filter { $0.key == key }.map(\.watcher).sorted()
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1:
          guard let id = session.watch(key, step) else { continue }
          watching.append((id, key, step))
        case 2:
          guard !watching.isEmpty else { continue }
          let gone = watching.remove(at: Int.random(in: 0..<watching.count, using: &random))
          session.unwatch(gone.key, gone.id)
          if !watching.contains(where: { $0.key == gone.key }) { failed[gone.key] = nil }
        case 3, 4:
          #expect(session.beginLoading(key).sorted() == told, "seed \(seed)")
          loading.append(key)
        case 5:
          guard let index = loading.firstIndex(of: key) else { continue }
          loading.remove(at: index)
          let fails = Bool.random(using: &random)
          let ending: Session.Ending =
            fails ? .failed(.http(status: 503, isRepeatable: true)) : .brought
          #expect(session.endLoading(key, ending).sorted() == told, "seed \(seed)")
          if !told.isEmpty { failed[key] = fails }
        default:
          #expect(session.invalidate().sorted() == watching.map(\.watcher).sorted())
        }
        let reason = session.reason(key)
        #expect(reason.isLoading == loading.contains(key), "seed \(seed)")
        #expect((reason.failure != nil) == (failed[key] ?? false), "seed \(seed)")
      }
      for left in watching { session.unwatch(left.key, left.id) }
      for left in loading { _ = session.endLoading(left, .cancelled) }
      #expect(session.counts == (0, 0, 0), "seed \(seed)")
    }
  }
}
