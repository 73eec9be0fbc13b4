// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

@Suite struct SinkQueueHoldStateMachineTests {
  typealias Queue = SinkQueueStateMachine<Int>

  @Test func `what is held is kept, and handed over once it is released`() {
    var queue = Queue(.init(capacity: 9, batchSize: 9))
    queue.hold()
    #expect(!queue.offer(1, severity: .error) && !queue.offer(2, severity: .error))
    let wakes = queue.wake()
    #expect(!wakes && queue.isSettled && queue.stored == 2)
    let begins = queue.release(hasMore: false)
    #expect(begins && queue.next() == [1, 2])
    let again = queue.release(hasMore: true)
    #expect(!again, "it was not held")
  }

  @Test func `a batch on its way ends, and nothing follows it`() {
    var queue = Queue(.init(capacity: 9, batchSize: 1))
    _ = queue.offer(1, severity: .error)
    _ = queue.offer(2, severity: .error)
    #expect(queue.next() == [1])
    queue.hold()
    #expect(queue.end(.accepted) == .send)
    #expect(queue.next(hasMore: true) == nil && queue.phase == .idle)
    let begins = queue.release(hasMore: false)
    #expect(begins && queue.next() == [2])
  }

  @Test func `what is put off while held waits for both`() {
    var queue = Queue(.init(capacity: 9, batchSize: 9))
    _ = queue.offer(1, severity: .error)
    _ = queue.next()
    queue.hold()
    #expect(queue.end(.later()) == .pause(.seconds(1)))
    let early = queue.release(hasMore: false)
    #expect(!early, "the one that pauses goes on by itself")
    queue.resume()
    #expect(queue.next() == [1])
  }

  @Test func `it is released where there is something else to send, and never after its end`() {
    var queue = Queue(.init(capacity: 9, batchSize: 9))
    queue.hold()
    let begins = queue.release(hasMore: true)
    #expect(begins && queue.next(hasMore: true) == [])
    _ = queue.end(.accepted)
    _ = queue.next()
    queue.hold()
    queue.shutDown()
    let ended = queue.release(hasMore: true)
    #expect(!ended && queue.next(hasMore: true) == nil)
  }

  @Test func `what is refused while held is gone`() {
    var queue = Queue(.init(capacity: 9, batchSize: 9))
    queue.hold()
    _ = queue.offer(1, severity: .error)
    queue.withdraw()
    let begins = queue.release(hasMore: false)
    #expect(!begins && queue.books.dropped == [.withheld: 1] && queue.stored == 0)
  }
}
