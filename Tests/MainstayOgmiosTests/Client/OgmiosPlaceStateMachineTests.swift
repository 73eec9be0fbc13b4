// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayHTTP
import MainstayTesting
import TestSupport
import Testing

@testable import MainstayOgmios

@Suite struct OgmiosPlaceStateMachineTests {
  private func point(_ slot: Int) -> OgmiosPoint { .block(slot: UInt64(slot), id: "b\(slot)") }

  private func step(_ json: String) -> OgmiosChainStep? {
    JSONValue(json: Data(json.utf8)).flatMap { value in
      try? OgmiosChainStep(OgmiosReader(value, method: "nextBlock"))
    }
  }

  private func forward(_ slot: Int) throws -> OgmiosChainStep {
    try #require(
      step(
        #"{"direction":"forward","tip":"origin","block":"#
          + #"{"id":"b\#(slot)","era":"conway","height":1,"slot":\#(slot)}}"#))
  }

  private func backward(_ slot: Int) throws -> OgmiosChainStep {
    try #require(
      step(
        #"{"direction":"backward","tip":"origin","point":{"id":"b\#(slot)","slot":\#(slot)}}"#))
  }

  @Test func `nobody who has not moved has anything to replay`() {
    let place = OgmiosPlaceStateMachine()
    #expect(place.chain == 0)
    #expect(place.cursor == .origin)
    #expect(place.replay == [.origin])
  }

  @Test func `points to agree on are the newest first, and then further apart`() throws {
    var place = OgmiosPlaceStateMachine()
    _ = place.intersected([point(1), .origin], at: point(1))
    for slot in 2...20 { _ = place.stepped(try forward(slot)) }
    #expect(place.cursor == point(20))
    #expect(place.replay == [20, 19, 18, 16, 12, 4, 1].map(point) + [.origin])
  }

  @Test func `a boundary of an epoch in Byron is a place too, though no slot is said`() throws {
    func boundary(_ id: String) throws -> OgmiosChainStep {
      try #require(
        step(
          #"{"direction":"forward","tip":"origin","block":"#
            + #"{"id":"\#(id)","era":"byron","type":"ebb","height":1}}"#))
    }
    var place = OgmiosPlaceStateMachine()
    _ = place.stepped(try boundary("e0"))
    #expect(place.cursor == .block(slot: 0, id: "e0"))
    _ = place.stepped(try forward(0))
    _ = place.stepped(try forward(21_599))
    _ = place.stepped(try boundary("e1"))
    #expect(place.cursor == .block(slot: 21_600, id: "e1"))
    #expect(place.replay.prefix(2) == [place.cursor, point(21_599)])
    _ = place.stepped(try boundary("e2"))
    #expect(place.cursor == .block(slot: 43_200, id: "e2"))
    // A server may say anything.
    let last = OgmiosPoint.block(slot: .max, id: "last")
    _ = place.intersected([], at: last)
    _ = place.stepped(try boundary("e3"))
    #expect(place.cursor == last)
  }

  @Test func `going back forgets what came after`() throws {
    var place = OgmiosPlaceStateMachine()
    for slot in 1...5 { _ = place.stepped(try forward(slot)) }
    _ = place.stepped(try backward(3))
    #expect(place.cursor == point(3))
    _ = place.stepped(try backward(99))
    #expect(place.replay == [point(99), .origin])
  }

  @Test func `going back to a place that is kept keeps what came before`() throws {
    var place = OgmiosPlaceStateMachine()
    for slot in 1...5 { _ = place.stepped(try forward(slot)) }
    _ = place.stepped(try backward(3))
    #expect(place.replay == [3, 2, 1].map(point) + [.origin])
  }

  @Test func `a step back is due until the first step after a start`() throws {
    var place = OgmiosPlaceStateMachine()
    #expect(place.isBackwardDue)
    _ = place.stepped(try backward(1))
    #expect(!place.isBackwardDue)
    _ = place.intersected([point(1)], at: point(1))
    #expect(place.isBackwardDue)
    _ = place.stepped(try forward(2))
    #expect(!place.isBackwardDue)
  }

  @Test func `only so much is kept as can be taken back`() throws {
    var place = OgmiosPlaceStateMachine()
    for slot in 1...3_000 { _ = place.stepped(try forward(slot)) }
    #expect(place.cursor == point(3_000))
    #expect(place.replay.count < 16)
    // The beginning is further away than any chain goes back, and the oldest block is not.
    #expect(place.replay.last == point(840))
    _ = place.intersected([point(5), .origin], at: point(5))
    #expect(place.replay == [point(5), .origin])
  }

  @Test func `a step back past all blocks that are kept is too far`() throws {
    var place = OgmiosPlaceStateMachine()
    for slot in 1...2_161 { _ = place.stepped(try forward(slot)) }
    // The chain may still end where it began.
    #expect(!place.isTooFar(.origin))
    _ = place.stepped(try forward(2_162))
    #expect(place.isTooFar(.origin))
    #expect(place.isTooFar(point(1)))
    #expect(!place.isTooFar(point(2)))
    // Whoever begins anew is told where that is.
    _ = place.intersected([.origin], at: .origin)
    #expect(!place.isTooFar(.origin))
  }

  @Test func `a place to begin at that no chain goes back to is not agreed on later`() throws {
    var place = OgmiosPlaceStateMachine()
    let near = point(1_000_000 - 129_600)
    let far = point(1_000_000 - 129_601)
    _ = place.intersected([point(1_000_000), near, far, .origin], at: point(1_000_000))
    #expect(place.replay == [point(1_000_000), near])
    _ = place.stepped(try forward(1_000_001))
    #expect(place.replay == [point(1_000_001), point(1_000_000)])
  }

  @Test func `each move has a number of its own`() throws {
    var place = OgmiosPlaceStateMachine()
    var numbers: [UInt64] = []
    for slot in 1...5 { numbers.append(place.stepped(try forward(slot))) }
    numbers.append(place.look(at: nil).number)
    numbers.append(place.acquiredMempool())
    #expect(Set(numbers).count == numbers.count)
    #expect(!numbers.contains(0))
  }

  @Test func `a view of any point takes another one after it has run out`() {
    var place = OgmiosPlaceStateMachine()
    let view = place.look(at: nil)
    place.acquired(view.number, at: point(7))
    #expect(place.ledger?.point == point(7))
    place.expired(view.number)
    #expect(place.ledger?.point == nil)
    let fixed = place.look(at: point(9))
    place.expired(fixed.number)
    #expect(place.ledger?.point == point(9))
    place.acquired(view.number, at: point(1))
    #expect(place.ledger?.point == point(9))
    place.abandoned(fixed.number, for: nil)
    #expect(place.ledger == nil)
  }

  @Test func `agreeing on a point is a move`() throws {
    var place = OgmiosPlaceStateMachine()
    let first = place.stepped(try forward(1))
    let second = place.intersected([point(1)], at: point(1))
    #expect(place.chain == second)
    #expect(second > first)
  }

  @Test func `a view of the ledger or of the mempool is had until it is given up`() {
    var place = OgmiosPlaceStateMachine()
    #expect(place.mempool == nil)
    let number = place.acquiredMempool()
    #expect(place.mempool == number)
    _ = place.look(at: nil)
    place.lookAway()
    #expect(place.ledger == nil)
    #expect(place.mempool == number)
    place.releasedMempool()
    #expect(place.mempool == nil)
  }

  @Test func `a connection is at the beginning, and moves with its caller alone`() {
    var connection = OgmiosPlaceStateMachine.Connection()
    #expect(connection.chain == 0)
    #expect(!connection.isMoving && !connection.isEchoExpected && !connection.hasLostView)
    // What came over another one moves this one nowhere.
    connection.moved(7)
    #expect(connection.chain == 0)
    connection.isMoving = true
    connection.moved(8)
    #expect(connection.chain == 8 && !connection.isMoving)
    connection.moved(9)
    #expect(connection.chain == 8)
    connection.mempool = 3
    connection.loseView()
    #expect(connection.mempool == nil && connection.hasLostView)
  }
}
