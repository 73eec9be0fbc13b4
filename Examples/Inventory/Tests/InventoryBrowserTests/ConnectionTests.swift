// SPDX-License-Identifier: Apache-2.0

import InventoryCore
import InventoryTestSupport
import TestSupport
import Testing

extension BrowserTests {
  /// What a page says about the connection, and what it takes away meanwhile.
  @Suite(.ends(withinMinutes: 10)) struct ConnectionTests {
    @Test(.requirement("C3", "C4", "C7", "C18", "A56", "D34"))
    func `a page tells by itself that the service went, what is missing, and that it is back`()
      async throws
    {
      try await inWorld { world in
        let browser = world.browser
        let id = try await world.item(scanned: "9780141439518")
        try await world.open("/items/\(id)")
        let question = "section[data-feature=resale-value]"
        #expect(try await browser.element("\(question) button").isEnabled)
        #expect(try await browser.element("#banner").role == "status")
        #expect(try await browser.run("return document.querySelector('#banner').innerText") == "")

        try await world.fail("down")
        try await browser.until("text('#banner')")
        try await browser.until("$(args[0]).disabled", .string("\(question) button"))
        let button = try await browser.element("\(question) button")
        let reason = try #require(try await button.attribute("aria-describedby"))
        #expect(try await world.text("#\(reason)").contains("needs the network"))
        #expect(try await world.text("\(question) .reason").contains("needs the network"))
        _ = try await world.app.send("POST", "/api/items", #"{"title": "A teapot"}"#)
        try await browser.until("text('#pending') === '1 pending'")

        try await world.heal()
        try await browser.until("text('#banner') === '' && text('#pending') === 'Nothing pending'")
        try await browser.until("!$(args[0]).disabled", .string("\(question) button"))
        #expect(try await browser.elements("\(question) .reason").isEmpty)
      }
    }

    @Test(.requirement("C5", "C6"))
    func `the status page says what works offline, what does not and why`() async throws {
      try await inWorld { world in
        let browser = world.browser
        try await world.fail("portal")
        // The first that the app has to send meets the portal.
        _ = try await world.app.send("POST", "/api/items", #"{"title": "A teapot"}"#)
        try await world.open("/status")
        try await browser.until("text('#banner').includes('sign in')")
        try await browser.until("text('#features').includes('asks to sign in first')")
        #expect(try await browser.elements("#features .on").count == 6)
        #expect(try await browser.elements("#features .off").count == 5)
        #expect(try await world.text("#connection").contains("sign in"))
        for part in ["#queue", "#circuits", "#ledger"] {
          #expect(try await browser.element(part).isShown)
        }
        try await world.heal()
        try await browser.until("!$('#features .off')")
      }
    }
  }
}
