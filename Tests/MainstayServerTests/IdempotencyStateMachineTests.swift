// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@testable import MainstayServer

/// What a process remembers of requests with a key.
@Suite struct IdempotencyStateMachineTests {
  private let one = Data([1])
  private let two = Data([2])
  private var machine = IdempotencyStateMachine(
    lifetime: .seconds(60), maximumCount: 3, maximumBytes: 1000)

  private func answer(_ size: Int = 10) -> StoredAnswer {
    StoredAnswer(status: 201, fields: [:], body: Data(count: size))
  }

  @Test mutating func `a request is handled once, and then repeated`() {
    #expect(machine.begin("a", one, at: .zero) == .handle(claim: 1))
    #expect(machine.begin("a", one, at: .seconds(1)) == .running)
    #expect(machine.begin("a", two, at: .seconds(1)) == .mismatch)
    machine.end("a", 1, with: answer(), at: .seconds(2))
    #expect(machine.begin("a", one, at: .seconds(3)) == .replay(answer()))
    #expect(machine.begin("a", two, at: .seconds(3)) == .mismatch)
  }

  @Test mutating func `one that failed may be made again, also as another`() {
    #expect(machine.begin("a", one, at: .zero) == .handle(claim: 1))
    machine.end("a", 1, with: nil, at: .zero)
    #expect(machine.begin("a", two, at: .zero) == .handle(claim: 2))
  }

  @Test mutating func `a claim that is not the last one changes nothing`() {
    _ = machine.begin("a", one, at: .zero)
    machine.end("a", 1, with: nil, at: .zero)
    _ = machine.begin("a", one, at: .zero)
    machine.end("a", 1, with: answer(), at: .zero)
    #expect(machine.begin("a", one, at: .zero) == .running)
  }

  @Test mutating func `an answer is forgotten after its lifetime, and not before`() {
    _ = machine.begin("a", one, at: .zero)
    machine.end("a", 1, with: answer(), at: .seconds(5))
    #expect(machine.begin("a", one, at: .seconds(64)) == .replay(answer()))
    #expect(machine.begin("a", one, at: .seconds(65)) == .handle(claim: 2))
    #expect(machine.bytes == 0)
    #expect(machine.takeEvicted() == 0, "its time was over")
  }

  @Test mutating func `what nobody ended is taken over after the lifetime`() {
    _ = machine.begin("a", one, at: .zero)
    #expect(machine.begin("a", two, at: .seconds(60)) == .handle(claim: 2))
    machine.end("a", 1, with: answer(), at: .seconds(61))
    #expect(machine.begin("a", two, at: .seconds(62)) == .running)
  }

  @Test mutating func `the same request is made again after the lifetime, and not before`() {
    _ = machine.begin("a", one, at: .zero)
    #expect(machine.begin("a", one, at: .seconds(59)) == .running)
    #expect(machine.begin("a", one, at: .seconds(60)) == .handle(claim: 2))
  }

  @Test mutating func `an answer that just fits is kept whole`() {
    _ = machine.begin("a", one, at: .zero)
    machine.end("a", 1, with: answer(800), at: .zero)
    #expect(machine.bytes == 1000)
    #expect(machine.begin("a", one, at: .zero) == .replay(answer(800)))
    #expect(machine.takeEvicted() == 0)
  }

  @Test func `an answer weighs its body, its fields and something for itself`() {
    #expect(StoredAnswer(status: 204, fields: [:], body: nil).weight == 200)
    #expect(StoredAnswer(status: 200, fields: ["ab": "cde"], body: Data(count: 10)).weight == 215)
  }

  @Test func `the order of answers that are gone is forgotten, however many they were`() {
    var machine = IdempotencyStateMachine(
      lifetime: .seconds(60), maximumCount: 300, maximumBytes: 1_000_000)
    for number in 1...200 {
      _ = machine.begin("\(number)", one, at: .zero)
      machine.end("\(number)", UInt64(number), with: answer(), at: .zero)
    }
    for number in 201...800 {
      let now = Duration.seconds(60 * (number - 200))
      #expect(machine.begin("\(number)", one, at: now) == .handle(claim: UInt64(number)))
      machine.end("\(number)", UInt64(number), with: answer(), at: now)
      #expect(machine.count == 1)
      #expect(machine.order.count <= 130)
    }
  }

  @Test mutating func `the oldest answer makes room, and what runs does not`() {
    for (claim, key) in ["a", "b", "c"].enumerated() {
      #expect(machine.begin(key, one, at: .zero) == .handle(claim: UInt64(claim + 1)))
    }
    #expect(machine.begin("d", one, at: .zero) == nil)
    machine.end("b", 2, with: answer(), at: .zero)
    #expect(machine.takeEvicted() == 0)
    #expect(machine.begin("d", one, at: .zero) == .handle(claim: 4))
    #expect(machine.takeEvicted() == 1)
    #expect(machine.takeEvicted() == 0, "it was told")
    #expect(machine.begin("b", one, at: .zero) == nil)
    #expect(machine.count == 3)
  }

  @Test mutating func `answers stay within their bytes, and one that never fits loses its body`() {
    for (claim, key) in ["a", "b"].enumerated() {
      _ = machine.begin(key, one, at: .zero)
      machine.end(key, UInt64(claim + 1), with: answer(500), at: .zero)
    }
    #expect(machine.bytes <= 1000)
    #expect(machine.takeEvicted() == 1)
    #expect(machine.begin("b", one, at: .zero) == .replay(answer(500)))
    _ = machine.begin("c", one, at: .zero)
    machine.end("c", 3, with: answer(5000), at: .zero)
    let lost = StoredAnswer(status: 201, fields: [:], body: nil)
    #expect(machine.begin("c", one, at: .zero) == .replay(lost))
  }

  @Test(arguments: 0..<20) func `any order of calls keeps the bounds, and no key runs twice`(
    seed: UInt64
  ) {
    var generator = SeededGenerator(seed: seed)
    var machine = IdempotencyStateMachine(
      lifetime: .seconds(20), maximumCount: 5, maximumBytes: 2000)
    var running: [String: (claim: UInt64, since: Duration)] = [:]
    // What was answered and is remembered, the oldest first: that makes room before any other.
    var answered: [(key: String, at: Duration)] = []
    var now = Duration.zero
    for _ in 0..<5000 {
      now += .seconds(Int.random(in: 0...2, using: &generator))
      let key = String(Int.random(in: 0..<8, using: &generator))
      if Bool.random(using: &generator) {
        let fingerprint = Data([UInt8.random(in: 0...1, using: &generator)])
        answered.removeAll { now - $0.at >= .seconds(20) }
        let isAnswered = answered.contains { $0.key == key }
        switch machine.begin(key, fingerprint, at: now) {
        case .handle(let claim)?:
          #expect(!isAnswered, "it runs twice")
          if let other = running[key] { #expect(now - other.since >= .seconds(20)) }
          running[key] = (claim, now)
        case .replay?: #expect(isAnswered)
        case .running?: #expect(running[key] != nil)
        case .mismatch?: #expect(isAnswered || running[key] != nil)
        case nil: #expect(running.count == 5)
        }
      } else if let mine = running.removeValue(forKey: key) {
        let size = Int.random(in: 0...3000, using: &generator)
        let isKept = Bool.random(using: &generator)
        machine.end(key, mine.claim, with: isKept ? answer(size) : nil, at: now)
        if isKept { answered.append((key, now)) }
      }
      answered = Array(answered.dropFirst(machine.takeEvicted()))
      #expect(machine.count <= 5)
      #expect((0...2000).contains(machine.bytes))
    }
  }
}
