// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import Mainstay
import TestSupport
import Testing

/// The pages of what was given up.
@Suite(.ends(withinMinutes: 5)) struct LetterPagesTests {
  @Test func `what was given up is read page by page, to the newest and back`() async throws {
    try await visiting { world in
      let browser = world.browser()
      let letters = try await world.giveUp(3)
      let (older, newer) = ("id=\"letters-older\" href=\"", "id=\"letters-newer\" href=\"")
      // All of it has room on a page of the usual length.
      let whole = try await browser.get("/status")
      #expect(whole.letters == letters && !whole.has(older) && !whole.has(newer))
      #expect(!whole.has("aria-label=\"Pages of what was given up\""))

      var page = try await browser.get("/status?limit=1")
      #expect(page.letters == [letters[0]] && !page.has(older))
      #expect(page.has("<nav class=\"more\" aria-label=\"Pages of what was given up\">"))
      page = try await browser.get(try #require(page.link(newer)))
      #expect(page.letters == [letters[1]] && page.has(older))
      page = try await browser.get(try #require(page.link(newer)))
      #expect(page.letters == [letters[2]] && !page.has(newer))
      page = try await browser.get(try #require(page.link(older)))
      #expect(page.letters == [letters[1]] && page.has(newer))
      page = try await browser.get(try #require(page.link(older)))
      #expect(page.letters == [letters[0]] && !page.has(older))
      for query in ["limit=0", "limit=1001", "after=7", "item=7"] {
        #expect(try await browser.get("/status?\(query)").status == 400, "\(query)")
      }
    }
  }

  @Test func `the page behind stays where it is when the last one of the page before has gone`()
    async throws
  {
    try await visiting { world in
      let browser = world.browser()
      let letters = try await world.giveUp(3)
      let first = try await browser.get("/status?limit=2")
      #expect(first.letters == Array(letters.prefix(2)))
      let second = try #require(first.link("id=\"letters-newer\" href=\""))
      try await world.inventory.discard(try #require(UUID(uuidString: letters[1])))
      // Behind one that nobody knows any more the list would begin with the first.
      let page = try await browser.get(second)
      #expect(page.letters == [letters[2]] && !page.has("id=\"letters-newer\""))
      let older = try await browser.get(try #require(page.link("id=\"letters-older\" href=\"")))
      #expect(older.letters == [letters[0], letters[2]])
    }
  }

  @Test func `a decision leads back to the page that it was made on, also to an empty one`()
    async throws
  {
    try await visiting { world in
      let browser = world.browser()
      let letters = try await world.giveUp(2)
      let address = "/status?limit=1&after=\(letters[0])"
      let page = try await browser.get(address)
      let action = "/dead-letters/\(letters[1])/discard"
      #expect(page.letters == [letters[1]] && page.form(action)?["page"] == address)
      let after = try await browser.submit(action, of: page)
      #expect(after.letters.isEmpty && after.has("Nothing newer was given up."))
      let first = try await browser.get(
        try #require(after.link("id=\"letters-older\" href=\"")))
      #expect(first.letters == [letters[0]])
    }
  }

  @Test func `an item leads to what was given up of it, whatever becomes of the others`()
    async throws
  {
    try await visiting { world in
      let (browser, inventory) = (world.browser(), world.inventory)
      let letters = try await world.giveUp(3)
      let item = try #require(try await inventory.deadLetters()[1].item)
      let page = try await browser.get("/items/\(item.text)")
      #expect(page.has("<a href=\"/status?item=\(item.text)#letters\">See why"))
      // What stood before it is gone by the time that the link is followed.
      try await inventory.discard(try #require(UUID(uuidString: letters[0])))
      let address = "/status?item=\(item.text)"
      let status = try await browser.get(address)
      #expect(status.letters == [letters[1]])
      #expect(status.link("id=\"letters-all\" href=\"") == "/status")
      let action = "/dead-letters/\(letters[1])/discard"
      #expect(status.form(action)?["page"] == address)
      let after = try await browser.submit(action, of: status)
      #expect(after.letters.isEmpty && after.has("Nothing about this item is here any more."))
      #expect(try await browser.get("/status").letters == [letters[2]])
    }
  }
}

extension PageWorld {
  /// Adds items under keys that somebody else has used, until each is given up.
  ///
  /// - Returns: The ids of the dead letters, the oldest first.
  fileprivate func giveUp(_ count: Int) async throws -> [String] {
    let body = try JSONEncoder.inventory.encode(ItemFields(title: "Somebody’s"))
    for number in 1...count {
      let key = IdempotencyKey()
      _ = try await inventory.client.put(UUID(), body, ifVersion: nil, key: key)
      let id = try await inventory.add(ItemDraft(title: "Lamp \(number)"), key: key).item.id
      try await inventory.wait { try await inventory.store.item(id).sync == .rejected }
    }
    return try await inventory.deadLetters().map(\.id.text)
  }
}

extension Page {
  /// The ids of what was given up, as they stand on the page.
  fileprivate var letters: [String] {
    text.components(separatedBy: "<li data-letter=\"").dropFirst().compactMap {
      $0.components(separatedBy: "\"").first
    }
  }

  /// The address of a link, as a browser asks for it: what stands behind its beginning.
  fileprivate func link(_ start: String) -> String? {
    part(from: start, to: "#letters\"")?.replacingOccurrences(of: "&amp;", with: "&")
  }
}
