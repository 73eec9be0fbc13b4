// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import InventoryTestSupport
import TestSupport
import Testing

extension BrowserTests {
  /// The operations dashboard in a real browser.
  @Suite(.ends(withinMinutes: 10)) struct DashboardTests {
    private static let dead = "/mainstay/outboxes/orders/dead"

    /// Looks at a dashboard that has much to show.
    private func withDashboard(
      letters: Int = 75, _ test: (_ browser: Browser, _ dashboard: Address) async throws -> Void
    ) async throws {
      try await withBrowser { browser in
        let program = try await BuiltProgram("DashboardChild", ["\(letters)", "200"])
        do {
          try await test(browser, Address(port: program.port))
        } catch {
          await browser.keepPicture(named: "failure")
          _ = await program.stop(SIGKILL)
          throw error
        }
        let complaints = try await browser.complaints()
        _ = await program.stop(SIGKILL)
        for complaint in complaints where complaint.source != "network" {
          Issue.record("\(complaint)")
        }
      }
    }

    /// The pages, with what a page of a group and of an operation are called now.
    private func pages(_ browser: Browser, _ dashboard: Address) async throws -> [String: String] {
      func first(_ path: String, _ selector: String) async throws -> String {
        try await browser.open(dashboard.origin + path)
        let link = try await browser.element(selector).attribute("href")
        return try #require(link)
      }
      return [
        "overview": "/mainstay", "outbox": "/mainstay/outboxes/orders", "dead": Self.dead,
        "found": "\(Self.dead)?text=nobody",
        "letter": try await first(Self.dead, "td a"),
        "waiting": try await first(
          "/mainstay/outboxes/orders?kind=print-invoice", "#operations td a"),
        "circuits": "/mainstay/circuits", "pipelines": "/mainstay/pipelines",
        "errors": "/mainstay/errors",
        "group": try await first("/mainstay/errors", "#error-20groups td a"),
        "connection": "/mainstay/connection", "levels": "/mainstay/levels",
        "nowhere": "/mainstay/nowhere",
      ]
    }

    @Test func `no page of the dashboard keeps anybody from reading or using it`() async throws {
      try await withDashboard { browser, dashboard in
        for (name, path) in try await pages(browser, dashboard) {
          try await browser.open(dashboard.origin + path)
          for (scheme, width) in [(ColorScheme.light, 1_200), (.dark, 1_200), (.light, 360)] {
            try await browser.prefer(scheme, isStill: true)
            try await browser.resize(width, 800)
            let mistakes = try await Audit.mistakes(browser)
            #expect(mistakes.isEmpty, "\(name), \(scheme.rawValue), \(width)")
          }
        }
      }
    }

    @Test func `the dashboard is light or dark as is wished, on a desk and on a phone`()
      async throws
    {
      try await withDashboard { browser, dashboard in
        let pages = try await pages(browser, dashboard)
        // Until there is a line to draw.
        try await browser.open(dashboard.origin + "/mainstay/outboxes/orders")
        for _ in 0..<6 {
          _ = try await dashboard.send("POST", "/happen/order")
          let rows = try await browser.run(
            "return document.querySelector('#tiles li:last-child strong').innerText")
          try await browser.until("text('#tiles li:last-child strong') !== args[0]", rows)
        }
        var pictures: [(name: String, scheme: ColorScheme, picture: Data)] = []
        for (device, width, height) in [("desk", 1_200, 900), ("phone", 360, 780)] {
          try await browser.resize(width, height, isPhone: device == "phone")
          for scheme in ColorScheme.allCases {
            try await browser.prefer(scheme, isStill: true)
            for (name, path) in pages {
              try await browser.open(dashboard.origin + path)
              pictures.append(
                (
                  "dashboard-\(name)-\(device)-\(scheme.rawValue)", scheme,
                  try await browser.wholePicture()
                ))
            }
          }
        }
        try await browser.open("about:blank")
        for (name, scheme, picture) in pictures {
          try Pictures.keep(picture, named: name)
          let brightness = try await browser.brightness(of: picture)
          #expect(scheme == .light ? brightness > 0.8 : brightness < 0.25, "\(name)")
        }
      }
    }

    @Test func `an open page follows what happens`() async throws {
      try await withDashboard { browser, dashboard in
        try await browser.open(dashboard.origin + "/mainstay")
        try await browser.until("text('#standing') === 'Live'")
        try await browser.run("window.isSame = true")
        _ = try await dashboard.send("POST", "/happen/circuit")
        try await browser.until(
          "text('#circuits').includes('payments') && "
            + "[...document.querySelectorAll('#circuits td.bad')].length === 2")
        _ = try await dashboard.send("POST", "/happen/order")
        try await browser.until("text('#outboxes').includes('76')")
        #expect(try await browser.run("return window.isSame").isTrue)
      }
    }

    @Test func `a page that missed an update says that it is live again after the next one`()
      async throws
    {
      try await withDashboard(letters: 3) { browser, dashboard in
        try await browser.open(dashboard.origin + Self.dead)
        try await browser.until("text('#standing') === 'Live'")
        try await browser.run(
          "window.ownFetch = window.fetch; window.fetch = () => Promise.reject(new Error())")
        _ = try await dashboard.send("POST", "/happen/order")
        try await browser.until("text('#standing') === 'The dashboard cannot be reached.'")
        try await browser.run("window.fetch = window.ownFetch")
        _ = try await dashboard.send("POST", "/happen/order")
        try await browser.until("text('#standing') === 'Live'")
        try await browser.until("text('#lead').includes('5 operations')")
      }
    }

    @Test func `a page that asks to sign in takes the place of nothing`() async throws {
      try await withDashboard(letters: 3) { browser, dashboard in
        try await browser.open(dashboard.origin + Self.dead)
        try await browser.until("text('#standing') === 'Live'")
        try await browser.run(
          """
          window.ownFetch = window.fetch;
          window.fetch = async () => new Response('<p>Sign in</p>');
          """)
        _ = try await dashboard.send("POST", "/happen/order")
        try await browser.until("text('#standing') === 'This page is not up to date any more.'")
        #expect(
          try await browser.run("return document.querySelectorAll('tbody tr').length === 3").isTrue)
        try await browser.run("window.fetch = window.ownFetch")
        _ = try await dashboard.send("POST", "/happen/order")
        try await browser.until("text('#lead').includes('5 operations')")
        try await browser.until("text('#standing') === 'Live'")
      }
    }

