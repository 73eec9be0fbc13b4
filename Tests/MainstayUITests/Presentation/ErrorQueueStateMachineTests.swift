// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@testable import MainstayUI

@Suite struct ErrorQueueStateMachineTests {
  private typealias Queue = ErrorQueueStateMachine

  private func entry(_ severity: Severity = .error, _ style: Queue.Style = .overlay) -> Queue.Entry
  {
    Queue.Entry(id: UUID(), style: style, severity: severity)
  }

  @Test func `it gathers, shows, rests and is empty`() {
    var queue = Queue(capacity: 5, gathering: .seconds(1), gap: .seconds(2))
    let (mild, bad) = (entry(.warning), entry(.critical))
    #expect(queue.add(mild, now: .zero) == nil)
    #expect(queue.overlay == .gathering(until: .seconds(1)))
    #expect(queue.add(bad, now: .milliseconds(500)) == nil)
    queue.advance(to: .milliseconds(999))
    #expect(queue.overlay == .gathering(until: .seconds(1)), "the wait does not grow")
    queue.advance(to: .seconds(1))
    #expect(queue.shown(.overlay) == bad.id && queue.nextChange == nil)
    queue.remove([bad.id], now: .seconds(10))
    #expect(queue.overlay == .resting(until: .seconds(12)) && queue.nextChange == .seconds(12))
    queue.advance(to: .seconds(12))
    #expect(queue.shown(.overlay) == mild.id, "what has waited does not gather again")
    queue.remove([mild.id], now: .seconds(13))
    queue.advance(to: .seconds(15))
    #expect(queue.overlay == .empty && queue.entries.isEmpty)
  }

  @Test func `what comes while a place rests waits for its end`() {
    var queue = Queue(capacity: 5, gathering: .zero, gap: .seconds(2))
    let (first, second) = (entry(), entry())
    _ = queue.add(first, now: .zero)
    queue.remove([first.id], now: .seconds(1))
    _ = queue.add(second, now: .seconds(2))
    #expect(queue.shown(.overlay) == nil)
    queue.advance(to: .seconds(3))
    #expect(queue.shown(.overlay) == second.id)
  }

  @Test func `one that becomes worse while it waits is sooner`() {
    var queue = Queue(capacity: 5, gathering: .zero, gap: .zero)
    let entries = [entry(), entry(.error), entry(.warning)]
    for entry in entries { _ = queue.add(entry, now: .zero) }
    queue.raise(entries[2].id, to: .critical)
    queue.raise(entries[2].id, to: .info)
    queue.remove([entries[0].id], now: .zero)
    #expect(queue.shown(.overlay) == entries[2].id)
  }

  @Test func `what is shown at once needs no room among those that wait`() {
    var queue = Queue(capacity: 2, gathering: .zero, gap: .zero)
    for _ in 0..<2 { #expect(queue.add(entry(), now: .zero) == nil) }
    #expect(!queue.hasRoom(.overlay, .error) && queue.hasRoom(.overlay, .critical))
    #expect(queue.hasRoom(.banner, .info))
    let banner = entry(.info, .banner)
    #expect(queue.add(banner, now: .zero) != nil)
    #expect(queue.shown(.banner) == banner.id && queue.entries.count == 2)
    #expect(!queue.hasRoom(.banner, .error))
  }

  @Test func `what stands under a field takes no room, and is not dropped for another`() {
    var queue = Queue(capacity: 2, fieldCapacity: 3, gathering: .zero, gap: .zero)
    let fields = (0..<3).map { _ in entry(.info, .field) }
    for field in fields { #expect(queue.add(field, now: .zero) == nil) }
    for _ in 0..<2 { #expect(queue.add(entry(), now: .zero) == nil) }
    let milder = entry(.warning)
    #expect(!queue.hasRoom(.overlay, .warning) && queue.add(milder, now: .zero) == milder.id)
    let late = entry(.critical, .field)
    #expect(!queue.hasRoom(.field, .critical) && queue.add(late, now: .zero) == late.id)
    #expect(queue.entries.prefix(3).map(\.id) == fields.map(\.id))
    queue.remove([fields[0].id], now: .zero)
    #expect(queue.add(late, now: .zero) == nil)
  }

  @Test func `what is put away together is never shown for it`() {
    var queue = Queue(capacity: 5, gathering: .zero, gap: .zero)
    let entries = [entry(), entry(.critical), entry(.warning)]
    for entry in entries { _ = queue.add(entry, now: .zero) }
    queue.remove([entries[0].id, entries[1].id], now: .zero)
    #expect(queue.shown(.overlay) == entries[2].id && queue.entries.count == 1)
  }

  /// Random walks, whose invariants hold after every step.
  @Test func `there is never more than one in a place, nor one forgotten`() {
    for seed in 0..<UInt64(RandomDose.cases) { walk(seed) }
  }

  private func walk(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let gathering = Duration.milliseconds([0, 50].randomElement(using: &random) ?? 0)
    let gap = Duration.milliseconds([0, 300].randomElement(using: &random) ?? 0)
    var queue = Queue(capacity: 6, fieldCapacity: 4, gathering: gathering, gap: gap)
    var now = Duration.zero
    var known: Set<UUID> = []
    for _ in 0..<200 {
      let before = Queue.places.map { queue.shown($0) }
      var removed: UUID?
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        let style: Queue.Style =
          [.overlay, .banner, .field].randomElement(using: &random) ?? .field
        let new = entry([.info, .error, .critical].randomElement(using: &random) ?? .error, style)
        known.insert(new.id)
        let hasRoom = queue.hasRoom(style, new.severity)
        let dropped = queue.add(new, now: now)
        if let dropped { known.remove(dropped) }
        if !hasRoom { #expect(dropped == new.id, "seed \(seed)") }
      case 2, 3:
        removed = known.randomElement(using: &random)
        if let removed {
          queue.remove([removed], now: now)
          known.remove(removed)
        }
      default:
        now += .milliseconds(Int.random(in: 0...400, using: &random))
        queue.advance(to: now)
      }
      check(queue, known, before, removed, now, "seed \(seed)")
    }
  }

  private func check(
    _ queue: Queue, _ known: Set<UUID>, _ before: [UUID?], _ removed: UUID?, _ now: Duration,
    _ seed: Comment
  ) {
    #expect(Set(queue.entries.map(\.id)) == known, seed)
    let underFields = queue.entries.count { $0.style == .field }
    #expect(underFields <= 4 && queue.entries.count - underFields <= 6, seed)
    for (style, old) in zip(Queue.places, before) {
      let waiting = queue.entries.contains { $0.style == style }
      if let shown = queue.shown(style) {
        #expect(queue.entries.contains { $0.id == shown && $0.style == style }, seed)
      } else if waiting {
        #expect(queue.nextChange.map { $0 > now } == true, "somebody waits for nothing; \(seed)")
      }
      if let old, old != removed { #expect(queue.shown(style) == old, "changed under a finger") }
    }
  }
}
