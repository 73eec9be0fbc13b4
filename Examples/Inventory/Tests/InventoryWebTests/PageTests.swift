// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HummingbirdTesting
import InventoryCore
import InventoryUpstream
import Mainstay
import TestSupport
import Testing

/// The pages that are read.
@Suite(.ends(withinMinutes: 5)) struct PageTests {
  private static let addresses = [
    "/", "/conflicts", "/status", "/errors", "/help", "/gallery", "/gallery/live",
    "/gallery/form-sent",
  ]

  @Test(arguments: [TestingSetup.router, .live])
  func `every page has the parts of the frame, and may be stored and framed by nobody`(
    setup: TestingSetup
  ) async throws {
    try await visiting(setup) { world in
      let browser = world.browser()
      let item = try await world.inventory.add(ItemDraft(title: "Lamp")).item
      for address in Self.addresses + ["/items/\(item.id.text)"] {
        let page = try await browser.get(address)
        #expect(page.status == 200, "\(address)")
        #expect(page.headers["content-type"] == "text/html; charset=utf-8")
        #expect(page.headers["cache-control"] == "no-store")
        #expect(page.headers["x-content-type-options"] == "nosniff")
        #expect(page.headers["referrer-policy"] == "same-origin")
        #expect(page.headers["content-security-policy"]?.contains("default-src 'self'") == true)
        #expect(page.headers["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
        for part in [
          "id=\"banner\" class=\"banner\" role=\"status\"", "id=\"pending\"",
          "id=\"conflict-count\"", "id=\"toasts\" class=\"toasts\" role=\"status\"",
          "data-address=\"\(address)\"", "<main id=\"main\"", "</html>",
        ] { #expect(page.has(part), "\(address) lacks \(part)") }
        #expect(!page.has("{{") && !page.has("style=\"") && !page.has("Optional("))
      }
    }
  }

  @Test func `the list shows, finds and pages items`() async throws {
    try await visiting { world in
      let browser = world.browser()
      let empty = try await browser.get("/")
      #expect(empty.has("Nothing here yet.") && empty.items.isEmpty && empty.has("id=\"barcode\""))
      for number in 1...30 {
        _ = try await world.inventory.add(
          ItemDraft(title: "Thing \(number)", author: number == 7 ? "Ä & Ö" : nil, quantity: 2))
      }
      let first = try await browser.get("/")
      #expect(first.items.count == 24 && first.has(">Thing 30</a>"))
      let next = try #require(first.part(from: "id=\"next\" href=\"", to: "\""))
      let second = try await browser.get(next)
      #expect(second.items.count == 6 && !second.has("id=\"next\""))
      let found = try await browser.get("/?query=%C3%A4+%26")
      #expect(found.items.count == 1 && found.has(">Thing 7</a>"))
      #expect(found.value(of: "query") == nil && found.has("value=\"ä &amp;\""))
      #expect(found.has("Ä &amp; Ö · 2 pieces"))
      let all = try await browser.get("/?query=thing")
      #expect(all.has("id=\"next\" href=\"/?query=thing&amp;after="))
      let none = try await browser.get("/?query=nonsense")
      #expect(none.has("Nothing here fits “nonsense”."))
      #expect(try await browser.get("/?after=x").status == 422)
      #expect(try await browser.get("/?query=%zz").status == 400)
    }
  }

  @Test(.requirement("C3"))
  func `what is missing is said at the top of every page, and what becomes of changes`()
    async throws
  {
    try await visiting { world in
      let browser = world.browser()
      let before = try await browser.get("/")
      #expect(before.has("<span>Nothing pending</span>") && !before.has("class=\"notice orange\""))
      for (mode, text) in [
        (FaultMode.down, "The service can’t be reached."),
        (.portal, "The network asks to sign in."),
      ] {
        await world.fail(mode)
        _ = try? await world.inventory.pull()
        let page = try await browser.get("/help")
        #expect(page.part(from: "id=\"banner\"", to: "</div>")?.contains(text) == true)
        #expect(page.has("Changes are kept and sent later."))
      }
      _ = try await world.inventory.add(ItemDraft(title: "Lamp"))
      #expect(try await browser.get("/").has("<span>1 pending</span>"))
      await world.fail(.healthy)
      try await world.inventory.pull()
      try await world.inventory.wait { try await world.inventory.status().outbox.pending == 0 }
      let after = try await browser.get("/")
      #expect(after.has("<span>Nothing pending</span>") && !after.has("class=\"notice orange\""))
      #expect(after.has("checkmark.circle\"/></svg>Synced</span>"))
    }
  }

  @Test func `an item's page has its facts, its photo, its form and its questions`() async throws {
    try await visiting { world in
      let browser = world.browser()
      let id = try await world.inventory.scan("9780141439518").item.id
      try await world.inventory.wait {
        try await world.inventory.store.item(id).sync == .synced
      }
      let page = try await browser.get("/items/\(id.text)")
      #expect(page.has("<h1>Pride and Prejudice</h1>") && page.has("From the catalog"))
      #expect(page.has("<dt>ISBN</dt><dd>9780141439518</dd>"))
      #expect(page.value(of: "title") == "Pride and Prejudice" && page.value(of: "quantity") == "1")
      #expect(page.has("<textarea id=\"notes\""))
      // Who sees no picture hears what became of it.
      #expect(page.has("id=\"photo-error\" role=\"alert\"></p>"))
      #expect(page.has("id=\"photo-note\" role=\"status\"></p>"))
      #expect(page.form("/items/\(id.text)")?["version"] == "2")
      let time = try #require(page.part(from: "<dt>Added</dt><dd><time datetime=\"", to: "</time>"))
      let form = try Regex(#"[0-9T:.-]+Z">\d{1,2} \w{3} 20\d\d, \d\d:\d\d UTC"#)
      #expect(time.wholeMatch(of: form) != nil)
      for name in ["recall-check", "resale-value", "recipe-ideas"] {
        #expect(page.question(name)?.has("<button id=\"ask-\(name)\">") == true)
      }
      let photo = Data("GIF89a".utf8) + Data(repeating: 1, count: 100)
      _ = try await world.inventory.setPhoto(photo, of: id)
      let source = try #require(
        try await browser.get("/items/\(id.text)").part(from: "<img src=\"", to: "\""))
      #expect(source.hasPrefix("/api/items/\(id.text)/photo?v="))
      #expect(try await browser.get(source).headers["content-type"] == "image/gif")
      #expect(try await browser.get("/").has("src=\"\(source)\""))
      _ = try await world.inventory.setPhoto(photo + photo, of: id)
      #expect(!(try await browser.get("/").has("src=\"\(source)\"")))
    }
  }

  @Test(.requirement("C5", "C6")) func `the status page says how everything stands`() async throws {
    try await visiting { world in
      let browser = world.browser()
      await world.fail(.down)
      _ = try? await world.inventory.pull()
      _ = try await world.inventory.add(ItemDraft(title: "Lamp"))
      try await world.inventory.wait { !world.inventory.errorGroups().isEmpty }
      let page = try await browser.get("/status")
      for part in [
        "<section id=\"connection\"", "<section id=\"queue\"", "<section id=\"features\"",
        "<section id=\"circuits\"", "id=\"ledger\"", "Offline</span>", "Balanced</span>",
        "<dt>Pending</dt><dd>1</dd>", "Scan<span class=\"hint\"> works without a network</span>",
        "Recall check<span class=\"hint\"> It needs the network, and the service",
        "Nothing was given up.", "Closed: all calls", "<strong>Send a change</strong>",
        "“Lamp”</a>",
      ] { #expect(page.has(part), "\(part)") }
      let waiting = page.part(from: "data-waiting=", to: "</li>") ?? ""
      // Between two attempts, in one, or in the moment before it.
      let reasons = [
        "It is tried again ", "It is being sent.", "It is next.", "Others are being sent first.",
      ]
      #expect(reasons.contains(where: waiting.contains), "it says why it waits: \(waiting)")
      let errors = try await browser.get("/errors")
      #expect(errors.has("<tr data-code=\"inventory.connection-lost\">"))
      for place in ["/api/errors/log", "/api/errors"] {
        #expect(errors.has("href=\"\(place)\""), "the reports can be saved")
        #expect(try await browser.get(place).status == 200)
      }
      let trend = errors.part(from: "<svg class=\"trend\"", to: "</svg>")
      #expect(trend?.contains("<rect x=\"55\"") == true)
      let help = try await browser.get("/help")
      for id in [
        "service", "sign-in", "conflicts", "given-up", "space", "catalog", "scanning",
      ] { #expect(help.has("<section class=\"card\" id=\"\(id)\"")) }
    }
  }

  @Test(arguments: [TestingSetup.router, .live])
  func `people get a page about what is wrong, programs a document`(
    setup: TestingSetup
  ) async throws {
    try await visiting(setup) { world in
      let browser = world.browser()
      let json: HTTPFields = [.accept: "application/json"]
      let nowhere = "/items/\(UUID().text)"
      for (path, status) in [("/nope", 404), ("/scan", 405), (nowhere, 404), ("/items/x", 400)] {
        let page = try await browser.get(path)
        #expect(page.status == status && page.has("</html>") && page.has("All items</a>"))
        #expect(page.has("<section class=\"card problem ") && !page.has("<h1></h1>"))
        let document = try await browser.get(path, json)
        #expect(document.status == status)
        #expect(document.headers["content-type"] == "application/problem+json")
      }
      #expect(try await browser.get("/scan").headers["allow"] == "POST")
      #expect(try await browser.get(nowhere).has("It may have been deleted."))
      for path in ["/api/nope", "/events/nope", "/public/nope.css"] {
        let page = try await browser.get(path)
        #expect(page.status == 404)
        #expect(page.headers["content-type"] == "application/problem+json", "\(path)")
      }
      let head = try await browser.get("/status", method: .head)
      #expect(head.status == 200 && head.text.isEmpty)
      #expect(head.headers["content-type"] == "text/html; charset=utf-8")
    }
  }

  @Test func `a page of another site may not send a form`() async throws {
    try await visiting { world in
      let browser = world.browser()
      let page = try await browser.get(
        "/scan", method: .post, [.origin: "http://evil.example", .accept: "text/html"])
      #expect(page.status == 403 && page.has("Another site may not do this"))
    }
  }

  @Test func `files are read again only when they have changed`() async throws {
    try await visiting { world in
      let browser = world.browser()
      for (name, type) in [
        ("style.css", "text/css; charset=utf-8"), ("app.js", "text/javascript; charset=utf-8"),
        ("icons.svg", "image/svg+xml"), ("icon.svg", "image/svg+xml"),
      ] {
        let file = try await browser.get("/public/\(name)")
        #expect(file.status == 200 && file.headers["content-type"] == type && !file.text.isEmpty)
        #expect(file.headers["x-content-type-options"] == "nosniff")
        let tag = try #require(file.headers["etag"])
        #expect(tag.hasPrefix("\"") && tag.count > 10)
        for known in [tag, "\"x\", W/\(tag)", "*"] {
          let again = try await browser.get("/public/\(name)", [.ifNoneMatch: known])
          #expect(again.status == 304 && again.text.isEmpty && again.headers["etag"] == tag)
        }
        let other = try await browser.get("/public/\(name)", [.ifNoneMatch: "\"x\""])
        #expect(other.status == 200 && other.text == file.text)
      }
    }
  }

  @Test func `every icon that a page draws is there`() async throws {
    try await visiting { world in
      let browser = world.browser()
      let icons = try await browser.get("/public/icons.svg").text
      await world.fail(.portal)
      _ = try? await world.inventory.pull()
      let scan = try await world.inventory.scan("9780141439518").item
      _ = try await world.inventory.scan("036000291452")
      _ = try await world.inventory.add(ItemDraft(title: "Lamp"))
      var drawn: Set<String> = []
      for address in Self.addresses + ["/items/\(scan.id.text)", "/nope"] {
        drawn.formUnion(try await browser.get(address).icons)
      }
      #expect(drawn.count > 8)
      for name in drawn { #expect(icons.contains("<symbol id=\"\(name)\""), "\(name)") }
    }
  }
}
