// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import InventoryTestSupport
import TestSupport
import Testing

extension BrowserTests {
  /// Every state that a presenter can be in, as a person meets it.
  @Suite(.ends(withinMinutes: 10)) struct GalleryTests {
    /// The names of the states, as the page lists them.
    private func states(_ browser: Browser) async throws -> [String] {
      let names = try await browser.run(
        "return Array.from(document.querySelectorAll('[data-state]'), (one) => one.dataset.state)")
      return names.list.compactMap(\.text)
    }

    private func expectNoMistakes(
      _ browser: Browser, _ what: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      for scheme in ColorScheme.allCases {
        try await browser.prefer(scheme, isStill: true)
        let mistakes = try await Audit.mistakes(browser)
        #expect(
          mistakes.isEmpty, "\(what) in \(scheme.rawValue) colours", sourceLocation: sourceLocation)
      }
    }

    @Test(.requirement("A30", "A31", "A33"))
    func `the whole gallery keeps nobody from reading or using it`() async throws {
      try await inWorld { world in
        let browser = world.browser
        for page in ["/gallery", "/gallery/live"] {
          try await world.open(page)
          try await expectNoMistakes(browser, page)
          // A window of 320 is also what is left of 1280 at 400 %.
          try await browser.resize(320, 640)
          try await expectNoMistakes(browser, "\(page), narrow")
          try await browser.resize(1200, 900)
        }
      }
    }

    @Test func `neither does any state alone`() async throws {
      try await inWorld { world in
        let browser = world.browser
        try await world.open("/gallery")
        let names = try await states(browser)
        #expect(names.count > 30, "\(names)")
        for name in names {
          try await world.open("/gallery/\(name)")
          #expect(try await states(browser) == [name])
          try await expectNoMistakes(browser, name)
        }
      }
    }

    @Test func `nothing lies over anything else, however narrow the window is`() async throws {
      try await inWorld { world in
        let browser = world.browser
        try await world.open("/gallery")
        for width in [320, 390, 768, 1200] {
          try await browser.resize(width, 800)
          #expect(try await browser.run(Self.overlaps).list == [], "in a window of \(width)")
        }
      }
    }

    /// The parts of a state that share a place with another one, or stand out of their stage.
    private static let overlaps = """
      const found = [];
      const box = (element) => element.getBoundingClientRect();
      const tell = (what, element) => found.push(
        `${what}: ${element.outerHTML.replace(/\\s+/g, " ").slice(0, 120)}`);
      for (const stage of document.querySelectorAll(".stage")) {
        const parts = Array.from(stage.querySelectorAll(
          "h2, h3, p, strong, label, input, button, a.button, li > a, progress"))
          .filter((one) => one.checkVisibility());
        const outer = box(stage);
        for (const [index, part] of parts.entries()) {
          const own = box(part);
          if (own.left < outer.left - 0.5 || own.right > outer.right + 0.5) {
            tell("outside", part);
          }
          for (const other of parts.slice(index + 1)) {
            if (part.contains(other)) { continue; }
            const its = box(other);
            const width = Math.min(own.right, its.right) - Math.max(own.left, its.left);
            const height = Math.min(own.bottom, its.bottom) - Math.max(own.top, its.top);
            if (width > 1 && height > 1) { tell("overlap", other); }
          }
        }
      }
      return found;
      """

    @Test(.requirement("E17", "E19", "T10"))
    func `Retry stands only where it can help`() async throws {
      try await inWorld { world in
        let browser = world.browser
        try await world.open("/gallery")
        let retriable = try await browser.run(
          """
          return Array.from(document.querySelectorAll("[data-state]")).filter((state) =>
            Array.from(state.querySelectorAll("button, a")).some(
              (one) => one.innerText === "Try Again")).map((state) => state.dataset.state);
          """)
        #expect(
          retriable.list.compactMap(\.text) == [
            "overlay-retry", "overlay-person", "overlay-unknown", "overlay-count", "overlay-alike",
            "banner-offline", "row-retry", "row-offline", "page-retry", "page-person",
            "task-failed", "task-kept",
          ])
        let checkable = try await browser.run(
          """
          return Array.from(document.querySelectorAll("[data-state]:has([value=check-outcome])"),
            (state) => state.dataset.state);
          """)
        #expect(
          checkable.list.compactMap(\.text) == [
            "overlay-unsure", "overlay-busy", "overlay-helpless",
          ])
      }
    }

    @Test func `pictures of the states can be had`() async throws {
      try await inWorld { world in
        let browser = world.browser
        for (device, width) in [("desk", 1200), ("phone", 320)] {
          try await browser.resize(width, 800)
          for scheme in ColorScheme.allCases {
            try await browser.prefer(scheme, isStill: true)
            for page in ["gallery", "live"] {
              try await world.open(page == "live" ? "/gallery/live" : "/gallery")
              let whole = try await browser.wholePicture()
              #expect(whole.count > 10_000)
              try Pictures.keep(whole, named: "\(page)-\(device)-\(scheme.rawValue)")
            }
          }
        }
      }
    }

    @Test func `the documentation shows some of them`() async throws {
      try await inWorld { world in
        let browser = world.browser
        try await browser.resize(460, 900)
        let names = [
          "overlay-unsure", "banner-portal", "row-retry", "toast-deed", "form-sent",
          "task-recovering",
        ]
        for scheme in ColorScheme.allCases {
          try await browser.prefer(scheme, isStill: true)
          for name in names {
            try await world.open("/gallery/\(name)")
            let picture = try await browser.element(".stage").picture()
            #expect(picture.count > 1_000, "\(name)")
            try Pictures.publish(picture, named: "gallery-\(name)", scheme)
          }
        }
      }
    }

    @Test func `without scripts a state leads back, and says that it is a picture`() async throws {
      try await inWorld { world in
        let browser = world.browser
        try await browser.forbidScripts()
        try await world.open("/gallery/overlay-retry")
        try await browser.element(".stage [value=retry]").click()
        // No script can say when the next page is there, so it is asked for again.
        var text = ""
        let end = ContinuousClock.now + Browser.limit
        while !text.contains("picture of a button"), ContinuousClock.now < end {
          text = (try? await browser.element("li.toast.info p").text) ?? ""
        }
        #expect(text.contains("picture of a button"))
        #expect(try await browser.address.hasSuffix("/gallery/overlay-retry"))
      }
    }
  }
}
