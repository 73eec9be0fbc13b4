// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import InventoryTestSupport
import TestSupport
import Testing

extension BrowserTests {
  /// Photos, which are kept at once and sent later.
  @Suite(.ends(withinMinutes: 10)) struct PhotoTests {
    @Test func `a picture that is chosen is shown, and sent`() async throws {
      try await inWorld { world in
        let browser = world.browser
        let id = try await world.item(scanned: "9780141439518")
        try await world.open("/items/\(id)")
        // A picture of the page is a picture.
        let file = browser.folder.appending(path: "photo.png")
        try await browser.picture().write(to: file)
        try await browser.type("#photo", file.path)
        try await browser.until("$('#item img')?.complete && $('#item img').naturalWidth === 1200")
        #expect(try await browser.element("#item img").label.contains("Pride and Prejudice"))
        // Who does not see the picture hears that it was kept.
        #expect(try await browser.element("#photo-note").role == "status")
        #expect(try await world.text("#photo-note") == "The photo was kept.")
        try await world.synced(id)
        let sent = try await world.service.send("GET", "/twins/\(id)/photo")
        #expect(sent.body == (try Data(contentsOf: file)))
        try await world.open()
        try await browser.until("$('#items img')?.complete && $('#items img').naturalWidth > 0")
      }
    }

    @Test func `what is no picture is refused under the field`() async throws {
      try await inWorld { world in
        let browser = world.browser
        let id = try await world.item(scanned: "9780141439518")
        try await world.open("/items/\(id)")
        let file = browser.folder.appending(path: "photo.png")
        try Data("no picture".utf8).write(to: file)
        try await browser.type("#photo", file.path)
        try await browser.until("text('#photo-error')")
        let field = try await browser.element("#photo")
        #expect(try await field.attribute("aria-describedby") == "photo-error")
        #expect(try await field.attribute("aria-invalid") != nil)
        #expect(try await browser.element("#photo-error").role == "alert")
        try await browser.until("!text('#photo-note')")
        #expect(try await browser.elements("#item img").isEmpty)
      }
    }
  }
}
