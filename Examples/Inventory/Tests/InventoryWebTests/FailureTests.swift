// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import InventoryCore
import InventoryUpstream
import Mainstay
import TestSupport
import Testing

/// What the pages say when the app itself cannot do its work.
@Suite(.ends(withinMinutes: 5)) struct FailureTests {
  @Test(.requirement("E18", "E19"))
  func `a change that could not be saved is made by Retry, once and under the same key`()
    async throws
  {
    try await visiting { world in
      let browser = world.browser()
      let list = try await browser.get("/")
      let file = try await world.brokenFile()
      let typed = ["title": "Lamp", "quantity": "1"]
      let failed = try await browser.submit("/items", of: list, typed)
      #expect(failed.status == 503 && failed.items.isEmpty)
      #expect(failed.dialog?.has("Your change could not be saved") == true)
      #expect(failed.dialog?.has("value=\"retry\"") == true)
      let first = try #require(failed.errorID)
      let again = try await browser.submit("/screen/errors/\(first)/dismiss", of: failed)
      #expect(again.dialog == nil)
      let second = try await browser.submit("/items", of: list, typed)
      let retry = "/screen/errors/\(try #require(second.errorID))/retry"
      _ = try await browser.post(retry, ["page": "/"])
      let third = try await browser.get("/")
      let last = "/screen/errors/\(try #require(third.errorID))/retry"
      #expect(last != retry, "what Retry meets is another error")

      try await file.write { db in try db.execute(sql: "DROP TRIGGER broken") }
      for address in [retry, last, last] { _ = try await browser.post(address, ["page": "/"]) }
      let page = try await browser.submit("/items", of: list, typed)
      #expect(page.dialog == nil && page.items.count == 1)
      #expect(page.toasts == ["“Lamp” was added."])
    }
  }

  @Test func `what was typed stays in the form where it cannot be saved`() async throws {
    try await visiting { world in
      let browser = world.browser()
      let item = try await world.synced(ItemDraft(title: "Lamp"))
      let path = "/items/\(item.id.text)"
      let (list, page) = (try await browser.get("/"), try await browser.get(path))
      let file = try await world.brokenFile()
      let story = String(repeating: "It is a long story.\n", count: 500) + "The end."
      let typed = ["title": "Lamp", "author": "", "location": "", "notes": story, "quantity": "1"]
      let failed = try await browser.submit(path, of: page, typed)
      #expect(failed.status == 503 && failed.dialog?.has("could not be saved") == true)
      #expect(failed.has(">\(story)</textarea>"))
      #expect(failed.form(path) == page.form(path), "its key too, for Retry may do it yet")
      let dismiss = "/screen/errors/\(try #require(failed.errorID))/dismiss"
      #expect(try await browser.post(dismiss, ["page": path]).status == 303)

      let scan = try await browser.submit("/scan", of: list, ["barcode": "036000291452"])
      #expect(scan.status == 503 && scan.value(of: "barcode") == "036000291452")
      // Whoever sends no cookie back sees the error in the same answer.
      let stranger = world.browser()
      let add = try await stranger.post("/items", ["title": "Torch", "notes": story])
      #expect(add.status == 503 && add.dialog != nil && add.headers["set-cookie"] != nil)
      #expect(add.value(of: "title") == "Torch" && add.has(">\(story)</textarea>"))

      try await file.write { db in try db.execute(sql: "DROP TRIGGER broken") }
      let saved = try await browser.submit(path, of: failed, typed)
      #expect(saved.status == 200 && saved.toasts.contains("“Lamp” was saved."))
      #expect(try await world.inventory.store.item(item.id).notes == story)
    }
  }

  @Test func `the same scan after Retry is not swallowed without a word`() async throws {
    try await visiting { world in
      let browser = world.browser()
      let list = try await browser.get("/")
      let file = try await world.brokenFile()
      let failed = try await browser.submit("/scan", of: list, ["barcode": "036000291452"])
      #expect(failed.status == 503)
      try await file.write { db in try db.execute(sql: "DROP TRIGGER broken") }
      let retry = "/screen/errors/\(try #require(failed.errorID))/retry"
      _ = try await browser.post(retry, ["page": "/"])
      #expect(try await browser.get("/").items.count == 1)
      // The page of the failed form is still there, with its key.
      let same = try await browser.submit("/scan", of: failed, ["barcode": "036000291452"])
      #expect(same.items.count == 1)
      #expect(same.toasts.contains { $0.contains("was added already, by this form.") })
      let next = try await browser.submit("/scan", of: same, ["barcode": "036000291452"])
      #expect(next.items.count == 2)
    }
  }

  @Test func `an edit of what is gone meanwhile leads to the page that says so`() async throws {
    try await visiting { world in
      let browser = world.browser()
      let id = try await world.inventory.add(ItemDraft(title: "Lamp")).item.id
      let path = "/items/\(id.text)"
      let page = try await browser.get(path)
      _ = try await world.inventory.delete(id)
      let typed = ["title": "Torch", "author": "", "location": "", "notes": "", "quantity": "1"]
      let gone = try await browser.submit(path, of: page, typed)
      #expect(gone.status == 404 && gone.dialog?.has("This item isn’t there") == true)
    }
  }

  @Test func `that nothing can be saved is said before what else is missing`() async throws {
    try await visiting { world in
      let browser = world.browser()
      await world.fail(.down)
      _ = try? await world.inventory.pull()
      world.inventory.store.evidence.failed(DatabaseError(resultCode: .SQLITE_FULL))
      let page = try await browser.get("/")
      let banner = try #require(page.part(from: "id=\"banner\"", to: "</div>"))
      #expect(banner.contains("class=\"notice red\""))
      #expect(banner.contains("Nothing can be saved.</strong> There is no room left"))
      #expect(banner.contains("The service can’t be reached."))
    }
  }

  @Test(.requirement("B6", "B23")) func `a page that cannot be drawn says so, in its frame`()
    async throws
  {
    try await visiting { world in
      let browser = world.browser()
      world.inventory.store.close()
      for path in ["/", "/status", "/items/\(UUID().text)"] {
        let page = try await browser.get(path)
        #expect(page.status == 503 && page.has("<h1>The app is being stopped</h1>"))
        #expect(page.has("<span>Unknown</span>") && page.has("</html>"))
        #expect(page.headers["content-security-policy"] != nil)
      }
      let groups = world.inventory.errorGroups()
      #expect(groups.count == 1 && groups[0].count == 3)
    }
  }
}

extension PageWorld {
  /// The file of the items, in which no item can be saved any more.
  fileprivate func brokenFile() async throws -> DatabaseQueue {
    // The app may be writing just now.
    var configuration = Configuration()
    configuration.busyMode = .timeout(Duration.patience / .seconds(1))
    let path = folder.appending(path: "items.sqlite").path
    let file = try DatabaseQueue(path: path, configuration: configuration)
    try await file.write { db in
      try db.execute(
        sql: "CREATE TRIGGER broken BEFORE INSERT ON item BEGIN SELECT RAISE(ABORT, ''); END")
    }
    return file
  }
}
