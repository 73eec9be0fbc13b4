// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import TestSupport
import Testing

extension BrowserTests {
  /// The tools of these tests themselves, on pages that do nothing by chance.
  @Suite(.ends(withinMinutes: 10)) struct WebDriverTests {
    private static let page = """
      <!DOCTYPE html>
      <html lang="en">
      <head><title>Plain</title>
      <style>
        @media (prefers-color-scheme: dark) { body { background: #000; color: #fff } }
      </style></head>
      <body>
      <h1>Plain <b hidden>secret</b></h1>
      <form action="/next">
        <label for="name">Your name</label> <input id="name" name="name">
        <input type="file" id="file" aria-label="A file">
        <button aria-describedby="hint">Send</button> <span id="hint">Nothing is sent</span>
      </form>
      <ul><li>one</li><li>two</li></ul>
      <p id="later"></p>
      <button id="slow" type="button" onclick="setTimeout(() => {
        document.getElementById('later').textContent = 'done';
      }, 50)">Later</button>
      <button id="leave" type="button" onclick="setTimeout(() => { location = '/next' }, 50)">
        Leave</button>
      <script>document.body.dataset.script = "ran"</script>
      </body>
      </html>
      """

    private func onPage(_ test: (Browser) async throws -> Void) async throws {
      try await withPages(["/": Self.page, "/next": "<title>Next</title><p>You came</p>"]) {
        origin in
        try await withBrowser { browser in
          try await browser.open(origin)
          try await test(browser)
        }
      }
    }

    @Test func `elements are found, read and used`() async throws {
      try await onPage { browser in
        #expect(try await browser.title == "Plain")
        #expect(try await browser.element("h1").text == "Plain")
        #expect(try await browser.element("b").isShown == false)
        #expect(try await browser.elements("li").count == 2)
        let name = try await browser.element("#name")
        #expect(try await name.label == "Your name")
        #expect(try await name.role == "textbox")
        try await name.type("Ada")
        #expect(try await name.value == "Ada")
        #expect(try await name.attribute("name") == "name")
        #expect(try await browser.active.id == name.id)
        let sum = try await browser.run("return arguments[0] + 1", 41)
        #expect(sum == 42)
        try await browser.press(.tab, .tab, .enter)
        try await browser.until("document.title === 'Next'")
        #expect(try await browser.address.hasSuffix("/next?name=Ada"))
        await #expect(throws: WebDriverError.self) { try await browser.element("#name") }
      }
    }

    @Test func `keys move the focus, also backwards`() async throws {
      try await onPage { browser in
        try await browser.press(.tab, .tab, .tab)
        #expect(try await browser.active.text == "Send")
        try await browser.press(.backTab)
        #expect(try await browser.active.attribute("id") == "file")
      }
    }

    @Test func `waiting ends when the page changes, and outlives a new page`() async throws {
      try await onPage { browser in
        try await browser.element("#slow").click()
        #expect(try await browser.until("text('#later') === args[0]", "done").isTrue)
        try await browser.element("#leave").click()
        try await browser.until("text('p') === 'You came'")
        let error = await #expect(throws: WebDriverError.self) {
          try await browser.until("nobody.knows")
        }
        #expect(error?.code == "javascript error")
      }
    }

    @Test func `a page is dark, small or without scripts where that is asked`() async throws {
      try await onPage { browser in
        let light = try await browser.picture()
        try await browser.prefer(.dark, isStill: true)
        let dark = try await browser.picture()
        #expect(try await browser.brightness(of: light) > 0.9)
        #expect(try await browser.brightness(of: dark) < 0.1)
        #expect(
          try await browser.run(
            "return matchMedia('(prefers-reduced-motion: reduce)').matches") == true)
        try await browser.resize(320, 640, isPhone: true)
        #expect(try await browser.run("return devicePixelRatio") == 2)
        try await browser.resize(320, 640)
        #expect(try await browser.run("return innerWidth") == 320)
        #expect(try await browser.element("body").attribute("data-script") == "ran")
        try await browser.forbidScripts()
        try await browser.reload()
        #expect(try await browser.element("body").attribute("data-script") == nil)
        #expect(try await browser.element("h1").text == "Plain")
      }
    }

    @Test func `what a page complains about is heard`() async throws {
      let page = """
        <!DOCTYPE html><title>Loud</title>
        <meta http-equiv="Content-Security-Policy" content="style-src 'none'">
        <p style="color: red">Red</p><script>console.error("alas"); nobody.knows()</script>
        """
      try await withPages(["/": page]) { origin in
        try await withBrowser { browser in
          try await browser.open(origin)
          let complaints = try await browser.complaints().filter { $0.level == "SEVERE" }
          let sources = Set(complaints.map(\.source))
          #expect(sources.isSuperset(of: ["console-api", "javascript", "security"]))
          #expect(complaints.contains { $0.message.contains("alas") })
        }
      }
    }

    @Test func `browser, driver and profile go, also when a test fails`() async throws {
      struct Failure: Error {}
      var left: Browser?
      await #expect(throws: Failure.self) {
        try await withBrowser { browser in
          left = browser
          throw Failure()
        }
      }
      let browser = try #require(left)
      let process = try #require(browser.process)
      #expect(kill(process, 0) == -1 && errno == ESRCH)
      // The folder goes last, once the driver has ended.
      #expect(!FileManager.default.fileExists(atPath: browser.folder.path))
    }
  }
}
