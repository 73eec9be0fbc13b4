// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import InventoryUpstream
import Mainstay
import TestSupport
import Testing

/// The forms about items.
@Suite(.ends(withinMinutes: 5)) struct FormTests {
  @Test func `a scan is taken, told, and taken once however often it is sent`() async throws {
    try await visiting { world in
      let browser = world.browser()
      let list = try await browser.get("/?query=978")
      let page = try await browser.submit("/scan", of: list, ["barcode": "978-0-14-143951-8"])
      #expect(page.items.count == 1 && page.has("data-address=\"/?query=978\""))
      #expect(page.toasts == ["“Book 9780141439518” was added."])
      let again = try await browser.submit("/scan", of: list, ["barcode": "978-0-14-143951-8"])
      #expect(again.items.count == 1 && again.toasts.count == 1 && !again.has("times\">"))
      let other = try await browser.submit("/scan", of: again, ["barcode": "978-0-14-143951-8"])
      #expect(other.items.count == 2, "a form that was drawn anew is another scan")
    }
  }

  @Test(.requirement("E20", "E21", "E32"))
  func `mistakes stand under their fields, beside what was typed`() async throws {
    try await visiting { world in
      let browser = world.browser()
      let list = try await browser.get("/")
      let scan = try await browser.submit("/scan", of: list, ["barcode": "9780141439519"])
      #expect(scan.status == 422 && scan.value(of: "barcode") == "9780141439519")
      #expect(scan.error(under: "barcode")?.contains("8 would fit the others") == true)
      #expect(scan.error(under: "barcode")?.contains("type the digits below the bars") == true)
      #expect(scan.has("aria-invalid=\"true\" aria-describedby=\"barcode-error\" autofocus"))
      #expect(scan.dialog == nil && scan.error(under: "title") == nil)

      let add = try await browser.submit(
        "/items", of: list,
        ["title": " ", "author": "A \"B\" <c>", "notes": "1\r\n2", "quantity": "many"])
      #expect(add.status == 422 && add.has("<details id=\"add\" open>"))
      #expect(add.error(under: "title") == "The title must not be empty.")
      #expect(add.error(under: "quantity")?.contains("from 0 to 1000000") == true)
      #expect(add.value(of: "author") == "A \"B\" <c>" && add.value(of: "quantity") == "many")
      #expect(add.has(">1\n2</textarea>") && add.dialog == nil)
      #expect(try await world.inventory.store.items().items.isEmpty)

      let page = try await browser.submit(
        "/items", of: add, ["title": "Lamp", "quantity": "", "notes": "1\r\n2"])
      #expect(page.status == 200 && page.toasts == ["“Lamp” was added."])
      let item = try #require(try await world.inventory.store.items().items.first)
      #expect(item.quantity == 1 && item.notes == "1\n2")
    }
  }

  @Test func `an edit touches what was changed, and nothing else`() async throws {
    try await visiting { world in
      let browser = world.browser()
      let item = try await world.synced(ItemDraft(title: "Lamp", notes: "Old"))
      let path = "/items/\(item.id.text)"
      let page = try await browser.get(path)
      let same = ["title": "Lamp", "author": "", "location": "", "notes": "Old", "quantity": "1"]
      _ = try await world.inventory.edit(item.id, ItemPatch(["author": .string("Somebody")]))
      let typed = same.merging(["title": "Desk lamp"]) { $1 }
      let saved = try await browser.submit(path, of: page, typed)
      #expect(saved.status == 200 && saved.toasts == ["“Desk lamp” was saved."])
      let now = try await world.inventory.store.item(item.id)
      #expect(now.title == "Desk lamp" && now.author == "Somebody" && now.version == 3)
      let again = try await browser.submit(path, of: page, typed)
      #expect(again.toasts == ["“Desk lamp” was saved."])
      #expect(try await world.inventory.store.item(item.id).version == 3, "it was saved once")
      let nothing = try await browser.submit(path, of: page, same)
      #expect(nothing.toasts.last == "Nothing was changed.")
      #expect(try await world.inventory.store.item(item.id).version == 3)
    }
  }

  @Test func `a change made meanwhile stands under the field, and saving again decides`()
    async throws
  {
    try await visiting { world in
      let browser = world.browser()
      let item = try await world.synced(ItemDraft(title: "Lamp"))
      let path = "/items/\(item.id.text)"
      let page = try await browser.get(path)
      _ = try await world.inventory.edit(
        item.id, ItemPatch(["title": .string("Torch"), "location": .string("Hall")]))
      let typed = ["title": "Lantern", "author": "", "location": "", "notes": "", "quantity": "1"]
      let stale = try await browser.submit(path, of: page, typed)
      #expect(stale.status == 412 && stale.value(of: "title") == "Lantern")
      #expect(stale.error(under: "title")?.contains("It is “Torch” by now.") == true)
      #expect(stale.value(of: "location") == "Hall", "nobody had typed there")
      let wrong = try await browser.submit(
        path, of: stale, typed.merging(["location": "Hall", "quantity": "-1"]) { $1 })
      #expect(wrong.status == 422 && wrong.error(under: "quantity") != nil)
      let saved = try await browser.submit(
        path, of: wrong, typed.merging(["location": "Hall"]) { $1 })
      #expect(saved.status == 200)
      let now = try await world.inventory.store.item(item.id)
      #expect(now.title == "Lantern" && now.location == "Hall")
    }
  }

  @Test(.requirement("E19", "E22"))
  func `an item is deleted once, and other errors are in the dialog`() async throws {
    try await visiting { world in
      let browser = world.browser()
      let item = try await world.inventory.add(ItemDraft(title: "Lamp")).item
      let path = "/items/\(item.id.text)"
      let page = try await browser.get(path)
      let list = try await browser.submit("\(path)/delete", of: page)
      #expect(list.items.isEmpty && list.toasts == ["“Lamp” was deleted."])
      #expect(try await browser.submit("\(path)/delete", of: page).dialog == nil)
      let stranger = world.browser()
      let gone = try await stranger.post("\(path)/delete", ["key": "other", "page": "/"])
      #expect(gone.status == 303)
      let dialog = try #require(try await stranger.get("/").dialog)
      for part in [
        "role=\"alertdialog\"", "aria-labelledby=\"error-title\"",
        "aria-describedby=\"error-message\"", "<h2 id=\"error-title\">This item isn’t there</h2>",
        "class=\"suggestion\"", "value=\"dismiss\"", "inventory.not-found",
      ] { #expect(dialog.has(part), "\(part)") }
      #expect(!dialog.has("value=\"retry\""), "another try would not help")
    }
  }

  @Test func `a form leads back to a page of this app only`() async throws {
    try await visiting { world in
      let browser = world.browser()
      for page in [
        "//evil.example", "https://evil.example/", "/\\evil.example", "\\\\evil.example",
        "/\t/evil.example", "/\n/evil.example", "javascript:alert(1)", "/api/diagnostics", "", "x",
        "/nowhere", "/items/../../x", "/%2F/evil.example", "/ü", "http:/",
        "/?" + String(repeating: "x", count: 3_000),
      ] {
        let answer = try await browser.post("/scan", ["barcode": "036000291452", "page": page])
        #expect(answer.status == 303 && answer.headers["location"] == "/", "\(page)")
      }
      for page in ["/", "/?query=a&after=3", "/status#letters", "/items/\(UUID().text)"] {
        let answer = try await browser.post("/scan", ["barcode": "036000291452", "page": page])
        #expect(answer.headers["location"] == page)
      }
    }
  }

  @Test func `what is no form is refused in words`() async throws {
    try await visiting { world in
      let browser = world.browser()
      let cases: [(body: String, status: Int, text: String)] = [
        ("barcode=%", 400, "two hexadecimal digits"), ("barcode=%4", 400, "two hexadecimal digits"),
        ("barcode=%zz", 400, "two hexadecimal digits"), ("barcode=%ff", 400, "must be UTF-8"),
        ("barcode=1&key=a%20b", 400, "letters, digits and hyphens"),
        ("barcode=1&key=" + String(repeating: "a", count: 65), 400, "1 to 64"),
        (Array(repeating: "a=1", count: 101).joined(separator: "&"), 400, "101 fields"),
        (String(repeating: "a", count: 65_537), 413, "At most 65,536 bytes"),
      ]
      for (body, status, text) in cases {
        let page = try await browser.post("/scan", body: body)
        #expect(page.status == status && page.has(text), "\(body.prefix(20))")
        #expect(page.has("</html>"))
      }
      let whole = "barcode=" + String(repeating: "1", count: 65_536 - 8)
      #expect(try await browser.post("/scan", body: whole).status == 422)
      let json = try await browser.post("/scan", body: "{}", type: "application/json")
      #expect(json.status == 415)
      let odd = try await browser.post("/scan", body: "&&barcode=1&=x&barcode=036000291452&a&")
      #expect(odd.status == 303, "the last of a name counts, and empty parts none")
      let id = try await world.inventory.add(ItemDraft(title: "Lamp")).item.id.text
      let unversioned = try await browser.post("/items/\(id)", ["title": "x", "version": "new"])
      #expect(unversioned.status == 400 && unversioned.has("version must be a whole number"))
    }
  }

  @Test func `nothing that was typed becomes markup`() async throws {
    try await visiting { world in
      let browser = world.browser()
      let list = try await browser.get("/")
      for evil in [
        "<script>alert(1)</script>", "\" onfocus=\"alert(1)", "'><img src=x>", "{{title}}",
        // With an accent after it, a quotation mark is another character.
        "\"\u{301} onfocus=alert(1) autofocus x=", "<\u{301}b>",
      ] {
        let page = try await browser.submit("/items", of: list, ["title": evil, "author": evil])
        let id = try #require(page.items.first)
        let bad = try await browser.submit("/items", of: list, ["title": "", "author": evil])
        await world.fail(.down)
        let item = try await browser.submit(
          "/items/\(id)/questions/recall-check", of: try await browser.get("/items/\(id)"))
        await world.fail(.healthy)
        try await world.inventory.pull()
        let query = try #require(evil.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let search = try await browser.get("/?query=\(query)")
        for page in [page, bad, item, search] {
          #expect(!page.text.utf8.contains(evil), "\(evil)")
        }
        #expect(bad.value(of: "author") == evil && search.has("value=\""))
      }
    }
  }
}

extension String.UTF8View {
  /// Whether the bytes of a text stand somewhere, whatever characters they are part of; a text
  /// without any that mean something in HTML never does.
  fileprivate func contains(_ text: String) -> Bool {
    let dangerous: Set<UInt8> = [34, 39, 60, 62]
    guard text.utf8.contains(where: dangerous.contains) else { return false }
    return Array(self).firstRange(of: Array(text.utf8)) != nil
  }
}
