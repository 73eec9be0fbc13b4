// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import MainstayJSONRPC

/// What waits, what comes back, and which call an answer is about.
@Suite struct CallsQueueStateMachineTests {
  typealias Machine = CallsStateMachine

  private func machine(inFlight: Int = 2, waiting: Int = 10, up: Bool = true) -> Machine {
    var machine = Machine(Machine.Limits(inFlight: inFlight, waiting: waiting))
    if up { _ = machine.opened(1, isRestored: true) }
    return machine
  }

  private func call(_ number: Int) -> Machine.Call {
    Machine.Call(ticket: UInt64(number), id: JSONRPCID(number))
  }

  @Test func `the books are set up as their client is`() {
    let (limits, options) = (Machine.Limits(), JSONRPCClient.Options())
    #expect(limits.inFlight == options.maximumInFlight)
    #expect(limits.waiting == options.maximumWaiting)
    #expect(limits.endsUnreadable == options.endsUnreadable)
  }

  @Test func `where nobody may wait, what can go at once goes, and the rest is refused`() {
    var machine = machine(inFlight: 1, waiting: 0)
    #expect(machine.submit([call(1)]) == [.send(1)])
    #expect(machine.submit([call(2)]) == [.end(2, .full)])
    #expect(machine.answer(JSONRPCID(1)) == [.end(1, .answered)])
    #expect(machine.submit([call(3)]) == [.send(2)])
    var down = self.machine(inFlight: 1, waiting: 0, up: false)
    #expect(down.submit([call(1)]) == [.end(1, .full)])
  }

  @Test func `what is meant for the connection that is up goes over it`() {
    var machine = machine(inFlight: 1)
    #expect(machine.submit([call(1)]) == [.send(1)])
    #expect(machine.submit([call(2)], for: 1) == [.send(2)], "it waits for no room")
    #expect(machine.returned(2, by: 1) == [.end(2, .lost(wasSent: false))])
    #expect(machine.inFlight == 1)
  }

  @Test func `after the end of a connection nothing is sent, and nothing is known of its answers`()
  {
    var machine = machine()
    _ = machine.submit([call(1)])
    #expect(machine.answer(JSONRPCID(1)) == [.end(1, .answered)])
    #expect(machine.ended() == [])
    #expect(machine.submit([call(2)]) == [])
    #expect(machine.opened(2, isRestored: true) == [.send(2)])
    #expect(machine.answer(JSONRPCID(1)) == [.stray(.unknown)])
  }

  @Test(arguments: [true, false]) func `what is closed stays closed, whatever a connection does`(
    _ isOpened: Bool
  ) {
    var machine = machine()
    #expect(machine.close() == [])
    if isOpened { _ = machine.opened(2, isRestored: true) } else { _ = machine.ended() }
    #expect(machine.submit([call(1)]) == [.end(1, .closed(wasSent: false))])
  }

  @Test func `where no connection can be made, what waits ends and what was sent does not`() {
    var machine = machine(inFlight: 1)
    for number in 1...2 { _ = machine.submit([call(number)]) }
    #expect(machine.failWaiting() == [.end(2, .unconnected)])
    #expect(machine.answer(JSONRPCID(1)) == [.end(1, .answered)])
  }

