// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import InventoryUpstream
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// What the service is asked about an item.
@Suite(.ends(withinMinutes: 5)) struct QuestionTests {
  private struct Asked {
    let path: String
    let action: String
    let browser: Browser

    init(_ world: PageWorld) async throws {
      path = "/items/\(try await world.synced(ItemDraft(title: "Lamp")).id.text)"
      action = "\(path)/questions/recall-check"
      browser = world.browser()
    }

    func ask() async throws -> Page {
      try await browser.submit(action, of: try await browser.get(path))
    }
  }

  @Test func `an answer stands on the page of whoever asked`() async throws {
    try await visiting { world in
      let asked = try await Asked(world)
      let page = try await asked.ask()
      #expect(page.question("recall-check")?.has(">No recall of Lamp is known.</p>") == true)
      #expect(page.question("resale-value")?.has("class=\"answer\"") == false)
      #expect(!(try await world.browser().get(asked.path).has("No recall of Lamp")))
      let unknown = try await asked.browser.post("\(asked.path)/questions/weather", ["page": "/"])
      #expect(unknown.status == 404)
      let gone = "/items/\(UUID().text)/questions/recall-check"
      #expect(try await asked.browser.post(gone, ["page": "/"]).status == 303)
      #expect(try await asked.browser.get("/").dialog?.has("This item isn’t there") == true)
    }
  }

  @Test(.requirement("E18", "E19"))
  func `a failure is in the dialog, and Retry asks once, however often it is sent`() async throws {
    try await visiting { world in
      let asked = try await Asked(world)
      _ = try await asked.ask()
      await world.fail(.down)
      let failed = try await asked.ask()
      let dialog = try #require(failed.dialog)
      #expect(dialog.has("value=\"retry\"") && dialog.has("href=\"/help#service\""))
      #expect(dialog.has("The connection was lost") && dialog.has("inventory.connection-lost"))
      let question = failed.question("recall-check")
      #expect(question?.has("No recall of Lamp") == true, "an earlier answer stays")

      await world.fail(.healthy)
      try await world.inventory.pull()
      let id = try #require(failed.errorID)
      let before = await world.upstream.store.ledger.requests.count
      let retry = "/screen/errors/\(id)/retry"
      async let first = asked.browser.post(retry, ["page": asked.path])
      async let second = asked.browser.post(retry, ["page": asked.path])
      let statuses = [try await first.status, try await second.status]
      #expect(statuses == [303, 303])
      #expect(try await asked.browser.post(retry, ["page": asked.path]).status == 303)
      let page = try await asked.browser.get(asked.path)
      #expect(page.dialog == nil && page.has("No recall of Lamp is known."))
      #expect(await world.upstream.store.ledger.requests.count == before + 1)
    }
  }

  @Test func `a failure that is dismissed stays away`() async throws {
    try await visiting { world in
      let asked = try await Asked(world)
      await world.fail(.serverError)
      let failed = try await asked.ask()
      let id = try #require(failed.errorID)
      let page = try await asked.browser.submit("/screen/errors/\(id)/dismiss", of: failed)
      #expect(page.dialog == nil && page.question("recall-check")?.has("class=\"answer\"") == false)
      #expect(page.question("recall-check")?.has("<button id=\"ask-recall-check\">") == true)
      let retry = try await asked.browser.post("/screen/errors/\(id)/retry", ["page": "/"])
      #expect(retry.status == 303)
      #expect(try await asked.browser.get("/").dialog == nil)
    }
  }

  @Test(
    .requirement("C6"),
    arguments: [
      (FaultMode.down, "the service can’t be reached", "service"),
      (.portal, "the network asks to sign in first", "sign-in"),
    ])
  func `what cannot be asked is disabled with the reason, and is not asked all the same`(
    mode: FaultMode, reason: String, subject: String
  ) async throws {
    try await visiting { world in
      let asked = try await Asked(world)
      await world.fail(mode)
      _ = try? await world.inventory.pull()
      let page = try await asked.browser.get(asked.path)
      let question = try #require(page.question("recall-check"))
      #expect(question.has("disabled aria-describedby=\"why-recall-check\""))
      #expect(question.has("id=\"why-recall-check\">It needs the network, and \(reason)."))
      let before = await world.upstream.store.ledger.requests.count
      let answer = try await asked.browser.submit(asked.action, of: page)
      #expect(answer.dialog?.has("This can’t be asked now") == true)
      #expect(answer.dialog?.has("href=\"/help#\(subject)\"") == true)
      #expect(await world.upstream.store.ledger.requests.count == before)
    }
  }

  @Test func `after a break the service can be asked again`() async throws {
    let settings: @Sendable (inout Inventory.Settings) -> Void = {
      $0.client.failuresToOpen = 1
      $0.client.breakFor = .milliseconds(200)
    }
    try await visiting(settings: settings) { world in
      let asked = try await Asked(world)
      await world.fail(.serverError)
      let failed = try await asked.ask()
      #expect(failed.dialog?.has("href=\"/help#service\"") == true)
      await world.fail(.healthy)
      // Nobody asks meanwhile, so nothing but time can end the break.
      var page = failed
      while page.question("recall-check")?.has(" disabled") == true {
        page = try await asked.browser.get(asked.path)
      }
      #expect(!page.has("class=\"notice yellow\""))
      #expect(try await asked.ask().has("No recall of Lamp is known."))
    }
  }

  @Test func `a page does not wait longer than a second for an answer`() async throws {
    let (pages, service) = (ManualClock(), ManualClock())
    try await visiting(
      clocks: PageWorld.Clocks(pages: pages, service: service),
      settings: {
        // However slow the machine is, the question is under way until the service's clock moves.
        $0.client.requestLimit = .seconds(3_600)
        $0.client.lookupLimit = .seconds(3_600)
      }
    ) { world in
      let asked = try await Asked(world)
      _ = try await asked.browser.get(asked.path)
      await world.fail(.slow)
      let answer = Task { try await asked.ask() }
      await pages.sleepers(atLeast: 1)
      await service.sleepers(atLeast: 1)
      pages.advance(by: .seconds(1))
      let waiting = try await answer.value
      let question = try #require(waiting.question("recall-check"))
      #expect(question.has("Asking…</p>") && question.has(" disabled>"))
      // Without a script the page does not move by itself.
      #expect(question.has("<noscript>") && question.has("<a href=\"\(asked.path)\">"))
      let again = try await asked.browser.post(asked.action, ["page": asked.path])
      #expect(again.status == 303 && service.sleeperCount == 1, "one question is asked at a time")

      service.advance(by: .seconds(1))
      var page = try await asked.browser.get(asked.path)
      while page.has("Asking…") { page = try await asked.browser.get(asked.path) }
      #expect(page.has("No recall of Lamp is known.") && pages.sleeperCount == 0)
    }
  }
}
