// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import InventoryTestSupport
import TestSupport
import Testing

extension BrowserTests {
  /// Whether pages can be read and used by everybody, and what they look like.
  @Suite(.ends(withinMinutes: 10)) struct LookTests {
    private static let isbns = [
      "9780141439518", "9799000000035", "9799000000066", "9799000000097", "9799000000240",
    ]

    /// An app in which each page has something to show: books of the catalog, one that it does not
    /// know, a thing entered by hand, a dead letter, errors, a conflict.
    private func inFullWorld(
      _ test: (_ world: World, _ item: String) async throws -> Void
    ) async throws {
      try await inWorld { world in
        for isbn in Self.isbns.dropFirst() { _ = try await world.item(scanned: isbn) }
        _ = try await world.item(scanned: "9791234567896")
        _ = try await world.deadLetter()
        _ = try await world.app.send(
          "POST", "/api/items",
          #"{"title": "A lamp with a shade of green glass and a long name that breaks lines", "#
            + #""location": "Hall, beside the door", "quantity": 3}"#)
        let item = try await world.item(scanned: Self.isbns[0])
        try await world.conflict(item)
        try await test(world, item)
      }
    }

    private func pages(_ item: String) -> [String] {
      [
        "/", "/?query=nothing+is+called+so", "/items/\(item)", "/conflicts", "/status", "/errors",
        "/errors?span=day", "/help", "/items/3f2504e0-4f89-41d3-9a0c-0305e82c3301",
      ]
    }

    @Test func `no page keeps anybody from reading or using it, or complains`() async throws {
      try await inFullWorld { world, item in
        let browser = world.browser
        for page in pages(item) {
          try await world.open(page)
          for scheme in ColorScheme.allCases {
            // Still, or a colour may be caught on its way.
            try await browser.prefer(scheme, isStill: true)
            let mistakes = try await Audit.mistakes(browser)
            #expect(mistakes.isEmpty, "\(page) in \(scheme.rawValue) colours")
          }
          for width in [320, 768] {
            try await browser.resize(width, 640)
            let mistakes = try await Audit.mistakes(browser)
            #expect(mistakes.isEmpty, "\(page) in a window of \(width)")
          }
          try await browser.resize(1200, 900)
        }
        // The last one is not there, and that is all there is to complain about.
        let complaints = try await browser.complaints()
        #expect(complaints.allSatisfy { $0.message.contains("404") && $0.source == "network" })
      }
    }

    @Test func `neither does what comes and goes`() async throws {
      try await inWorld { world in
        let browser = world.browser
        let id = try await world.item(scanned: Self.isbns[0])
        try await world.open()
        try await world.scan("not a barcode")
        try await browser.until("text('#barcode-error')")
        try await expectNoMistakes(browser, "a mistake in a field")
        try await browser.enter("#barcode", Self.isbns[1] + Key.enter.value)
        // Whoever has the focus in it keeps it: it must not go while it is looked at.
        try await browser.until(
          "document.activeElement.matches('li.toast *') || $('li.toast button')?.focus()")
        try await expectNoMistakes(browser, "a toast")
        try await browser.click("li.toast button")
        try await world.open("/items/\(id)")
        try await world.fail("serverError")
        try await browser.click("#ask-recall-check")
        try await browser.until("$('#error')?.matches(':modal')")
        try await expectNoMistakes(browser, "the dialog")
        try await browser.press(.escape)
        try await world.fail("down")
        try await browser.until("text('#banner').includes('reached')")
        try await expectNoMistakes(browser, "the banner")
        await world.killApp()
        try await browser.until("text('#banner').includes('Not connected')")
        try await expectNoMistakes(browser, "a page without its app")
      }
    }

    private func expectNoMistakes(
      _ browser: Browser, _ what: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      for (scheme, width) in [(ColorScheme.light, 1200), (.dark, 320)] {
        try await browser.prefer(scheme, isStill: true)
        try await browser.resize(width, 700)
        let mistakes = try await Audit.mistakes(browser)
        #expect(mistakes.isEmpty, "\(what), \(scheme.rawValue)", sourceLocation: sourceLocation)
      }
      try await browser.prefer(.light, isStill: true)
    }

    @Test func `pages are light or dark as is wished, on a desk and on a phone`() async throws {
      try await inFullWorld { world, item in
        let browser = world.browser
        var pictures: [(name: String, scheme: ColorScheme, picture: Data)] = []
        for (device, width, height) in [("desk", 1200, 900), ("phone", 390, 844)] {
          try await browser.resize(width, height, isPhone: device == "phone")
          for scheme in ColorScheme.allCases {
            try await browser.prefer(scheme, isStill: true)
            for (name, page) in zip(
              ["list", "item", "conflicts", "status", "errors"],
              ["/", "/items/\(item)", "/conflicts", "/status", "/errors"])
            {
              try await world.open(page)
              pictures.append(
                ("\(name)-\(device)-\(scheme.rawValue)", scheme, try await browser.picture()))
            }
          }
        }
        // The policy of the app's pages does not let a picture be read back there.
        try await browser.open("about:blank")
        for (name, scheme, picture) in pictures {
          try Pictures.keep(picture, named: name)
          if name.hasPrefix("errors-desk") {
            try Pictures.publish(picture, named: "errors", scheme)
          }
          let brightness = try await browser.brightness(of: picture)
          #expect(scheme == .light ? brightness > 0.8 : brightness < 0.2, "\(name): \(brightness)")
        }
      }
    }
  }
}
