// SPDX-License-Identifier: Apache-2.0

import InventoryCore
import InventoryTestSupport
import TestSupport
import Testing

extension BrowserTests {
  /// Short notices, which get in nobody's way.
  @Suite(.ends(withinMinutes: 10)) struct ToastTests {
    @Test(.requirement("C19", "A58"))
    func `a toast says what was done, and goes away by itself or at once`() async throws {
      try await inWorld { world in
        let browser = world.browser
        try await world.open()
        let toasts = try await browser.element("#toasts")
        #expect(try await toasts.role == "status")
        #expect(try await toasts.attribute("aria-live") == "polite")
        try await world.scan("9780141439518")
        try await browser.until("text('li.toast').includes('was added')")
        try await browser.until("!$('li.toast')")

        try await world.scan("9799000000035")
        try await browser.until("$('li.toast')")
        #expect(try await browser.element("li.toast button").label.contains("Dismiss"))
        try await browser.click("li.toast button")
        try await browser.until("!$('li.toast')")
        try await browser.reload()
        #expect(try await browser.elements("li.toast").isEmpty)
      }
    }
  }
}
