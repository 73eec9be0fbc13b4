// SPDX-License-Identifier: Apache-2.0

import Foundation
import HummingbirdTesting
import InventoryCore
import InventoryUpstream
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// What one browser sees of errors, toasts and questions.
@Suite(.ends(withinMinutes: 5)) struct ScreenTests {
  /// Puts an error on the screen of a browser, and answers the page with it.
  @discardableResult
  private func fail(_ browser: Browser) async throws -> Page {
    _ = try await browser.post("/items/\(UUID().text)/delete", ["key": "x", "page": "/"])
    return try await browser.get("/")
  }

  @Test(arguments: [TestingSetup.router, .live])
  func `a browser gets a cookie once, which no script and no other site can use`(
    setup: TestingSetup
  ) async throws {
    try await visiting(setup) { world in
      let browser = world.browser()
      let cookie = try #require(try await browser.get("/").headers["set-cookie"])
      let parts = cookie.components(separatedBy: "; ")
      #expect(try parts[0].wholeMatch(of: Regex("inventory-screen=[0-9a-f]{32}")) != nil)
      #expect(Set(parts.dropFirst()) == ["Path=/", "HttpOnly", "SameSite=Strict"])
      #expect(try await browser.get("/help").headers["set-cookie"] == nil)
      let other = try await world.browser().get("/")
      #expect(other.headers["set-cookie"] != cookie)
      let forged = world.browser()
      await forged.take(cookie: "inventory-screen=../../etc/passwd")
      #expect(try await forged.get("/").headers["set-cookie"] != nil)
      let poster = world.browser()
      let answer = try await poster.post("/scan", ["barcode": "036000291452"])
      #expect(answer.headers["set-cookie"] != nil)
      #expect(try await poster.get("/").toasts.count == 1)
    }
  }

  @Test(.requirement("E6")) func `an error is seen on one screen, until it is dismissed`()
    async throws
  {
    try await visiting { world in
      let (one, other) = (world.browser(), world.browser())
      _ = try await other.get("/")
      let page = try await fail(one)
      #expect(page.dialog != nil)
      #expect(try await one.get("/status").dialog != nil)
      #expect(try await other.get("/").dialog == nil)
      let id = try #require(page.errorID)
      _ = try await other.post("/screen/errors/\(id)/dismiss", ["page": "/"])
      #expect(try await one.get("/").dialog != nil, "somebody else’s error is nobody’s business")
      let after = try await one.submit("/screen/errors/\(id)/dismiss", of: page)
      #expect(after.dialog == nil)
      #expect(try await one.submit("/screen/errors/\(id)/dismiss", of: page).dialog == nil)
      #expect(try await one.get("/").dialog == nil)
      #expect(try await one.post("/screen/errors/\(id)/explode", ["page": "/"]).status == 404)
      #expect(try await one.post("/screen/errors/x/dismiss", ["page": "/"]).status == 400)
    }
  }

  @Test(.requirement("B12")) func `what a person saw and chose is in the log`() async throws {
    try await visiting { world in
      let browser = world.browser()
      let page = try await fail(browser)
      let id = try #require(page.errorID)
      _ = try await browser.submit("/screen/errors/\(id)/dismiss", of: page)
      let log = String(decoding: try await world.inventory.errorLog(), as: UTF8.self)
      #expect(log.contains(#""presentation":{"action":"dismiss""#), "\(log)")
    }
  }

  @Test func `the same error again is counted, another one waits for its turn`() async throws {
    try await visiting { world in
      let browser = world.browser()
      let path = "/items/\(UUID().text)/delete"
      for _ in 0..<3 { _ = try await browser.post(path, ["page": "/"]) }
      _ = try await browser.post("/conflicts/\(UUID().text)", ["choice": "local"])
      let page = try await browser.get("/")
      #expect(page.dialog?.has("3 times") == true)
      let id = try #require(page.errorID)
      let next = try await browser.submit("/screen/errors/\(id)/dismiss", of: page)
      #expect(next.dialog?.has("This conflict is settled") == true)
    }
  }

  @Test(.requirement("C19")) func `what the inventory tells reaches every screen`() async throws {
    try await visiting { world in
      let browsers = [world.browser(), world.browser()]
      for browser in browsers {
        _ = try await browser.get("/")
        _ = try await browser.get("/")
      }
      _ = try await world.conflict()
      for browser in browsers {
        // The screens are told by themselves, which may be after the conflict is stored.
        var page = try await browser.get("/")
        while page.toasts.isEmpty { page = try await browser.get("/") }
        #expect(page.toasts.first?.hasPrefix("Changed in two places. “Local lamp”") == true)
        #expect(page.has("<li class=\"toast warning\"") && page.has("#exclamationmark.triangle"))
        let id = try #require(page.part(from: "data-toast=\"", to: "\""))
        let after = try await browser.submit("/screen/toasts/\(id)/dismiss", of: page)
        #expect(after.toasts.isEmpty)
      }
    }
  }

  @Test func `the screen that was used least recently makes room for the sixty-fifth`()
    async throws
  {
    try await visiting { world in
      let browsers = (0..<64).map { _ in world.browser() }
      for browser in browsers { try await fail(browser) }
      for browser in browsers { #expect(try await browser.get("/").dialog != nil) }
      // The first is the last who visited, so the second is the one that goes.
      #expect(try await browsers[0].get("/").dialog != nil)
      let late = world.browser()
      #expect(try await fail(late).dialog != nil)
      #expect(try await browsers[0].get("/").dialog != nil)
      #expect(try await browsers[2].get("/").dialog != nil)
      #expect(try await browsers[1].get("/").dialog == nil)
      #expect(try await late.get("/").dialog != nil)
    }
  }

  @Test func `who only looks without a cookie takes nobody’s place`() async throws {
    try await visiting { world in
      let browser = world.browser()
      try await fail(browser)
      for _ in 0..<70 { _ = try await world.browser().get("/") }
      #expect(try await browser.get("/").dialog != nil)
    }
  }
}
