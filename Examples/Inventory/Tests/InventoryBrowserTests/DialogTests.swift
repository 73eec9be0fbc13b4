// SPDX-License-Identifier: Apache-2.0

import InventoryCore
import InventoryTestSupport
import TestSupport
import Testing

extension BrowserTests {
  /// The error dialog, by way of questions that the service fails to answer.
  @Suite(.ends(withinMinutes: 10)) struct DialogTests {
    private static let ask = "#ask-resale-value"
    private static let isOpen = "$('#error')?.matches(':modal')"
    private static let isBack = "!$('#error') && document.activeElement === $('\(ask)')"

    /// Opens an item's page and asks a question while the service fails.
    private func failing(_ test: (World) async throws -> Void) async throws {
      try await inWorld { world in
        let id = try await world.item(scanned: "9780141439518")
        try await world.open("/items/\(id)")
        try await world.fail("serverError")
        try await world.browser.click(Self.ask)
        try await world.browser.until(Self.isOpen)
        try await test(world)
      }
    }

    @Test(.requirement("A31", "A33", "A48", "B30", "C12", "E3"))
    func `it says what happened and what to do, to everybody`() async throws {
      try await failing { world in
        let browser = world.browser
        let dialog = try await browser.element("#error")
        #expect(try await dialog.role == "alertdialog")
        let title = try await world.text("#error h2")
        #expect(try await dialog.label == title)
        let description = try await dialog.attribute("aria-describedby")
        let message = try await dialog.element(".message").text
        #expect(try await browser.element("#\(description ?? "")").text == message)
        for part in [".icon", "h2", ".message", ".suggestion"] {
          #expect(try await dialog.element(part).isShown)
        }
        #expect(try await dialog.element("[name=action][value=retry]").text == "Try Again")
        #expect(try await dialog.element("[name=action][value=dismiss]").isShown)
        let help = try await dialog.element("a.help")
        #expect(try await help.attribute("href")?.hasPrefix("/help#") == true)
        try await help.click()
        try await browser.until("location.pathname === '/help' && $(location.hash)")
      }
    }

    @Test(.requirement("A16", "B40"))
    func `Escape and Dismiss put it away, and the focus goes back`() async throws {
      try await failing { world in
        let browser = world.browser
        try await browser.press(.escape)
        try await browser.until(Self.isBack)
        try await world.heal()
        try await browser.click(Self.ask)
        try await browser.until("text('.answer')")
        try await world.fail("serverError")
        try await browser.click(Self.ask)
        try await browser.until(Self.isOpen)
        try await browser.click("#error [value=dismiss]")
        try await browser.until(Self.isBack)
        #expect(try await world.text(".answer").contains("worth"), "an earlier answer stays")
        try await browser.reload()
        #expect(try await browser.elements("#error").isEmpty)
      }
    }

    @Test(.requirement("A15", "A57", "B40", "D37", "E31"))
    func `Try again asks again, and shows the answer once there is one`() async throws {
      try await failing { world in
        let browser = world.browser
        try await world.heal()
        try await browser.click("#error [value=retry]")
        try await browser.until(
          "text('[data-feature=resale-value] .answer').includes('Pride and Prejudice')")
        #expect(try await browser.elements("#error").isEmpty)
      }
    }

    @Test func `whoever leaves a question that takes long is not told of an error`() async throws {
      try await inWorld { world in
        let browser = world.browser
        let id = try await world.item(scanned: "9780141439518")
        try await world.open("/items/\(id)")
        try await world.fail("slow", delayMs: 3000)
        try await browser.click(Self.ask)
        try await browser.until("text('[data-feature=resale-value]').includes('Asking')")
        try await world.open()
        #expect(try await browser.elements("#error").isEmpty)
        try await world.open("/items/\(id)")
        try await browser.until("text('[data-feature=resale-value] .answer')")
        #expect(try await browser.elements("#error").isEmpty)
      }
    }

    @Test func `a page that refuses what a form asked for is told above the page that stays`()
      async throws
    {
      try await inWorld { world in
        let browser = world.browser
        try await world.open("/gallery/live")
        // What the page of another version may ask for.
        try await browser.until("$('#raise').action = '/nowhere'")
        try await browser.click("#raise-success")
        #expect(try await world.text("#refusal").contains("There is nothing here"))
        #expect(try await browser.element("#refusal").role == "alert")
        #expect(try await browser.element("#raise").isShown)
        try await browser.until("$('#raise').action = '/gallery/raise'")
        try await browser.click("#raise-success")
        try await browser.until("text('#toasts li') && !text('#refusal')")
      }
    }

    @Test func `without scripts it stands on the page, and can be put away`() async throws {
      try await inWorld { world in
        let browser = world.browser
        let id = try await world.item(scanned: "9780141439518")
        try await browser.forbidScripts()
        try await world.open("/items/\(id)")
        try await world.fail("serverError")
        try await browser.element(Self.ask).click()
        // Where the answer takes long, whoever has no script has to look again.
        let outcome = "#error h2, #questions [role=status]"
        while try await browser.element(outcome).text.contains("Asking") {
          try await browser.reload()
        }
        #expect(try await browser.element("#error h2").isShown)
        try await browser.element("#error [value=dismiss]").click()
        #expect(try await browser.element("body:not(:has(#error)) #item").isShown)
        #expect(try await browser.address.hasSuffix("/items/\(id)"))
      }
    }
  }
}
