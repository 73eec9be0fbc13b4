// SPDX-License-Identifier: Apache-2.0

import Mainstay
import Testing

@testable import MainstayUI

@Suite struct ToastQueueStateMachineTests {
  @Test func `a toast stays until each that holds it has let it go`() throws {
    var queue = ToastQueue(capacity: 3)
    let toast = Toast(.success, "Deleted.")
    let id = queue.add(toast, for: .seconds(8), isOwn: true, now: .zero)
    queue.hold(id, for: .pointer)
    queue.hold(id, for: .screenReader)
    queue.release(id, for: .screenReader, now: .seconds(10))
    #expect(queue.nextChange == nil, "the pointer still rests on it")
    queue.release(id, for: .keyboard, now: .seconds(10))
    #expect(queue.nextChange == nil, "nobody held it so")
    queue.release(id, for: .pointer, now: .seconds(20))
    #expect(queue.nextChange == .seconds(28), "as long as a new one")
    queue.release(id, for: .pointer, now: .seconds(25))
    #expect(queue.nextChange == .seconds(28))
    queue.advance(to: .seconds(28))
    #expect(queue.shown.isEmpty)
  }
}
