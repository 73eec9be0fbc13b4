// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayTesting
import TestSupport
import Testing

/// How often an origin in trouble is asked again by one client.
@Suite struct ClientBudgetTests {
  @Test(.ends(withinMinutes: 5)) func `short requests and uploads repeat from one budget`()
    async throws
  {
    let clock = ManualClock()
    let transport = ScriptedTransport(.json("", status: 500))
    let address = try #require(URL(string: "https://books.example"))
    let books = ResilientClient("books", at: address, over: transport, clock: clock)
    // Its own count of failures is not what this is about.
    for circuit in books.circuits.values { circuit.setMode(.disabled) }
    // Only the waits between attempts pass, none of the limits.
    let time = UnmetWait.$tell.withValue({ _ in }) {
      Task {
        while !Task.isCancelled {
          await clock.waiters(atLeast: 1, within: .milliseconds(500))
          clock.advance(by: .milliseconds(500))
        }
      }
    }
    func attempts(_ request: ResilientClient.Request) async -> Int {
      let before = transport.sent.count
      await #expect(throws: AppError.self) { try await books.send(request) }
      return transport.sent.count - before
    }
    var isUsedUp = false
    for _ in 0..<100 where !isUsedUp { isUsedUp = await attempts(.init(.get, "/a")) == 1 }
    #expect(isUsedUp)
    // Five calls pay for one repetition, so one may be paid for by now, and never two.
    let photo = HTTPMessageBody.bytes(Data(count: 65_537))
    #expect(await attempts(.init(.put, "/photo", body: photo)) < 3)
    time.cancel()
    await time.value
  }
}
