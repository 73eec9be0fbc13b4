// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import InventoryTestSupport
import TestSupport
import Testing

extension BrowserTests {
  /// What was given up, and is tried again or thrown away by a person.
  @Suite(.ends(withinMinutes: 10)) struct DeadLetterTests {
    @Test(.requirement("C15", "A57"))
    func `it is shown with its reason, and tried again when the reason is gone`() async throws {
      try await inWorld { world in
        let browser = world.browser
        let id = try await world.deadLetter()
        try await world.open("/status")
        try await browser.until("$('li[data-letter]')")
        let letter = try await world.text("li[data-letter]")
        #expect(letter.contains("Pride and Prejudice") && letter.contains("can’t accept"))
        #expect(try await world.text("#queue").contains("1"))

        // It fails again while the reason is there.
        try await browser.click("li[data-letter] form[action$=redrive] button")
        try await browser.until("text('#toasts').includes('can’t accept') && $('li[data-letter]')")

        // A service that has forgotten everything has forgotten the key too.
        try await world.renewService()
        try await browser.click("li[data-letter] form[action$=redrive] button")
        try await browser.until("!$('li[data-letter]')")
        try await browser.until("text('#pending') === 'Nothing pending'")
        #expect(try await world.app.send("GET", "/api/items/\(id)").text("sync") == "synced")
        #expect(try await world.applied(to: id) == [1])
      }
    }

    @Test func `it can be thrown away`() async throws {
      try await inWorld { world in
        let browser = world.browser
        let id = try await world.deadLetter()
        try await world.open("/items/\(id)")
        try await browser.until("text('#item .sync') === 'Rejected'")
        try await world.open("/status")
        try await browser.click("li[data-letter] form[action$=discard] button")
        try await browser.until("!$('li[data-letter]')")
        let letters = try await world.app.send("GET", "/api/dead-letters").member("deadLetters")
        #expect(letters == [])
        #expect(try await world.service.send("GET", "/twins/\(id)").status == 404)
      }
    }
  }
}
