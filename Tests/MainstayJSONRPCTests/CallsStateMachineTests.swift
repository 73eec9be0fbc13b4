// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayHTTP
import TestSupport
import Testing

@testable import MainstayJSONRPC

/// The books of calls: every call ends exactly once, whatever comes in whatever order.
@Suite struct CallsStateMachineTests {
  typealias Machine = CallsStateMachine

  private func machine(inFlight: Int = 2, waiting: Int = 10, up: Bool = true) -> Machine {
    var machine = Machine(Machine.Limits(inFlight: inFlight, waiting: waiting))
    if up { _ = machine.opened(1, isRestored: true) }
    return machine
  }

  private func call(_ number: Int) -> Machine.Call {
    Machine.Call(ticket: UInt64(number), id: JSONRPCID(number))
  }

  @Test func `answers come in any order`() {
    var machine = machine()
    #expect(machine.submit([call(1)]) == [.send(1)])
    #expect(machine.submit([call(2)]) == [.send(2)])
    #expect(machine.answer(JSONRPCID(2)) == [.end(2, .answered)])
    #expect(machine.answer(JSONRPCID(1)) == [.end(1, .answered)])
    #expect(machine.inFlight == 0)
  }

  @Test func `only so many are on their way, the rest waits its turn or is refused`() {
    var machine = machine(inFlight: 1, waiting: 1)
    #expect(machine.submit([call(1)]) == [.send(1)])
    #expect(machine.submit([call(2)]) == [])
    #expect(machine.submit([call(3)]) == [.end(3, .full)])
    #expect(machine.answer(JSONRPCID(1)) == [.end(1, .answered), .send(2)])
  }

  @Test func `answers for nobody are told, by what they are`() {
    var machine = machine()
    _ = machine.submit([call(1)])
    #expect(machine.expire(1) == [.end(1, .timedOut(wasSent: true)), .giveUp(1)])
    #expect(machine.answer(JSONRPCID(1)) == [.stray(.late)])
    #expect(machine.answer(JSONRPCID(1)) == [.stray(.duplicate)])
    #expect(machine.answer(JSONRPCID(7)) == [.stray(.unknown)])
    _ = machine.submit([call(2)])
    _ = machine.answer(JSONRPCID(2))
    #expect(machine.answer(JSONRPCID(2)) == [.stray(.duplicate)])
  }

  @Test func `an answer before the call was sent is for nobody`() {
    var machine = machine(up: false)
    #expect(machine.submit([call(1)]) == [])
    #expect(machine.answer(JSONRPCID(1)) == [.stray(.unknown)])
    #expect(machine.opened(1, isRestored: true) == [.send(1)])
    #expect(machine.answer(JSONRPCID(1)) == [.end(1, .answered)])
  }

  @Test(.requirement("D3")) func `a lost connection ends what was sent and keeps what was not`() {
    var machine = machine(inFlight: 1)
    _ = machine.submit([call(1)])
    _ = machine.submit([call(2)])
    #expect(machine.ended() == [.end(1, .lost(wasSent: true))])
    #expect(machine.answer(JSONRPCID(1)) == [.stray(.unknown)])
    #expect(machine.opened(2, isRestored: false) == [])
    #expect(machine.submit([call(3)], for: 2) == [.send(3)])
    #expect(machine.answer(JSONRPCID(3)) == [.end(3, .answered)])
    #expect(machine.opened(2, isRestored: true) == [.send(2)])
  }

