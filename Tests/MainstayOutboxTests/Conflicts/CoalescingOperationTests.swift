// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// The identities of the usual algebra: making and deleting is nothing, of two settings the last
/// stands, additions add up.
enum EditCount: CoalescingOperation, Equatable {
  static let kind: OperationKind = "edit-count"
  case create, delete
  case set(Int), add(Int)

  func coalesced(with later: EditCount) -> Coalesced<EditCount> {
    switch (self, later) {
    case (.create, .delete): .annihilate
    case (.set, .set), (.add, .set), (.set, .delete), (.add, .delete): .replace(by: later)
    case (.set(let a), .add(let b)): .replace(by: .set(a + b))
    case (.add(let a), .add(let b)): a + b == 0 ? .annihilate : .replace(by: .add(a + b))
    default: .keepBoth
    }
  }

  static func random(using generator: inout SeededGenerator) -> EditCount {
    let number = Int.random(in: -2...2, using: &generator)
    return [.create, .delete, .set(number), .add(number)].randomElement(using: &generator)
      ?? .delete
  }

  /// An app deletes only what is there, and makes only what is not.
  static func isPossible(_ count: Int?, _ edit: EditCount) -> Bool {
    edit == .create ? count == nil : count != nil
  }

  static func apply(_ count: inout Int?, _ edit: EditCount) {
    switch edit {
    case .create: count = 0
    case .delete: count = nil
    case .set(let number): count = number
    case .add(let number): count = count.map { $0 + number }
    }
  }
}

@Suite(.requirement("C21")) struct CoalescingOperationTests {
  @Test(
    arguments: [
      ([], []), ([.create, .delete], []), ([.set(1), .set(2), .set(3)], [.set(3)]),
      ([.add(1), .add(2)], [.add(3)]), ([.set(1), .add(2)], [.set(3)]), ([.add(1), .add(-1)], []),
      ([.create, .set(1)], [.create, .set(1)]), ([.delete, .create], [.delete, .create]),
      // What comes out meets its neighbour, and so does what stood behind what is gone.
      ([.create, .set(1), .add(2), .delete], []),
      (
        [.delete, .create, .delete, .create],
        [
          .delete, .create,
        ]
      ), ([.add(5), .create, .delete, .add(5)], [.add(10)]),
      ([.set(7), .create, .delete], [.set(7)]),
    ] as [([EditCount], [EditCount])])
  func `neighbours are put together, until none can be`(
    edits: [EditCount], compacted: [EditCount]
  ) {
    #expect(edits.compacted() == compacted)
    #expect(compacted.compacted() == compacted)
  }

  /// Law 12.
  @Test func `fewer operations do the same`() {
    let law = CompactionLaw<EditCount, Int?>(
      operation: { .random(using: &$0) },
      state: { Bool.random(using: &$0) ? Int.random(in: 0...3, using: &$0) : nil },
      apply: EditCount.apply, isPossible: EditCount.isPossible)
    #expect(law.violations(cases: RandomDose.cases, seed: 1) == [])
  }

  @Test func `a wrong identity is found, and cut to what shows it`() throws {
    let law = CompactionLaw<Wrong, Int>(
      operation: {
        Bool.random(using: &$0) ? .set(.random(in: 0...3, using: &$0)) : .double
      },
      state: { .random(in: 1...3, using: &$0) },
      apply: { value, wrong in
        if case .set(let number) = wrong { value = number } else { value *= 2 }
      })
    let violations = law.violations(cases: 200, seed: 1)
    let violation = try #require(violations.first)
    #expect(violation.law == "fewer operations do the same")
    // Two of them do something else than one; nothing more is needed to show it.
    #expect(violations.allSatisfy { $0.details.split(separator: "double").count == 4 })
    #expect(violations.allSatisfy { !$0.details.contains("set") })
    #expect(law.violations(cases: 1, seed: violation.seed) == [violation])
  }

  enum Wrong: CoalescingOperation {
    static let kind: OperationKind = "wrong"
    case set(Int), double

    func coalesced(with later: Wrong) -> Coalesced<Wrong> {
      if case .double = self, case .double = later { return .replace(by: .double) }
      return .keepBoth
    }
  }

  @Test func `operations that cannot happen are no case`() {
    let law = CompactionLaw<EditCount, Int?>(
      operation: { .random(using: &$0) }, state: { _ in nil }, apply: EditCount.apply)
    #expect(!law.violations(cases: 500).isEmpty)
  }

  @Test func `payloads are put together as their operations are`() throws {
    func payload(_ edit: EditCount) throws -> Data { try JSONEncoder().encode(edit) }
    let replaced = try EditCount.coalesced(payload(.add(1)), with: payload(.add(2)))
    guard case .replace(let data) = replaced else {
      Issue.record("\(replaced)")
      return
    }
    #expect(try JSONDecoder().decode(EditCount.self, from: data) == .add(3))
    #expect(try EditCount.coalesced(payload(.create), with: payload(.delete)) == .annihilate)
    #expect(try EditCount.coalesced(payload(.delete), with: payload(.create)) == .keepBoth)
    for (one, other) in [(Data(), try payload(.create)), (try payload(.create), Data([0]))] {
      #expect(throws: (any Error).self) { try EditCount.coalesced(one, with: other) }
    }
  }

  @Test(.requirement("O23"), arguments: OperationState.allCases)
  func `only what nobody has and nobody got may be changed`(state: OperationState) {
    for effect in EffectCertainty.allCases {
      let operation = StoredOperation(
        id: OperationID(UUID()), type: PayloadType(kind: "edit-count", version: 1), lane: .main,
        orderingKey: "a", idempotencyKey: IdempotencyKey(), payload: Data(), state: state,
        effect: effect, enqueued: .distantPast)
      let isFree = [.ready, .scheduled, .blocked, .waiting].contains(state)
      #expect(operation.isUntouched == (isFree && effect == .notSent))
    }
  }
}
