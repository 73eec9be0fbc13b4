// SPDX-License-Identifier: Apache-2.0

import InventoryCore
import InventoryTestSupport
import TestSupport
import Testing

extension BrowserTests {
  /// What presenters do while a person acts, on the part of the gallery that can be tried out.
  @Suite(.ends(withinMinutes: 10)) struct GalleryLiveTests {
    private static let isOpen = "$('#error')?.matches(':modal')"

    private func trying(_ test: (World, Browser) async throws -> Void) async throws {
      try await inWorld { world in
        try await world.open("/gallery/live")
        try await test(world, world.browser)
      }
    }

    // MARK: Overlay, banner and toasts

    @Test(
      .requirement("A31", "E19", "E22"),
      arguments: [
        ("retry", ["retry", "dismiss"]), ("permanent", ["dismiss"]),
        ("unsure", ["check-outcome", "dismiss"]),
      ])
    func `an overlay keeps the focus until Escape gives it back`(
      what: String, buttons: [String]
    ) async throws {
      try await trying { _, browser in
        try await browser.run(
          "document.getElementById(arguments[0]).focus()", .string("raise-\(what)"))
        try await browser.press(.enter)
        try await browser.until(Self.isOpen)
        let offered = try await browser.run(
          "return Array.from(document.querySelectorAll('#error button'), (one) => one.value)")
        #expect(offered.list.compactMap(\.text) == buttons)
        var reached: Set<String> = []
        for key in Array(repeating: Key.tab, count: 5) + Array(repeating: .backTab, count: 5) {
          try await browser.press(key)
          let place =
            try await browser.run(
              """
              const active = document.activeElement;
              return active.matches("#error, #error *") ? active.value ?? "" : active.localName;
              """
            ).text ?? "?"
          // Between the last and the first, a browser may offer its own controls.
          #expect(["", "body"].contains(place) || buttons.contains(place))
          reached.insert(place)
        }
        #expect(reached.isSuperset(of: buttons), "\(reached)")
        try await browser.press(.escape)
        try await browser.until("!$('#error')")
        try await browser.until("document.activeElement.id === args[0]", .string("raise-\(what)"))
      }
    }

    @Test(.requirement("A15", "A16", "E18"))
    func `Retry runs the work, and the overlay goes before it does`() async throws {
      try await trying { _, browser in
        try await browser.click("#raise-retry")
        try await browser.until(Self.isOpen)
        #expect(try await browser.element("#error").role == "alertdialog")
        try await browser.click("#error [value=retry]")
        try await browser.until("!$('#error') && text('li.toast.success').includes('worked')")
        try await browser.until("document.activeElement.id === 'raise-retry'")
        try await browser.click("#raise-unsure")
        try await browser.until(Self.isOpen)
        try await browser.click("#error [value=check-outcome]")
        try await browser.until("!$('#error') && text('#toasts').includes('It had worked')")
      }
    }

    @Test(.requirement("A33", "E23"))
    func `what is quiet stands at the edge, and takes no focus`() async throws {
      try await trying { _, browser in
        try await browser.click("#raise-offline")
        try await browser.until("$('#banner .notice.orange')")
        #expect(try await browser.elements("#error").isEmpty)
        #expect(try await browser.element("#banner").role == "status")
        #expect(try await browser.active.attribute("id") == "raise-offline")
        try await browser.click("#banner [value=dismiss]")
        try await browser.until("!$('#banner .notice')")
        try await browser.click("#raise-offline")
        try await browser.click("#banner [value=retry]")
        try await browser.until("!$('#banner .notice') && $('li.toast.success')")
      }
    }

    @Test(.requirement("A58"), arguments: ["info", "success", "warning", "error"])
    func `a toast is announced, and neither comes nor goes with the focus`(
      style: String
    ) async throws {
      try await trying { _, browser in
        let toasts = try await browser.element("#toasts")
        #expect(try await toasts.role == "status")
        #expect(try await toasts.attribute("aria-live") == "polite")
        try await browser.click("#join-name")
        try await browser.run(Self.raise, .string(style))
        try await browser.until("$(args[0])", .string("#toasts li.toast.\(style)"))
        #expect(try await browser.active.attribute("id") == "join-name")
        try await browser.until("!$('li.toast')")
        #expect(try await browser.active.attribute("id") == "join-name")
      }
    }

    @Test func `a toast stays while it is read, and gives the focus back`() async throws {
      try await trying { _, browser in
        try await browser.click("#raise-success")
        try await browser.until("$('li.toast.success')")
        try await browser.run("document.querySelector('li.toast.success button').focus()")
        // Two that come later, one after the other, have gone before it.
        for _ in 0..<2 {
          try await browser.run(Self.raise, "info")
          try await browser.until("$('li.toast.info')")
          try await browser.until("!$('li.toast.info')")
        }
        let isThere = "document.activeElement.closest('li.toast.success')"
        try await browser.until(isThere)
        try await browser.press(.enter)
        try await browser.until("!$('li.toast')")
        try await browser.until("document.activeElement.id === 'raise-success'")
        try await browser.click("#raise-deed")
        try await browser.click("li.toast.success [id^=deed-]")
        try await browser.until("text('li.toast.info').includes('It is back')")
        #expect(try await browser.elements("li.toast.success").isEmpty)
      }
    }

    /// What another tab of the same browser does shows here too.
    private static let raise = """
      fetch("/gallery/raise",
        { method: "POST", body: new URLSearchParams({ what: arguments[0] }) });
      """

    // MARK: The load

    @Test(.requirement("T19", "A14"))
    func `the late answer of a load that was superseded never shows`() async throws {
      try await trying { _, browser in
        // Everything that the place ever said.
        try await browser.run(
          """
          window.said = [];
          const look = () => said.push(document.querySelector("#load .result").innerText);
          new MutationObserver(look).observe(
            document.body, { subtree: true, childList: true, characterData: true });
          """)
        try await browser.click("#load-slowly")
        try await browser.until("text('#load .busy')")
        try await browser.click("#load-quickly")
        try await browser.until("text('#load .answer').includes('load 2')")
        try await browser.until("text('#load-count').includes('Ended: 2')")
        #expect(try await browser.element("#load .answer").text.contains("load 2"))
        let said = try await browser.run("return said").list.compactMap(\.text)
        #expect(!said.contains { $0.contains("load 1") }, "\(said)")
        #expect(said.contains { $0.contains("Loading") }, "\(said)")
      }
    }

    @Test(.requirement("E8", "E12", "T18"))
    func `nothing shows after a load was stopped`() async throws {
      try await trying { _, browser in
        try await browser.click("#load-slowly")
        try await browser.until("text('#load .busy') && !$('#load-cancel').disabled")
        try await browser.click("#load-cancel")
        try await browser.until("text('#load-count').includes('Ended: 1')")
        try await browser.until("text('#load .result') === 'Nothing was loaded yet.'")
        #expect(try await browser.elements("#load .row, #load .answer, #error, li.toast").isEmpty)
        #expect(try await browser.elements("#banner .notice").isEmpty)
      }
    }

    @Test(.requirement("E9", "E17", "E31"))
    func `a load that failed is tried again in its place, and its error goes first`() async throws {
      try await trying { _, browser in
        try await browser.click("#load-badly")
        try await browser.until("$('#load .row')")
        #expect(try await browser.elements("#error").isEmpty)
        try await browser.click("#load .row [value=retry]")
        try await browser.until("!$('#load .row') && text('#load .answer').includes('load 1')")
      }
    }
  }
}