  @Test func `a connection that ends with several messages on it may have ended over any`() {
    var machine = machine()
    for number in 1...2 { _ = machine.submit([call(number)]) }
    #expect(
      machine.ended() == [
        .end(1, .lost(wasSent: true, isShared: true)),
        .end(2, .lost(wasSent: true, isShared: true)),
      ])
  }

  @Test func `what is meant for a connection that is gone is not sent to another one`() {
    var machine = machine()
    #expect(machine.submit([call(1)], for: 4) == [.end(1, .lost(wasSent: false))])
  }

  @Test func `what certainly has not left goes again, first`() {
    var machine = machine(inFlight: 1)
    _ = machine.submit([call(1)])
    _ = machine.submit([call(2)])
    #expect(machine.returned(1, by: 1) == [])
    #expect(machine.ended() == [])
    #expect(machine.opened(2, isRestored: true) == [.send(1)])
  }

  @Test func `what came back by an older connection goes over the new one at once`() {
    var machine = machine()
    _ = machine.submit([call(1)])
    _ = machine.opened(2, isRestored: true)
    #expect(machine.returned(1, by: 1) == [.send(1)])
  }

  @Test func `two calls never share an id`() {
    var machine = machine()
    _ = machine.submit([call(1)])
    let twin = Machine.Call(ticket: 9, id: JSONRPCID(1))
    #expect(machine.submit([twin]) == [.end(9, .duplicateID)])
    let twins = [Machine.Call(ticket: 10, id: .string("a")), .init(ticket: 11, id: .string("a"))]
    #expect(machine.submit(twins) == [.end(10, .duplicateID), .end(11, .duplicateID)])
  }

  @Test func `the id of a call that was given up is free once its answer is there`() {
    var machine = machine()
    _ = machine.submit([call(1)])
    _ = machine.expire(1)
    let next = Machine.Call(ticket: 2, id: JSONRPCID(1))
    #expect(machine.isInUse(JSONRPCID(1)))
    #expect(machine.submit([next]) == [.end(2, .duplicateID)])
    #expect(machine.answer(JSONRPCID(1)) == [.stray(.late)])
    #expect(machine.submit([next]) == [.send(2)])
    #expect(machine.cancel(2) == [.end(2, .cancelled), .giveUp(2)])
    _ = machine.ended()
    _ = machine.opened(2, isRestored: true)
    #expect(machine.submit([next]) == [.send(3)])
  }

  @Test func `null is free again after an answer that names no id`() {
    var machine = machine()
    _ = machine.submit([Machine.Call(ticket: 1, id: .null)])
    _ = machine.cancel(1)
    #expect(machine.isInUse(.null))
    #expect(machine.anonymousError() == [.stray(.late)])
    #expect(!machine.isInUse(.null))
    #expect(machine.anonymousError() == [.stray(.anonymous)])
  }

  @Test func `where each call has an exchange of its own, its id is free with its end`() {
    var machine = Machine(Machine.Limits(isShared: false))
    _ = machine.opened(0, isRestored: true)
    _ = machine.submit([call(1)])
    _ = machine.expire(1)
    #expect(machine.submit([Machine.Call(ticket: 2, id: JSONRPCID(1))]) == [.send(2)])
    #expect(machine.answer(JSONRPCID(1), in: 1) == [.stray(.late)])
    #expect(machine.answer(JSONRPCID(1), in: 2) == [.end(2, .answered)])
  }

  @Test func `a batch may be answered in part, and the rest is missing`() {
    var machine = machine(inFlight: 1)
    #expect(machine.submit([call(1), call(2), call(3)]) == [.send(1)])
    _ = machine.answer(JSONRPCID(2))
    #expect(machine.batchEnded([1]) == [.end(1, .missing), .end(3, .missing)])
    #expect(machine.inFlight == 0)
  }

  @Test func `a refusal without an id goes to the only call that can be meant`() {
    var machine = machine()
    _ = machine.submit([call(1), call(2)])
    #expect(machine.anonymousError() == [.end(1, .answered), .end(2, .answered)])
    _ = machine.submit([call(3)])
    _ = machine.submit([call(4)])
    #expect(machine.anonymousError() == [.stray(.anonymous)])
    #expect(machine.cancel(3) == [.end(3, .cancelled), .giveUp(2)])
    // It may be about the call that was stopped.
    #expect(machine.anonymousError() == [.stray(.anonymous)])
  }

  @Test func `a refused batch is found among single calls`() {
    var machine = machine(inFlight: 9)
    _ = machine.submit([call(1)])
    _ = machine.submit([call(2), call(3)])
    #expect(machine.anonymousError() == [.end(2, .answered), .end(3, .answered)])
  }

  @Test func `a call may have null as its id`() {
    var machine = machine()
    _ = machine.submit([Machine.Call(ticket: 1, id: .null)])
    _ = machine.submit([call(2)])
    #expect(machine.anonymousError() == [.end(1, .answered)])
  }

  @Test(.requirement("D5")) func `what cannot be read ends the only call, or is told later`() {
    var machine = machine()
    _ = machine.submit([call(1)])
    #expect(machine.unreadable("x") == [.end(1, .unreadable("x"))])
    _ = machine.submit([call(2)])
    _ = machine.submit([call(3)])
    #expect(machine.unreadable("y") == [.stray(.unreadable)])
    #expect(machine.answer(JSONRPCID(3)) == [.end(3, .answered)])
    #expect(machine.expire(2).first == .end(2, .unreadable("y")))
  }

  @Test(.requirement("D5")) func `what nobody can read ends a connection, where that is asked for`()
  {
    var machine = Machine(Machine.Limits(endsUnreadable: true))
    _ = machine.opened(1, isRestored: true)
    #expect(machine.unreadable("x") == [.stray(.unreadable)])
    _ = machine.submit([call(1)])
    #expect(machine.unreadable("x") == [.end(1, .unreadable("x"))])
    _ = machine.submit([call(2)])
    _ = machine.cancel(2)
    // It may be the answer to what was given up.
    _ = machine.submit([call(3)])
    #expect(machine.unreadable("y") == [.stray(.unreadable), .breakOff("y")])
  }

  @Test(.requirement("D5")) func `what cannot be read in one exchange is about no other one`() {
    var machine = Machine(Machine.Limits(isShared: false))
    _ = machine.opened(0, isRestored: true)
    _ = machine.submit([call(1)])
    _ = machine.submit([call(2)])
    #expect(machine.answer(JSONRPCID(1), in: 1) == [.end(1, .answered)])
    // The rest of that answer.
    #expect(machine.unreadable("x", in: 1) == [.stray(.unreadable)])
    #expect(machine.expire(2).first == .end(2, .timedOut(wasSent: true)))
  }

  @Test func `a notification is done once it has left`() {
    var machine = machine(inFlight: 1)
    #expect(machine.submit([Machine.Call(ticket: 1, id: nil)]) == [.send(1)])
    #expect(machine.submit([call(2)]) == [])
    #expect(machine.written(1) == [.end(1, .written), .send(2)])
    #expect(machine.written(2) == [])
  }

  @Test func `closing ends everything, and everything after it`() {
    var machine = machine(inFlight: 1)
    _ = machine.submit([call(1)])
    _ = machine.submit([call(2)])
    #expect(
      machine.close() == [
        .end(1, .closed(wasSent: true)), .end(2, .closed(wasSent: false)), .giveUp(1),
      ])
    #expect(machine.close() == [])
    #expect(machine.submit([call(3)]) == [.end(3, .closed(wasSent: false))])
    #expect(machine.opened(2, isRestored: true) == [])
  }

  @Test func `old ids are forgotten, so that memory is bounded`() {
    var recent = RecentIDs(limit: 3)
    for number in 0..<5 { recent.insert(JSONRPCID(number)) }
    #expect(!recent.contains(JSONRPCID(1)))
    #expect(recent.contains(JSONRPCID(2)))
    #expect(recent.remove(JSONRPCID(3)) == true)
    #expect(recent.remove(JSONRPCID(3)) == false)
    recent.insert(JSONRPCID(9))
    #expect(recent.contains(JSONRPCID(2)))
  }
}
