// SPDX-License-Identifier: Apache-2.0

import Foundation
import HummingbirdTesting
import InventoryCore
import InventoryTestSupport
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// What open pages are told.
@Suite(.ends(withinMinutes: 5)) struct EventTests {
  @Test func `a change of a screen is told to that screen alone`() async throws {
    try await visiting(.live) { world in
      let app = Address(port: try #require(world.client.port))
      let (browser, other) = (world.browser(), world.browser())
      _ = try await browser.get("/")
      _ = try await other.get("/")
      let cookies = (try #require(await browser.cookie), try #require(await other.cookie))
      let (log, open, told) = (Log(), Countdown(3), Countdown(1))
      let listeners = [cookies.0, cookies.1, ""].enumerated().map { index, cookie in
        Task {
          let isOpen = Flag()
          try await app.event(["Cookie": cookie]) { name, _ in
            log.add("\(index) \(name)")
            if !isOpen.isRaised { open.count() }
            isOpen.raise()
            if name == "screen" { told.count() }
            return name == "item"
          }
        }
      }
      await open.reached()
      _ = try await browser.post("/items/\(UUID().text)/delete", ["page": "/"])
      await told.reached()
      // An item is told to all of them, after all that came before.
      _ = try await world.inventory.add(ItemDraft(title: "Lamp"))
      for listener in listeners { try await listener.value }
      #expect(log.lines.contains("0 screen"))
      #expect(!log.lines.contains("1 screen") && !log.lines.contains("2 screen"))
    }
  }

  @Test(.requirement("C19")) func `a toast that goes away is told too`() async throws {
    let clock = ManualClock()
    try await visiting(.live, clocks: PageWorld.Clocks(pages: clock)) { world in
      let app = Address(port: try #require(world.client.port))
      let browser = world.browser()
      let page = try await browser.submit(
        "/scan", of: try await browser.get("/"), ["barcode": "036000291452"])
      #expect(page.toasts.count == 1)
      let cookie = try #require(await browser.cookie)
      let (open, isLate) = (Countdown(1), Flag())
      let gone = Task {
        try await app.event(["Cookie": cookie]) { name, _ in
          if name == "status" { open.count() }
          return name == "screen" && isLate.isRaised
        }
      }
      await open.reached()
      await clock.sleepers(atLeast: 1)
      isLate.raise()
      clock.advance(by: .seconds(4))
      try await gone.value
      #expect(try await browser.get("/").toasts.isEmpty)
    }
  }
}