  @Test(arguments: [true, false]) func `the calls of an exchange that failed say so`(
    _ wasSent: Bool
  ) {
    var machine = machine()
    _ = machine.submit([call(1), call(2)])
    #expect(
      machine.failed(1, wasSent: wasSent)
        == [.end(1, .failed(wasSent: wasSent)), .end(2, .failed(wasSent: wasSent))])
  }

  @Test func `a notification that waits is not done`() {
    var machine = machine(up: false)
    #expect(machine.submit([Machine.Call(ticket: 1, id: nil)]) == [])
    #expect(machine.written(1) == [])
    #expect(machine.opened(1, isRestored: true) == [.send(1)])
    #expect(machine.written(1) == [.end(1, .written)])
  }

  @Test func `what comes back goes before what waits, and both go`() {
    var machine = machine(inFlight: 1)
    for number in 1...3 { _ = machine.submit([call(number)]) }
    _ = machine.opened(2, isRestored: true)
    #expect(machine.returned(1, by: 1) == [.send(1)])
    #expect(machine.answer(JSONRPCID(1)) == [.end(1, .answered), .send(2)])
    #expect(machine.answer(JSONRPCID(2)) == [.end(2, .answered), .send(3)])
  }

  @Test func `of what was sent nothing is kept in the queue, however long it was`() {
    var machine = machine(inFlight: 1_000, waiting: 1_000, up: false)
    for number in 1...200 { #expect(machine.submit([call(number)]) == []) }
    #expect(machine.opened(1, isRestored: true).count == 200)
    #expect(machine.queue.count <= 128)
    for number in 201...500 {
      #expect(machine.submit([call(number)]) == [.send(UInt64(number))])
      #expect(machine.answer(JSONRPCID(number)) == [.end(UInt64(number), .answered)])
      #expect(machine.queue.count <= 128)
    }
  }

  @Test func `what comes back after the queue was emptied goes, too`() {
    for sent in 1...70 {
      var machine = machine(inFlight: 100)
      for number in 1...sent { _ = machine.submit([call(number)]) }
      #expect(machine.returned(1, by: 0) == [.send(1)], "after \(sent)")
      #expect(machine.waiting == 0)
      #expect(machine.submit([call(99)]) == [.send(UInt64(sent + 1))])
    }
  }

  @Test func `a refusal without an id is about the batch that the same message answers`() {
    var machine = machine(inFlight: 9)
    _ = machine.submit([call(1), call(2)])
    _ = machine.submit([call(3), call(4)])
    #expect(machine.anonymousError(among: [1, 2]) == [.stray(.anonymous)])
    #expect(machine.answer(JSONRPCID(1)) == [.end(1, .answered)])
    #expect(machine.anonymousError(among: [1]) == [.end(2, .answered)])
    // It has had its answer.
    #expect(machine.answer(JSONRPCID(2)) == [.stray(.duplicate)])
  }

  @Test func `a refusal in an exchange whose calls have ended is late`() {
    var machine = machine()
    _ = machine.submit([call(1)])
    _ = machine.submit([call(2)])
    #expect(machine.answer(JSONRPCID(1), in: 1) == [.end(1, .answered)])
    #expect(machine.anonymousError(in: 1) == [.stray(.late)])
    #expect(machine.inFlight == 1)
  }

  @Test func `an exchange that is over leaves the rest of its batch without answers`() {
    var machine = machine(inFlight: 2)
    _ = machine.submit([call(1), call(2), call(3)])
    _ = machine.submit([call(4)])
    #expect(machine.batchEnded([2]) == [], "what waits has no answer yet")
    #expect(machine.answer(JSONRPCID(2), in: 1) == [.end(2, .answered)])
    #expect(
      machine.batchEnded([], in: 1) == [.end(1, .missing), .end(3, .missing), .send(2)])
  }

  @Test func `a call is known by its id while it is on its way`() {
    var machine = machine(inFlight: 1)
    _ = machine.submit([call(1)])
    _ = machine.submit([call(2)])
    #expect(machine.bundle(of: JSONRPCID(1)) == 1)
    #expect(machine.bundle(of: JSONRPCID(2)) == nil, "it waits")
    #expect(machine.bundle(of: JSONRPCID(3)) == nil)
    _ = machine.answer(JSONRPCID(1))
    #expect(machine.bundle(of: JSONRPCID(1)) == nil)
    #expect(machine.bundle(of: JSONRPCID(2)) == 2)
  }

  @Test func `an id that is taken out leaves the order of the others as it was`() {
    var recent = RecentIDs(limit: 3)
    for number in 0..<3 { recent.insert(JSONRPCID(number)) }
    #expect(recent.remove(JSONRPCID(1)) == true)
    for number in 3..<5 { recent.insert(JSONRPCID(number)) }
    #expect(!recent.contains(JSONRPCID(0)))
    for number in 2..<5 { #expect(recent.contains(JSONRPCID(number))) }
  }
}
