// SPDX-License-Identifier: Apache-2.0

import InventoryCore
import InventoryTestSupport
import TestSupport
import Testing

extension BrowserTests {
  /// The pages without a mouse.
  @Suite(.ends(withinMinutes: 10)) struct KeyboardTests {
    /// What has the focus, and whether a person can see that it has.
    private static let focused = """
      const element = document.activeElement;
      const style = [getComputedStyle(element), getComputedStyle(element, "::after")];
      const box = element.getBoundingClientRect();
      return {
        name: element.id ? "#" + element.id : element.className ? "." + element.className
          : element.getAttribute("href") ?? element.innerText,
        isBody: element === document.body,
        isMarked: style.some(
          (one) => one.outlineStyle !== "none" && parseFloat(one.outlineWidth) >= 2),
        isInView: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
      };
      """

    /// Presses Tab until the page has been gone through, and names what had the focus.
    private func stops(_ browser: Browser) async throws -> [String] {
      var names: [String] = []
      for _ in 0..<60 {
        try await browser.press(.tab)
        let focused = try await browser.run(Self.focused)
        if focused["isBody"] == true { return names }
        let name = focused["name"]?.text ?? "?"
        #expect(focused["isMarked"] == true, "nobody sees that \(name) has the focus")
        #expect(focused["isInView"] == true, "\(name) has the focus out of sight")
        names.append(name)
      }
      Issue.record("Tab does not come to an end: \(names)")
      return names
    }

    @Test func `everything is reached by Tab, in the order of reading`() async throws {
      try await inWorld { world in
        let id = try await world.item(scanned: "9780141439518")
        try await world.open()
        let names = try await stops(world.browser)
        #expect(names.first == ".skip")
        let order = ["/conflicts", "/status", "#barcode", "#query", "#item-\(id)"]
        let places = order.map { names.firstIndex(of: $0) }
        #expect(!places.contains(nil), "\(names)")
        #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted(), "\(names)")
        #expect(Set(names).count == names.count, "\(names)")

        try await world.open("/items/\(id)")
        let onItem = try await stops(world.browser)
        for name in ["#photo", "#title", "#notes", "#ask-resale-value"] {
          #expect(onItem.contains(name), "\(onItem)")
        }
      }
    }

    @Test func `the first link leads past the head`() async throws {
      try await inWorld { world in
        try await world.open()
        try await world.browser.press(.tab, .enter)
        #expect(try await world.browser.active.attribute("id") == "main")
        try await world.browser.press(.tab)
        #expect(try await world.browser.active.attribute("id") == "barcode")
      }
    }

    @Test func `the dialog keeps the focus, and gives it back`() async throws {
      try await inWorld { world in
        let browser = world.browser
        let id = try await world.item(scanned: "9780141439518")
        try await world.open("/items/\(id)")
        try await world.fail("serverError")
        try await browser.run("document.querySelector('#ask-recall-check').focus()")
        try await browser.press(.enter)
        try await browser.until("$('#error')?.contains(document.activeElement)")
        for key in [Key.tab, .tab, .tab, .tab, .tab, .tab, .backTab, .backTab, .backTab] {
          try await browser.press(key)
          // Between the last and the first, a browser may offer its own controls.
          let isInside = try await browser.run(
            "return document.activeElement.matches('body, #error, #error *')")
          #expect(isInside.isTrue)
        }
        try await browser.press(.escape)
        try await browser.until("!$('#error')")
        try await browser.until("document.activeElement.id === 'ask-recall-check'")
      }
    }

    @Test func `typing goes on while the page changes around it`() async throws {
      try await inWorld { world in
        let browser = world.browser
        try await world.open()
        try await browser.type("#query", "Pride")
        _ = try await world.item(scanned: "9780141439518")
        try await browser.until("text('#items .sync') === 'Synced'")
        #expect(try await browser.active.attribute("id") == "query")
        #expect(try await browser.element("#query").value == "Pride")
        try await browser.press(.enter)
        try await browser.until("location.search.includes('query=Pride') && $('#items li')")
      }
    }
  }
}
