// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import InventoryUpstream
import Mainstay
import TestSupport
import Testing

/// The forms about what waits for a person.
@Suite(.ends(withinMinutes: 5)) struct DecisionTests {
  @Test(
    .requirement("C21"),
    arguments: [
      ("local", [:], "Local lamp", "Hall"), ("remote", [:], "Remote lamp", "Cellar"),
      ("merged", ["field-title": "remote", "field-location": "local"], "Remote lamp", "Hall"),
      ("merged", ["field-title": "local", "field-location": "remote"], "Local lamp", "Cellar"),
      ("merged", [:], "Local lamp", "Hall"),
    ] as [(String, [String: String], String, String)])
  func `a person decides about what was changed in two places`(
    choice: String, fields: [String: String], title: String, location: String
  ) async throws {
    try await visiting { world in
      let browser = world.browser()
      let conflict = try await world.conflict()
      let page = try await browser.get("/conflicts")
      #expect(page.has("<article class=\"card conflict\" data-conflict=\"\(conflict.id.text)\""))
      for part in [
        "<td class=\"base\">Lamp</td>", "<span>Local lamp</span>", "<span>Remote lamp</span>",
        "name=\"field-title\" value=\"remote\"", "name=\"choice\" value=\"merged\"",
        "data-live>1<span",
      ] { #expect(page.has(part), "\(part)") }
      let item = try await browser.get("/items/\(conflict.item.id.text)")
      #expect(item.has("Conflict</span>") && item.has("<a href=\"/conflicts\">Choose"))

      let typed = fields.merging(["choice": choice]) { $1 }
      let action = "/conflicts/\(conflict.id.text)"
      let after = try await browser.submit(action, of: page, typed)
      #expect(after.has("There is nothing to decide."))
      // The news of the conflict itself comes when it comes, once.
      let isNews = { (toast: String) in toast.hasPrefix("Changed in two places") }
      #expect(after.toasts.filter { !isNews($0) } == ["“\(title)” is settled."])
      #expect(after.toasts.count(where: isNews) <= 1)
      let again = try await browser.submit(action, of: page, typed)
      #expect(again.dialog == nil && again.toasts.count { !isNews($0) } == 1)
      try await world.inventory.wait { try await world.inventory.status().outbox.pending == 0 }
      let now = try await world.inventory.store.item(conflict.item.id)
      #expect(now.title == title && now.location == location && now.sync == .synced)
      #expect(await world.upstream.store.twin(now.id.text)?.fields?.title == title)
    }
  }

  @Test func `a conflict that is settled already is said in the dialog, nonsense is refused`()
    async throws
  {
    try await visiting { world in
      let browser = world.browser()
      let action = "/conflicts/\(UUID().text)"
      #expect(try await browser.post(action, ["choice": "both"]).status == 400)
      let answer = try await browser.post(action, ["choice": "local"])
      #expect(answer.status == 303 && answer.headers["location"] == "/conflicts")
      let dialog = try await browser.get("/conflicts").dialog
      #expect(dialog?.has("This conflict is settled") == true)
      #expect(dialog?.has("href=\"/help#conflicts\"") == true)
    }
  }

  @Test func `what was given up is tried again or thrown away`() async throws {
    try await visiting { world in
      let browser = world.browser()
      let key = IdempotencyKey()
      let body = try JSONEncoder.inventory.encode(ItemFields(title: "Somebody’s"))
      _ = try await world.inventory.client.put(UUID(), body, ifVersion: nil, key: key)
      let id = try await world.inventory.add(ItemDraft(title: "Lamp"), key: key).item.id
      try await world.inventory.wait {
        try await world.inventory.store.item(id).sync == .rejected
      }
      let page = try await browser.get("/status")
      let letter = try #require(page.part(from: "data-letter=\"", to: "\""))
      #expect(page.has("<strong>Send a change</strong> <a href=\"/items/\(id.text)\">“Lamp”</a>"))
      #expect(page.has("Try again</button>") && page.has("refused at once"))
      let given = try await browser.get("/items/\(id.text)")
      #expect(given.has("<a href=\"/status?item=\(id.text)#letters\">See why"))
      let tried = try await browser.submit("/dead-letters/\(letter)/redrive", of: page)
      #expect(tried.toasts.contains("It is tried again."))
      try await world.inventory.wait {
        let sync = try await world.inventory.store.item(id).sync
        return try await world.inventory.deadLetters().count == 1 && sync == .rejected
      }
      let discarded = try await browser.submit("/dead-letters/\(letter)/discard", of: page)
      #expect(discarded.has("Nothing was given up."))
      #expect(discarded.toasts.contains("It was discarded."))
      // The service has never got the item, so it is not called synced.
      let kept = try await browser.get("/items/\(id.text)")
      #expect(kept.has("Rejected</span>") && kept.has("What stands here is kept here only."))
      #expect(!kept.has("#letters\"") && !kept.has("Synced</span>"))
      let again = try await browser.submit("/dead-letters/\(letter)/discard", of: page)
      #expect(again.dialog?.has("This isn’t waiting any more") == true)
      #expect(again.dialog?.has("href=\"/help#given-up\"") == true)
    }
  }
}
