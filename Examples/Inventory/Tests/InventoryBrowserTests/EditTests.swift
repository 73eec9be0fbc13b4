// SPDX-License-Identifier: Apache-2.0

import InventoryCore
import InventoryTestSupport
import TestSupport
import Testing

extension BrowserTests {
  /// The page of an item, while others change the item too.
  @Suite(.ends(withinMinutes: 10)) struct EditTests {
    @Test(.requirement("A11"))
    func `what is typed stays while the catalog fills in the rest, and both are kept`() async throws
    {
      try await inWorld { world in
        let browser = world.browser
        try await world.fail("down")
        try await world.open()
        try await world.scan("9780141439518")
        try await browser.click("#items .title")
        try await browser.type("#notes", "A gift")
        try await world.heal()
        try await browser.until("text('#item h1') === 'Pride and Prejudice'")
        try await browser.until("text('#item .sync') === 'Synced'")
        #expect(try await browser.element("#notes").value == "A gift")
        try await browser.click("form#edit button")
        try await browser.until("text('li.toast').includes('was saved')")
        try await browser.until("text('#item .sync') === 'Synced'")
        #expect(try await browser.elements("#error").isEmpty)
        #expect(try await world.text("#item h1") == "Pride and Prejudice")
        #expect(try await browser.element("#notes").value == "A gift")
      }
    }

    @Test func `two taps on a button are one item`() async throws {
      try await inWorld { world in
        let browser = world.browser
        try await world.open()
        try await browser.type("#barcode", "9780141439518")
        try await browser.run(
          "const button = document.querySelector('#scan button'); button.click(); button.click()")
        try await browser.until("text('#items .sync') === 'Synced'")
        #expect(try await browser.elements("#items li").count == 1)
      }
    }

    @Test func `an item can be deleted, and a page that shows it elsewhere says so`() async throws {
      try await inWorld { world in
        let browser = world.browser
        let id = try await world.item(scanned: "9780141439518")
        try await world.open("/items/\(id)")
        _ = try await world.app.send("DELETE", "/api/items/\(id)")
        try await browser.until("text('h1').includes('isn’t there')")

        let other = try await world.item(scanned: "9799000000035")
        try await world.open("/items/\(other)")
        try await browser.click("summary:has(#delete-title)")
        try await browser.click("form#delete button")
        try await browser.until("location.pathname === '/' && text('li.toast').includes('deleted')")
        #expect(try await browser.elements("#items li").isEmpty)
        try await browser.until("text('#pending') === 'Nothing pending'")
        #expect(try await world.service.send("GET", "/twins/\(other)").status == 404)
      }
    }
  }
}
