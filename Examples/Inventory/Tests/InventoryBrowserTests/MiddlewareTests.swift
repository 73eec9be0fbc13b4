// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import MainstayServer
import TestSupport
import Testing

extension BrowserTests {
  /// The middleware of a service, as a page in a real browser meets it.
  @Suite(.ends(withinMinutes: 10)) struct MiddlewareTests {
    private func onPage(
      _ test: (_ browser: Browser, _ service: MiddlewareService, _ origin: String) async throws
        -> Void
    ) async throws {
      let service = MiddlewareService()
      try await withServer(service.router) { origin in
        try await withBrowser { browser in
          try await browser.open(origin)
          try await test(browser, service, origin)
        }
      }
    }

    /// What the page is answered, by `fetch`.
    private func ask(
      _ browser: Browser, _ path: String, _ options: JSONValue = [:]
    ) async throws -> (status: Double?, fields: JSONValue?, text: String, json: JSONValue?) {
      let answer = try await browser.run("return ask(...arguments)", .string(path), options)
      let text = answer["text"]?.text ?? ""
      let json = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
      return (answer["status"]?.number, answer["fields"], text, json)
    }

    /// What the page says that its form was answered, sorted: two answers come in any order.
    private func answers(_ browser: Browser) async throws -> [String] {
      var answers: [String] = []
      for line in try await browser.elements("li") { answers.append(try await line.text) }
      return answers.sorted()
    }

    @Test func `a page reads what is wrong with a form, and with which field`() async throws {
      try await onPage { browser, service, _ in
        let answer = try await ask(
          browser, "/orders",
          ["method": "POST", "body": "book=1", "headers": ["Idempotency-Key": "k1"]])
        #expect(answer.status == 422)
        #expect(answer.fields?["content-type"]?.text == "application/problem+json")
        #expect(answer.json?["title"] == "There is no such book")
        #expect(answer.json?["errors"]?.list.first?["pointer"]?.text?.hasSuffix("/book") == true)
        let lost = try await ask(browser, "/nowhere")
        #expect(lost.status == 404)
        #expect(lost.json?["status"] == 404)
        #expect(service.orders.lines.isEmpty)
      }
    }

    @Test func `a page is told when to come back while there is too much to do`() async throws {
      try await onPage { browser, service, _ in
        try await browser.run("window.first = ask('/gate'); return true")
        await service.busy.reached()
        let refused = try await ask(browser, "/gate?second")
        #expect(refused.status == 503)
        #expect(["1", "2", "3"].contains(refused.fields?["retry-after"]?.text))
        #expect(refused.json?["status"] == 503)
        service.leave.count()
        #expect(try await browser.run("return first.then((one) => one.text)") == "let go")
        #expect(try await ask(browser, "/gate?third").text == "let go")
      }
    }

    @Test func `a double click on a form is one order`() async throws {
      try await onPage { browser, service, _ in
        try await browser.click("#order button")
        try await browser.click("#order button")
        // The second one was told that the first one runs, and the first one was done.
        try await browser.until("document.querySelectorAll('li').length === 2")
        #expect(try await answers(browser) == ["201", "409 1"])
        try await browser.click("#order button")
        try await browser.until("document.querySelectorAll('li').length === 3")
        #expect(try await answers(browser) == ["201", "201 true", "409 1"])
        #expect(service.asked.lines.count == 3)
        #expect(service.orders.lines.count == 1)
      }
    }

    @Test func `a page says for how long it waits`() async throws {
      try await onPage { browser, _, _ in
        #expect(try await ask(browser, "/time").text == "ten minutes")
        let field = MiddlewareService.deadlineField
        let brief: JSONValue = ["headers": .object([field: "100000"])]
        #expect(try await ask(browser, "/time", brief).text == "less")
        let late = try await ask(browser, "/never", ["headers": .object([field: "200"])])
        #expect(late.status == 504)
        #expect(late.json?["status"] == 504)
        let gone = try await ask(browser, "/time", ["headers": .object([field: "0"])])
        #expect(gone.status == 504)
      }
    }

    @Test func `a page of another site orders nothing and reads nothing`() async throws {
      try await onPage { browser, service, origin in
        try await withPages(["/": "<!DOCTYPE html><title>Evil</title>"]) { evil in
          try await browser.open(evil)
          // What the browser says instead of an answer.
          let script = """
            return fetch(...arguments).then((answer) => answer.text()).catch((e) => e.name)
            """
          for path in ["/time", "/live", "/ready", "/orders"] {
            #expect(try await browser.run(script, .string(origin + path)) == "TypeError")
          }
          // A key has to be asked for beforehand, which is refused; without one nothing is done.
          let forms: [JSONValue] = [
            ["method": "POST", "body": "book=978", "headers": ["Idempotency-Key": "k1"]],
            ["method": "POST", "body": "book=978", "mode": "cors"],
          ]
          for form in forms {
            let said = try await browser.run(script, .string(origin + "/orders"), form)
            #expect(said == "TypeError")
          }
          try await browser.run(
            """
            document.body.innerHTML = `<form method="post" action="${arguments[0]}/orders">
              <input name="book" value="978"><button>Win</button></form>`
            """, .string(origin))
          try await browser.click("button")
          try await browser.until("text('body').includes('400')")
        }
        #expect(service.asked.lines.isEmpty)
        #expect(service.orders.lines.isEmpty)
      }
    }

    @Test func `a page reads whether the service lives and can serve`() async throws {
      try await onPage { browser, service, _ in
        #expect(try await ask(browser, "/live").json?["status"] == "alive")
        let ready = try await ask(browser, "/ready")
        #expect(ready.status == 200 && ready.json?["status"] == "ready")
        #expect(ready.fields?["cache-control"]?.text == "no-store")
        service.become(ready: false)
        let unready = try await ask(browser, "/ready")
        #expect(unready.status == 503 && unready.json?["status"] == "not ready")
        #expect(try await ask(browser, "/live").status == 200)
        #expect(try await ask(browser, "/ready", ["method": "HEAD"]).text.isEmpty)
      }
    }
  }
}
