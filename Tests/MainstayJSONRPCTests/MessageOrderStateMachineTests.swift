// SPDX-License-Identifier: Apache-2.0

import Dispatch
import TestSupport
import Testing

@testable import MainstayJSONRPC

@Suite(.ends(withinMinutes: 1)) struct MessageOrderStateMachineTests {
  @Test func `long work is done beside who asks for it, and all else behind it`() async {
    let order = MessageOrder()
    let log = Log()
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let gate = DispatchSemaphore(value: 0)
    order.after { log.add("at once") }
    #expect(log.lines == ["at once"])
    order.after(bytes: MessageOrder.longMessage + 1) {
      gate.wait()
      log.add("long")
    }
    order.after {
      log.add("behind")
      end.finish()
    }
    #expect(log.lines == ["at once"])
    gate.signal()
    for await _ in ended {}
    #expect(log.lines == ["at once", "long", "behind"])
  }

  @Test func `no more is read while more waits than may, until half of that is done`() async {
    let log = Log()
    let (long, gate) = (MessageOrder.longMessage + 1, DispatchSemaphore(value: 0))
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let order = MessageOrder(limit: 4 * long) { order in log.add("full: \(order.isFull)") }
    for number in 1...6 {
      order.after(bytes: long) {
        gate.wait()
        log.add("\(number)")
      }
      #expect(order.isFull == (number > 4))
    }
    #expect(log.lines == ["full: true"])
    order.after { end.finish() }
    for _ in 1...6 { gate.signal() }
    for await _ in ended {}
    #expect(log.lines == ["full: true", "1", "2", "3", "4", "full: false", "5", "6"])
    #expect(!order.isFull)
  }
}
