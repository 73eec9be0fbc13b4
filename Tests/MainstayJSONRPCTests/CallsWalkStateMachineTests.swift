// SPDX-License-Identifier: Apache-2.0

import Mainstay
import TestSupport
import Testing

@testable import MainstayJSONRPC

/// Random schedules of everything that callers, servers and connections do.
@Suite(.ends(withinMinutes: 5)) struct CallsWalkStateMachineTests {
  typealias Machine = CallsStateMachine

  /// One schedule, and what is known from outside.
  private struct Walk {
    var random: SplitMix64
    var machine: Machine
    var endings: [Machine.Ticket: Int] = [:]
    var sent: Set<Machine.Bundle> = []
    var ids: [JSONRPCID] = []
    var tickets: [Machine.Ticket] = []
    var connection = 0
    var faults: [String] = []

    init(seed: UInt64) {
      random = SplitMix64(seed: seed)
      machine = Machine(
        Machine.Limits(
          inFlight: 1 + Int(seed % 4), waiting: Int(seed / 4 % 7), endsUnreadable: seed % 3 == 0))
    }

    mutating func take(_ effects: [Machine.Effect]) {
      for effect in effects {
        switch effect {
        case .send(let bundle):
          if machine.connection == 0 { faults.append("sent without a connection") }
          sent.insert(bundle)
        case .end(let ticket, _): endings[ticket, default: 0] += 1
        case .giveUp(let bundle):
          if !sent.contains(bundle) { faults.append("gave up what was not sent") }
        case .stray: break
        case .breakOff: take(machine.ended())
        }
      }
    }

    mutating func submit() {
      let calls = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        let ticket = UInt64(tickets.count + 1)
        tickets.append(ticket)
        let isOld = !ids.isEmpty && Int.random(in: 0..<20, using: &random) == 0
        var id: JSONRPCID? = isOld ? ids.randomElement(using: &random) : JSONRPCID(Int(ticket))
        if Int.random(in: 0..<8, using: &random) == 0 { id = nil }
        if let id { ids.append(id) }
        return Machine.Call(ticket: ticket, id: id)
      }
      let isMeant = Int.random(in: 0..<10, using: &random) == 0
      take(machine.submit(calls, for: isMeant ? connection : nil))
    }

    mutating func act() {
      let id = ids.randomElement(using: &random) ?? .null
      let ticket = tickets.randomElement(using: &random) ?? 0
      let bundle = sent.randomElement(using: &random) ?? 0
      switch Int.random(in: 0..<18, using: &random) {
      case 0...4: submit()
      case 5...7: take(machine.answer(id))
      case 8: take(machine.answer(id, in: bundle))
      case 9: take(machine.cancel(ticket))
      case 10: take(machine.expire(ticket))
      case 11:
        connection += 1
        take(machine.opened(connection, isRestored: Bool.random(using: &random)))
      case 12: take(machine.ended())
      case 13: take(machine.anonymousError(in: Bool.random(using: &random) ? bundle : nil))
      case 14: take(machine.unreadable("?", in: Bool.random(using: &random) ? bundle : nil))
      case 15: take(machine.batchEnded(machine.bundle(of: id).map { [$0] } ?? []))
      case 16: take(machine.written(bundle))
      default:
        take(machine.returned(bundle, by: Int.random(in: 0...connection, using: &random)))
      }
      check()
    }

    mutating func check() {
      let onTheirWay = machine.parcels.values.filter(\.isSent).map(\.tickets.count).reduce(0, +)
      let waiting = machine.parcels.values.filter { !$0.isSent }.map(\.tickets.count).reduce(0, +)
      if machine.inFlight != onTheirWay { faults.append("the count of those on their way") }
      if machine.waiting != waiting { faults.append("the count of those that wait") }
      if machine.entries.count != onTheirWay + waiting { faults.append("the count of entries") }
      if endings.values.contains(where: { $0 > 1 }) { faults.append("a call ended twice") }
      let live = Set(machine.entries.keys)
      if !live.isDisjoint(with: endings.keys) { faults.append("a call goes on after its end") }
      if live.count + endings.count != tickets.count { faults.append("a call is lost") }
    }
  }

  @Test(.requirement("T16")) func `every call ends exactly once, in every schedule`() {
    for seed in 0..<RandomDose.schedules {
      var walk = Walk(seed: seed)
      for _ in 0..<60 where walk.faults.isEmpty { walk.act() }
      walk.take(walk.machine.close())
      walk.check()
      #expect(walk.faults.isEmpty, "seed \(seed): \(walk.faults)")
      #expect(walk.endings.count == walk.tickets.count, "seed \(seed)")
      guard walk.faults.isEmpty else { return }
    }
  }

  @Test func `what waits is sent as soon as it can be`() {
    for seed in 0..<RandomDose.schedules / 10 {
      var walk = Walk(seed: seed)
      for _ in 0..<60 { walk.act() }
      walk.take(walk.machine.ended())
      // A server that answers all it gets leaves nobody waiting.
      walk.connection += 1
      walk.take(walk.machine.opened(walk.connection, isRestored: true))
      for _ in 0..<walk.tickets.count where walk.machine.waiting > 0 {
        for (ticket, entry) in walk.machine.entries
        where walk.machine.parcels[entry.bundle]?.isSent == true {
          if let id = entry.id {
            walk.take(walk.machine.answer(id))
          } else {
            walk.take(walk.machine.written(entry.bundle))
          }
          _ = ticket
        }
      }
      #expect(walk.machine.waiting == 0, "seed \(seed)")
    }
  }
}
