// SPDX-License-Identifier: Apache-2.0

import InventoryCore
import InventoryTestSupport
import TestSupport
import Testing

extension BrowserTests {
  /// A form that is judged while a person fills it in.
  @Suite(.ends(withinMinutes: 10)) struct GalleryFormTests {
    private static let good = [
      "name": "Katherine", "email": "kj@example.com", "age": "38",
      "password": "a long password", "again": "a long password",
    ]

    private func filling(_ test: (World, Browser) async throws -> Void) async throws {
      try await inWorld { world in
        try await world.open("/gallery/live")
        try await test(world, world.browser)
      }
    }

    /// Types into all fields, in their order.
    private func fill(_ browser: Browser, _ changes: [String: String] = [:]) async throws {
      for name in ["name", "email", "age", "password", "again"] {
        let text = changes[name] ?? Self.good[name] ?? ""
        if !text.isEmpty { try await browser.enter("#join-\(name)", text) }
      }
    }

    @Test(.requirement("E20", "E21", "A34"))
    func `the first mistake gets the focus, and each is tied to its field`() async throws {
      try await filling { _, browser in
        try await fill(browser, ["email": "nobody", "again": "another password"])
        try await browser.click("#join-send")
        try await browser.until("document.activeElement.id === 'join-email'")
        for (name, part) in [("email", "email address"), ("again", "differ")] {
          let field = try await browser.element("#join-\(name)")
          #expect(try await field.attribute("aria-invalid") == "true")
          let described = try await field.attribute("aria-describedby") ?? "nothing"
          #expect(try await browser.element("#\(described)").text.contains(part))
        }
        let right = try await browser.element("#join-age")
        #expect(try await right.attribute("aria-invalid") == nil)
        #expect(try await right.attribute("aria-describedby") == nil)
        #expect(try await browser.element("#join-count").text == "Sent: 0.")
      }
    }

    @Test func `the summary is announced, and its links lead to the fields`() async throws {
      try await filling { _, browser in
        try await browser.click("#join-send")
        try await browser.until("$('#join-summary')")
        let summary = try await browser.element("#join-summary")
        #expect(try await summary.role == "alert")
        let links = try await browser.elements("#join-summary a")
        #expect(links.count == 5)
        for (name, label) in [("again", "Password again"), ("age", "Age"), ("name", "Name")] {
          let link = "#join-summary a[href='#join-\(name)']"
          #expect(try await browser.element(link).text.hasPrefix("\(label): "))
          try await browser.click(link)
          try await browser.until("document.activeElement.id === args[0]", .string("join-\(name)"))
        }
      }
    }

    @Test(.requirement("E25", "E26"))
    func `a mistake shows once its field is left, and goes with it`() async throws {
      try await filling { _, browser in
        try await browser.click("#join-name")
        try await browser.press(.tab)
        try await browser.write("nobody")
        #expect(try await browser.elements("#join .error").isEmpty)
        try await browser.press(.tab)
        try await browser.until("text('#join-email-error')")
        #expect(try await browser.active.attribute("id") == "join-age", "the focus stays")
        #expect(try await browser.elements("#join-name-error").isEmpty, "empty says nothing yet")
        try await browser.type("#join-email", "@example.com")
        try await browser.until("!$('#join-email-error')")
        #expect(try await browser.element("#join-email").value == "nobody@example.com")
        #expect(try await browser.active.attribute("id") == "join-email")
      }
    }

    @Test(.requirement("E27"))
    func `what depends on another field is judged again with it`() async throws {
      try await filling { _, browser in
        try await browser.type("#join-password", "a long password")
        try await browser.type("#join-again", "a long passwor")
        try await browser.press(.tab)
        try await browser.until("text('#join-again-error').includes('differ')")
        try await browser.enter("#join-password", "a long passwor")
        try await browser.until("!$('#join-again-error')")
        try await browser.type("#join-password", "d")
        try await browser.until("text('#join-again-error').includes('differ')")
        #expect(try await browser.active.attribute("id") == "join-password")
        let page = try await browser.run("return document.documentElement.outerHTML").text ?? ""
        #expect(!page.contains("a long passwor"))
      }
    }

    @Test func `what the service refuses stands under its fields`() async throws {
      try await filling { _, browser in
        try await fill(browser, ["email": "kj@refused.example"])
        try await browser.click("#join-send")
        try await browser.until("document.activeElement.id === 'join-name'")
        #expect(try await browser.element("#join-name-error").isShown)
        #expect(try await browser.element("#join-email-error").isShown)
        #expect(try await browser.elements("#join .row, #error").isEmpty)
        try await browser.type("#join-name", "e")
        try await browser.until("!$('#join-name-error') && $('#join-email-error')")
        try await browser.enter("#join-email", "kj@offline.example")
        try await browser.click("#join-send")
        try await browser.until("text('#join [role=alert] .row') && !$('#join .error')")
        #expect(try await browser.elements("#join [role=alert] .row button").isEmpty)
      }
    }

    @Test(.requirement("E5"))
    func `two quick taps send once`() async throws {
      try await filling { _, browser in
        try await fill(browser, ["email": "kj@slow.example"])
        // As fast as a script can, and past what the page itself holds back.
        try await browser.run(
          """
          const form = document.getElementById("join");
          const body = new URLSearchParams(new FormData(form));
          const send = document.getElementById("join-send");
          send.click();
          send.click();
          fetch(form.action, { method: "POST", body });
          fetch(form.action, { method: "POST", body });
          """)
        try await browser.until("$('#join-send').disabled")
        try await browser.until("text('#toasts').includes('It was sent')")
        try await browser.until("!$('#join-send').disabled")
        #expect(try await browser.element("#join-count").text == "Sent: 1.")
        #expect(try await browser.elements("li.toast").count == 1)
        #expect(try await browser.elements("li.toast .times").isEmpty)
      }
    }

    @Test func `without scripts the same mistakes are said, and the first has the focus`()
      async throws
    {
      try await inWorld { world in
        let browser = world.browser
        try await browser.forbidScripts()
        try await world.open("/gallery/live")
        try await browser.element("#join-name").type("Katherine")
        try await browser.element("#join-email").type("nobody")
        try await browser.element("#join-send").click()
        let error = try await browser.element("#join-email-error")
        #expect(try await error.text.contains("email address"))
        #expect(try await browser.active.attribute("id") == "join-email")
        let field = try await browser.element("#join-email")
        #expect(try await field.attribute("aria-describedby") == "join-email-error")
        #expect(try await field.value == "nobody")
        #expect(try await browser.elements("#join-summary a").count == 4)
        try await browser.element("#join-email").clear()
        try await browser.element("#join-email").type("kj@example.com")
        try await browser.element("#join-age").type("38")
        try await browser.element("#join-password").type("a long password")
        try await browser.element("#join-again").type("a long password")
        try await browser.element("#join-send").click()
        // It comes into view little by little.
        #expect(try await browser.elements("li.toast.success").count == 1)
        #expect(try await browser.element("#join-count").text == "Sent: 1.")
      }
    }
  }
}
