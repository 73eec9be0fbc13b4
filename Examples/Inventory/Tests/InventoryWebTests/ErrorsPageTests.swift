// SPDX-License-Identifier: Apache-2.0

import Foundation
import HummingbirdTesting
import InventoryCore
import Mainstay
import TestSupport
import Testing

/// The page of what went wrong.
@Suite(.ends(withinMinutes: 5)) struct ErrorsPageTests {
  /// What a page says of the trends: how far back they go, and the counts of the one group.
  private struct Shown: Equatable {
    var heading: String
    var current: String
    var counts: [Int]
    var bars: Int

    init(heading: String, current: String, counts: [Int]) {
      (self.heading, self.current, self.counts, bars) = (heading, current, counts, counts.count)
    }

    init(_ page: Page) throws {
      heading = try #require(page.text.components(separatedBy: "<th scope=\"col\">").last)
        .components(separatedBy: "</th>")[0]
      let nav = try #require(page.part(from: "<nav class=\"spans\"", to: "</nav>"))
      let chosen = nav.components(separatedBy: " aria-current=\"page\">")
      #expect(chosen.count == 2, "one of them is chosen: \(nav)")
      current = try #require(chosen.last).components(separatedBy: "</a>")[0]
      let words = try #require(page.part(from: "aria-label=\"By ", to: "\""))
      counts = words.drop { $0 != ":" }.dropFirst().split(separator: ",").compactMap {
        Int($0.trimmingCharacters(in: .whitespaces))
      }
      let drawing = try #require(page.part(from: "<svg class=\"trend", to: "</svg>"))
      bars = drawing.components(separatedBy: "<rect ").count - 1
    }
  }

  @Test(.requirement("B41"), arguments: [TestingSetup.router, .live])
  func `links lead from ten minutes of errors to an hour and a day, without a script`(
    setup: TestingSetup
  ) async throws {
    let time = Locked(Date(timeIntervalSince1970: 1_800_000_000))
    var clocks = PageWorld.Clocks()
    clocks.timeOfDay = { time.withLock { $0 } }
    try await visiting(setup, clocks: clocks) { world in
      let browser = world.browser()
      let none = try await browser.get("/errors?span=day")
      #expect(none.has("No errors since the app was started.") && !none.has("class=\"spans\""))
      // Three hours, 45 minutes and five minutes before the page is looked at.
      for wait in [0, 135, 40] {
        time.withLock { $0 += Double(wait) * 60 }
        world.inventory.report(AppError.http(status: 500, isRepeatable: true), during: "Test")
      }
      time.withLock { $0 += 5 * 60 }

      let first = try await browser.get("/errors")
      let tens = [0, 0, 0, 0, 1, 0, 0, 0, 0, 0]
      #expect(
        try Shown(first)
          == Shown(heading: "Last ten minutes", current: "Ten minutes", counts: tens))
      let hour = (0..<60).map { [59 - 45, 59 - 5].contains($0) ? 1 : 0 }
      let day = (0..<24).map { [20: 1, 22: 2][$0] ?? 0 }
      var page = first
      for (name, href, counts) in [
        ("Hour", "/errors?span=hour", hour), ("Day", "/errors?span=day", day),
        ("Ten minutes", "/errors", tens),
      ] {
        #expect(page.has("<a class=\"button\" href=\"\(href)\">\(name)</a>"), "a link to \(name)")
        page = try await browser.get(href)
        #expect(
          try Shown(page)
            == Shown(heading: "Last \(name.lowercased())", current: name, counts: counts))
        #expect(page.has("data-address=\"\(href)\""), "a page that goes on keeps its span")
      }
      let odd = try await browser.get("/errors?span=%3Cscript%3E")
      #expect(odd.status == 200 && !odd.has("<script>"))
      #expect(try Shown(odd).heading == "Last ten minutes")
      #expect(try await browser.get("/errors?span=%ff").status == 400)
    }
  }
}
