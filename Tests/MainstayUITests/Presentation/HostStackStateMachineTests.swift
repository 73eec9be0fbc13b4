// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import MainstayUI

/// Which of a window and its sheets shows an error.
@Suite struct HostStackStateMachineTests {
  private let window = Host()
  private let sheet = Host()
  private let second = Host()

  @Test func `the newest host is in front, and the one before when it leaves`() {
    var stack = HostStack()
    #expect(stack.front == nil)
    stack.enter(window)
    #expect(stack.front === window)
    stack.enter(sheet)
    stack.enter(second)
    #expect(stack.front === second)
    stack.leave(sheet)
    #expect(stack.front === second, "it may go before the one in front of it")
    stack.leave(second)
    #expect(stack.front === window)
    stack.leave(sheet)
    stack.leave(window)
    #expect(stack.front === window && stack.hosts.isEmpty, "somebody has to show it")
    stack.enter(sheet)
    #expect(stack.front === sheet)
  }

  @Test func `a host that is told of twice keeps its place, and leaves once`() {
    var stack = HostStack()
    stack.enter(window)
    stack.enter(sheet)
    stack.enter(window)
    #expect(stack.front === sheet && stack.hosts.elementsEqual([window, sheet], by: ===))
    stack.leave(sheet)
    stack.leave(sheet)
    #expect(stack.front === window)
    stack.leave(window)
    stack.enter(window)
    #expect(stack.front === window && stack.hosts.count == 1)
  }

  @Test func `a sheet over a pushed page leaves the front to the page below, which is there`() {
    var stack = HostStack()
    stack.enter(window)
    stack.leave(window)
    do {
      let closed = Host()
      stack.enter(closed)
      stack.leave(closed)
      #expect(stack.front === closed, "it may come back as long as it is there")
    }
    #expect(stack.front === window)
    stack.enter(window)
    #expect(stack.front === window && stack.hosts.count == 1)
  }

  @Test @MainActor func `a host is told that it came in front`() async {
    let hosts = Hosts()
    hosts.enter(window)
    hosts.enter(sheet)
    #expect(!hosts.isFront(window) && hosts.isFront(sheet))
    await change {
      _ = hosts.isFront(window)
    } after: {
      hosts.leave(sheet)
    }
    #expect(hosts.isFront(window))
  }
}
