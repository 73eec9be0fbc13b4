// SPDX-License-Identifier: Apache-2.0

import InventoryCore
import InventoryTestSupport
import TestSupport
import Testing

extension BrowserTests {
  /// Scanning, which must work whatever the network does.
  @Suite(.ends(withinMinutes: 10)) struct ScanTests {
    private static let isbn = "9780141439518"

    /// The id of the only item in the list.
    private func onlyItem(_ world: World) async throws -> String {
      try await world.browser.until("$('#items li')?.dataset.item").text ?? ""
    }

    @Test(.requirement("C24"))
    func `a scan appears, and is completed while the page is open`() async throws {
      try await inWorld { world in
        try await world.open()
        #expect(try await world.browser.element("#barcode").label == "Barcode")
        #expect(try await world.text("#pending") == "Nothing pending")
        try await world.browser.run("window.isSamePage = true")
        try await world.scan(Self.isbn)
        let id = try await onlyItem(world)
        // Sending the form is the last time that the page is loaded.
        try await world.browser.run("window.isSamePage = true")
        try await world.browser.until("text('#items .title') === 'Pride and Prejudice'")
        try await world.browser.until("text('#items .sync') === 'Synced'")
        try await world.browser.until("text('#pending') === 'Nothing pending'")
        #expect(try await world.browser.run("return window.isSamePage").isTrue)
        #expect(try await world.applied(to: id) == [1])
        #expect(try await world.browser.element("#barcode").value == "")
      }
    }

    @Test(.requirement("C1", "C2", "C3", "C18", "A54"))
    func `a scan outlives a cut network and a kill under the eyes of its page`() async throws {
      try await inWorld { world in
        let browser = world.browser
        try await world.fail("down")
        try await world.open()
        try await world.scan(Self.isbn)
        let id = try await onlyItem(world)
        try await browser.until("text('#banner').includes('can’t be reached')")
        try await browser.until("text('#pending') === '1 pending'")
        #expect(try await world.text("#items .sync") == "Pending")

        await world.killApp()
        try await browser.until("text('#banner').includes('Not connected to the app')")
        try await world.startApp()
        try await browser.until("text('#banner').includes('can’t be reached')")
        #expect(try await world.text("#pending") == "1 pending")

        try await world.heal()
        try await browser.until("text('#pending') === 'Nothing pending'")
        try await browser.until("text('#banner') === ''")
        try await browser.until("text('#items .title') === 'Pride and Prejudice'")
        try await browser.until("text('#items .sync') === 'Synced'")
        #expect(try await world.applied(to: id) == [1])
      }
    }

    @Test(.requirement("A34", "A52", "E21"))
    func `a wrong barcode is explained under its field, and can be corrected`() async throws {
      try await inWorld { world in
        let browser = world.browser
        try await world.open()
        try await world.scan("9780141439519")
        try await browser.until("text('#barcode-error')")
        let field = try await browser.element("#barcode")
        #expect(try await field.attribute("aria-invalid") == "true")
        #expect(
          try await field.attribute("aria-describedby")?.contains("barcode-error") == true)
        #expect(try await field.value == "9780141439519")
        #expect(try await browser.active.attribute("id") == "barcode")
        #expect(try await browser.elements("#error").isEmpty)
        #expect(try await browser.elements("#items li").isEmpty)

        // A scanner types wherever the focus is, and takes nothing away before.
        try await browser.write(Self.isbn + Key.enter.value)
        try await browser.until("text('#items .title')")
        #expect(try await browser.elements("#barcode-error").isEmpty)
      }
    }

    @Test func `without scripts a scan works, and mistakes are explained`() async throws {
      try await inWorld { world in
        let browser = world.browser
        try await browser.forbidScripts()
        try await world.open()
        try await browser.element("#barcode").type("1234" + Key.enter.value)
        #expect(try await browser.element("#barcode-error").isShown)
        #expect(try await browser.element("#barcode").value == "1234")
        try await browser.element("#barcode").clear()
        try await browser.element("#barcode").type(Self.isbn + Key.enter.value)
        #expect(try await browser.element("body:not(:has(#barcode-error)) #items li").isShown)
        #expect(try await browser.elements("#items li").count == 1)
      }
    }
  }
}
