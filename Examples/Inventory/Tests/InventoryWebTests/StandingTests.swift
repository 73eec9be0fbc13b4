// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import InventoryUpstream
import Mainstay
import TestSupport
import Testing

/// How much a person sees of errors, queues and connections.
@Suite(.ends(withinMinutes: 5)) struct StandingTests {
  @Test(
    .requirement("C24", "C25"),
    arguments: [
      (FaultMode.down, "The service can’t be reached.", "service"),
      (.portal, "The network asks to sign in.", "sign-in"),
    ])
  func `nothing is seen while all is well, and otherwise what is wrong and what to do`(
    mode: FaultMode, title: String, help: String
  ) async throws {
    try await visiting { world in
      let browser = world.browser()
      let item = try await world.synced(ItemDraft(title: "Lamp"))
      let pages = ["/", "/conflicts", "/help", "/items/\(item.id.text)"]
      try await expectSilence(on: pages, browser)

      await world.fail(mode)
      _ = try? await world.inventory.pull()
      // Work goes on: a scan is taken and confirmed at once, and nobody has to answer anything.
      let list = try await browser.get("/")
      let scanned = try await browser.submit("/scan", of: list, ["barcode": "978-0-14-143951-8"])
      #expect(scanned.items.count == 2 && scanned.dialog == nil)
      #expect(scanned.toasts == ["“Book 9780141439518” was added."])
      for page in pages {
        let seen = try await browser.get(page)
        let banner = try #require(seen.part(from: "id=\"banner\"", to: "</div>"), "\(page)")
        // What is wrong, what becomes of changes, and that they wait; nothing is in the way.
        #expect(banner.contains(title), "\(page)")
        #expect(banner.contains("Changes are kept and sent later."), "\(page)")
        #expect(seen.has("<span>1 pending</span>") && seen.dialog == nil, "\(page)")
      }
      // What needs the network says why it cannot be had, and the help page what to do about it.
      let detail = try await browser.get("/items/\(item.id.text)")
      #expect(detail.question("recall-check")?.has("It needs the network, and ") == true)
      #expect(try await browser.get("/help").has("<section class=\"card\" id=\"\(help)\""))
      let status = try await browser.get("/status")
      #expect(status.part(from: "data-waiting=", to: "</li>") != nil)

      await world.fail(.healthy)
      try await world.inventory.pull()
      try await world.inventory.wait { try await world.inventory.status().outbox.pending == 0 }
      try await expectSilence(on: pages, browser)
      #expect(try await browser.get("/").items.count == 2, "and nothing of it is lost")
    }
  }

  /// No page has a banner, a dialog, a warning, something that waits or a question that is closed.
  private func expectSilence(on pages: [String], _ browser: Browser) async throws {
    for page in pages {
      let seen = try await browser.get(page)
      #expect(seen.status == 200 && seen.dialog == nil, "\(page)")
      #expect(seen.has("<span>Nothing pending</span>"), "\(page)")
      let body = try #require(seen.part(from: "<header", to: "<footer"), "\(page)")
      for sign in ["<div class=\"notice ", "id=\"why-", "class=\"code\""] {
        // The template of what a page says when the app itself is gone is never shown here.
        let drawn = body.replacing(/<template.*<\/template>/, with: "")
        #expect(!drawn.contains(sign), "\(page): \(sign)")
      }
    }
  }
}
