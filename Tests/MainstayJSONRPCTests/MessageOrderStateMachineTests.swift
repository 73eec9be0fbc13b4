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
    order.after(isLong: true) {
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
}
