// SPDX-License-Identifier: Apache-2.0

import Foundation
import HummingbirdTesting
import InventoryCore
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// The gallery as its server makes it; what a browser makes of that is tested there.
@Suite(.ends(withinMinutes: 5)) struct GalleryTests {
  private static let live = "/gallery/live"

  /// The names of the states on a page.
  private func states(_ page: Page) -> [String] {
    page.text.components(separatedBy: "data-state=\"").dropFirst().compactMap {
      $0.components(separatedBy: "\"").first
    }
  }

  @Test(.requirement("A30", "A32", "E22", "E23", "E24"))
  func `each state stands among the others and alone`() async throws {
    try await visiting { world in
      let browser = world.browser()
      let all = try await browser.get("/gallery")
      let names = states(all)
      #expect(names.count > 40 && Set(names).count == names.count)
      let kinds = Set(names.compactMap { $0.split(separator: "-").first })
      #expect(
        kinds == ["overlay", "banner", "row", "page", "toast", "form", "task", "dot"], "\(kinds)")
      for name in names {
        #expect(all.has("href=\"/gallery/\(name)\""))
        let alone = try await browser.get("/gallery/\(name)")
        #expect(alone.status == 200 && states(alone) == [name])
        let stage = try #require(alone.part(from: "<div class=\"stage", to: "</article>"))
        #expect(stage.count > 50, "nothing is drawn: \(name)")
      }
      #expect(try await browser.get("/gallery/nothing").status == 404)
      #expect(try await browser.post("/gallery/nothing/retry", ["page": "/gallery"]).status == 404)
      #expect(try await browser.post("/gallery/raise", ["what": "hell"]).status == 404)
      #expect(try await browser.post("/gallery/load", ["what": "hell"]).status == 404)
      #expect(try await browser.get("/gallery/form").status == 405)
    }
  }

  @Test(.requirement("E10", "E11")) func `its words are those of the errors`() async throws {
    try await visiting { world in
      let browser = world.browser()
      let expected: [(String, AppError)] = [
        ("overlay-retry", .timeout()), ("overlay-person", .unauthorized()),
        ("banner-offline", .offline()), ("row-offline", .offline()), ("page-retry", .timeout()),
        ("task-failed", .timeout()), ("form-failed", .offline()),
      ]
      for (name, error) in expected {
        let page = try await browser.get("/gallery/\(name)")
        let stage = try #require(page.part(from: "<div class=\"stage", to: "</article>"))
        #expect(stage.contains(error.title.description), "\(name)")
        #expect(stage.contains(error.message.description), "\(name)")
      }
      let unsure = try await browser.get("/gallery/overlay-unsure")
      let words = AppError.timeout().with(disposition: .unknownOutcome).suggestion?.description
      #expect(unsure.has(words ?? "?") && unsure.has("value=\"check-outcome\""))
      #expect(!unsure.has("value=\"retry\""))
    }
  }

  @Test func `a button of a state leads back, and says that it is a picture`() async throws {
    try await visiting { world in
      let browser = world.browser()
      let page = try await browser.get("/gallery/overlay-retry")
      let after = try await browser.submit("/gallery/overlay-retry/dismiss", of: page)
      #expect(after.toasts.first?.contains("a picture of a button") == true)
      #expect(states(after) == ["overlay-retry"])
    }
  }

  @Test(.requirement("T19")) func `only the newest load is shown, by any clock`() async throws {
    let clock = ManualClock()
    try await visiting(clocks: .init(pages: clock)) { world in
      let browser = world.browser()
      _ = try await browser.get(Self.live)
      async let slow = browser.post("/gallery/load", ["what": "slowly", "page": Self.live])
      await clock.sleepers(atLeast: 2)
      async let quick = browser.post("/gallery/load", ["what": "quickly", "page": Self.live])
      await clock.sleepers(atLeast: 4)
      clock.advance(by: .seconds(10))
      #expect(try await [slow.status, quick.status] == [303, 303])
      // What a page waits for at most has passed too, so it may have been answered before they end.
      var page = try await browser.get(Self.live)
      while !page.has("Ended: 2.") { page = try await browser.get(Self.live) }
      #expect(page.has("This is the answer to load 2.") && !page.has("to load 1."))
    }
  }

  @Test func `what is typed as a password is on no page`() async throws {
    try await visiting { world in
      let browser = world.browser()
      _ = try await browser.get(Self.live)
      for address in ["/gallery/form", "/gallery/form/edit"] {
        let answer = try await browser.post(
          address, ["password": "horse staple", "again": "horse", "page": Self.live])
        #expect(answer.status == 303)
        let page = try await browser.get(Self.live)
        #expect(page.has("id=\"join-password\"") && !page.has("horse"))
      }
    }
  }

  @Test func `a toast is held and released, and who only looks gets no screen`() async throws {
    try await visiting { world in
      let browser = world.browser()
      #expect(try await world.browser().get(Self.live).has("Begun: 0. Ended: 0."))
      _ = try await browser.post("/gallery/raise", ["what": "deed", "page": Self.live])
      let page = try await browser.get(Self.live)
      let id = try #require(page.part(from: "data-toast=\"", to: "\""))
      for what in ["hold", "release"] {
        #expect(try await browser.post("/screen/toasts/\(id)/\(what)", [:]).status == 204)
      }
      let after = try await browser.submit("/screen/toasts/\(id)/choose", of: page)
      #expect(after.toasts == ["It is back."])
    }
  }
}