    @Test func `a part that comes back stands in its place`() async throws {
      try await withDashboard(letters: 3) { browser, dashboard in
        try await browser.open(dashboard.origin + "/mainstay/outboxes/orders")
        try await browser.until("text('#standing') === 'Live'")
        // For a while all answers lack the tiles and the first section.
        try await browser.run(
          #"""
          window.parts = () => [...document.getElementById('main').children]
            .map((one) => one.getAttribute('id') || one.className).join(' ');
          window.before = window.parts();
          window.ownFetch = window.fetch;
          window.fetch = async (...call) => {
            const page = await (await window.ownFetch(...call)).text();
            return new Response(page.replace(/<ul class="tiles"[\s\S]*?<\/ul>/, '')
              .replace(/<section [\s\S]*?<\/section>/, ''));
          };
          """#)
        _ = try await dashboard.send("POST", "/happen/order")
        try await browser.until("!document.getElementById('tiles')")
        #expect(try await browser.run("return window.parts() !== window.before").isTrue)
        try await browser.run("window.fetch = window.ownFetch")
        _ = try await dashboard.send("POST", "/happen/order")
        try await browser.until("document.getElementById('tiles')")
        #expect(try await browser.run("return window.parts() === window.before").isTrue)
      }
    }

    @Test func `ticks, focus, selection and place survive a change`() async throws {
      try await withDashboard(letters: 30) { browser, dashboard in
        try await browser.resize(1_200, 500)
        try await browser.open(dashboard.origin + Self.dead)
        try await browser.until("text('#standing') === 'Live'")
        try await browser.enter("[name=text]", "carrier")
        try await browser.click("tbody tr:nth-child(9) input")
        try await browser.run(
          """
          window.ninth = document.querySelector('tbody tr:nth-child(9)');
          getSelection().selectAllChildren(window.ninth.querySelector('td:last-child'));
          scrollTo(0, 200);
          """)
        _ = try await dashboard.send("POST", "/happen/order")
        try await browser.until("document.querySelectorAll('tbody tr').length === 31")
        let kept = try await browser.run(
          """
          const row = document.querySelector('tbody tr:nth-child(9)');
          return row === window.ninth && row.querySelector('input').checked
            && document.activeElement === row.querySelector('input')
            && getSelection().toString().length > 5 && scrollY === 200
            && document.querySelector('[name=text]').value === 'carrier';
          """)
        #expect(kept.isTrue)
      }
    }

    @Test func `dead letters are decided on without a script`() async throws {
      try await withDashboard(letters: 6) { browser, dashboard in
        try await browser.forbidScripts()
        try await browser.open(dashboard.origin + Self.dead)
        try await browser.click("tbody tr:first-child input")
        try await browser.click("button.grave")
        #expect(await says("h1", "Discard?", in: browser))
        try await browser.click("form.question button")
        #expect(await says(".notice", "1 discarded.", in: browser))
        #expect(try await browser.elements("tbody tr").count == 5)
        try await browser.click("button.plain.grave")
        #expect(await says("form.question strong", "all 5", in: browser))
        try await browser.click("form.question button")
        #expect(await says(".empty", "There are no dead letters.", in: browser))
      }
    }

    @Test func `a circuit is isolated and released without a script`() async throws {
      try await withDashboard(letters: 0) { browser, dashboard in
        try await browser.forbidScripts()
        try await browser.open(dashboard.origin + "/mainstay/circuits")
        let row = "tr[data-key=payments]"
        #expect(await says("tr[data-key=search]", "the program", in: browser))
        for (action, done) in [("isolate", "isolated"), ("release", "released")] {
          try await browser.click("\(row) input")
          try await browser.click("button[formaction$=\(action)]")
          #expect(await says("form.question strong", "payments?", in: browser))
          try await browser.click("form.question button")
          #expect(await says(".notice", "1 circuit was \(done).", in: browser))
          let words = action == "isolate" ? "this dashboard" : "closed"
          #expect(await says(row, words, in: browser))
        }
      }
    }

    /// Whether an element says something in the end: no script can say when the next page is there,
    /// so it is asked for again.
    private func says(_ selector: String, _ words: String, in browser: Browser) async -> Bool {
      let end = ContinuousClock.now + Browser.limit
      repeat {
        let text = (try? await browser.element(selector).text) ?? ""
        if text.contains(words) { return true }
      } while ContinuousClock.now < end
      return false
    }

    @Test func `dead letters are decided on without a mouse`() async throws {
      try await withDashboard(letters: 3) { browser, dashboard in
        try await browser.open(dashboard.origin + Self.dead)
        try await browser.press(.tab, .enter)
        #expect(try await browser.active.attribute("id") == "main")
        try await browser.run("document.querySelector('tbody input').focus()")
        try await browser.press(.space)
        for _ in 0..<12 {
          try await browser.press(.tab)
          if try await browser.active.text == "Discard chosen" { break }
        }
        try await browser.press(.enter)
        try await browser.until("text('h1') === 'Discard?'")
        try await browser.run("document.querySelector('form.question button').focus()")
        try await browser.press(.enter)
        try await browser.until("text('.notice') === '1 discarded.'")
      }
    }
  }
}
