// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import InventoryTestSupport
import TestSupport
import Testing

extension BrowserTests {
  /// What was changed in two places, and is decided by a person.
  @Suite(.ends(withinMinutes: 10)) struct ConflictTests {
    /// Reads what both sides have of an item.
    private func both(_ world: World, _ id: String, _ name: String) async throws -> [String?] {
      [
        try await world.app.send("GET", "/api/items/\(id)").text(name),
        try await world.service.send("GET", "/twins/\(id)").text(name),
      ]
    }

    /// Edits an item in the page while the service cannot be reached, and its twin meanwhile.
    private func conflict(
      _ world: World, here: [String: String], there: [String: JSONValue]
    ) async throws -> String {
      let id = try await world.item(scanned: "9780141439518")
      try await world.fail("down")
      try await world.open("/items/\(id)")
      for (name, value) in here { try await world.browser.enter("form#edit #\(name)", value) }
      try await world.browser.click("form#edit button")
      try await world.browser.until("text('#item .sync') === 'Pending'")
      try await world.changeTwinBehind(id, there)
      try await world.browser.until("text('#conflict-count').startsWith('1')")
      #expect(try await world.text("#item .sync") == "Conflict")
      return id
    }

    @Test(.requirement("C21", "A43"))
    func `a person chooses field by field, and both sides end equal`() async throws {
      try await inWorld { world in
        let browser = world.browser
        let id = try await conflict(
          world, here: ["title": "My book", "location": "Shelf 2"],
          there: ["title": "Their book", "location": "Attic", "notes": "From afar"])
        try await browser.click("nav a[href='/conflicts']")
        let article = "article[data-conflict]"
        try await browser.until("$(args[0])", .string(article))
        let table = try await world.text("\(article) table")
        for part in ["Before", "Here", "There", "Title", "Pride and Prejudice", "My book"] {
          #expect(table.contains(part), "\(table)")
        }
        for part in ["Their book", "Place", "Shelf 2", "Attic"] {
          #expect(table.contains(part), "\(table)")
        }
        #expect(!table.contains("From afar"), "only what is in conflict is asked")
        try await browser.click("\(article) [name=field-title][value=remote]")
        try await browser.click("\(article) [name=field-location][value=local]")
        // What was chosen stays while the page brings itself up to date.
        try await world.fail("down")
        _ = try await world.app.send("POST", "/api/items", #"{"title": "A teapot"}"#)
        try await browser.until("text('#pending') === '2 pending'")
        #expect(
          try await browser.element("\(article) [name=field-title][value=remote]").isSelected)
        try await world.heal()
        try await browser.click("\(article) button[value=merged]")
        try await browser.until("!$(args[0])", .string(article))
        try await browser.until("text('#pending') === 'Nothing pending'")
        try await browser.until("text('#conflict-count') === ''")
        #expect(try await both(world, id, "title") == ["Their book", "Their book"])
        #expect(try await both(world, id, "location") == ["Shelf 2", "Shelf 2"])
        #expect(try await both(world, id, "notes") == ["From afar", "From afar"])
        #expect(try await world.applied(to: id).allSatisfy { $0 == 1 })
      }
    }

    @Test func `what the other side has can be taken whole`() async throws {
      try await inWorld { world in
        let browser = world.browser
        let id = try await conflict(
          world, here: ["author": "Me", "notes": "Mine"],
          there: ["author": "Them", "notes": "Theirs"])
        try await world.open("/conflicts")
        try await browser.click("article[data-conflict] button[value=remote]")
        try await browser.until("text('#pending') === 'Nothing pending'")
        #expect(try await browser.elements("article[data-conflict]").isEmpty)
        #expect(try await both(world, id, "author") == ["Them", "Them"])
        #expect(try await both(world, id, "notes") == ["Theirs", "Theirs"])
      }
    }
  }
}
