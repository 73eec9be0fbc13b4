// SPDX-License-Identifier: Apache-2.0

import Foundation
import HummingbirdTesting
import InventoryCore
import InventoryTestSupport
import InventoryWeb
import TestSupport
import Testing

/// More requests than can be answered.
@Suite(.ends(withinMinutes: 5)) struct LoadTests {
  private var narrow: Load {
    var load = Load()
    (load.limit, load.queue, load.maximumWait) = (2, 2, .milliseconds(100))
    return load
  }

  @Test func `what is too much is refused at once, and nothing accepted is lost`() async throws {
    try await visiting(.live, load: narrow) { world in
      let app = Address(port: try #require(world.client.port))
      let count = RandomDose.isTorture ? 5_000 : 200
      let answers = try await withThrowingTaskGroup { group in
        for number in 0..<count {
          group.addTask {
            try await app.send("POST", "/api/items", "{\"title\": \"Item \(number)\"}")
          }
        }
        // Whoever watches over the process is answered meanwhile, as often as it asks.
        for _ in 0..<20 { #expect(try await app.send("GET", "/live").status == 200) }
        var answers: [Answer] = []
        for try await answer in group { answers.append(answer) }
        return answers
      }
      let (accepted, refused) = (
        answers.filter { $0.status == 202 }, answers.filter { $0.status == 503 }
      )
      #expect(accepted.count + refused.count == count)
      #expect(!accepted.isEmpty && !refused.isEmpty)
      for answer in refused {
        let pause = try #require(Int(answer.headers["retry-after"] ?? ""))
        #expect((1...4).contains(pause))
        #expect(answer.headers["content-type"] == "application/problem+json")
      }
      var kept: Set<String> = []
      var page: ItemPage?
      repeat {
        page = try await world.inventory.store.items(limit: 200, after: page?.next)
        kept.formUnion(page?.items.map(\.id.text) ?? [])
      } while page?.next != nil
      #expect(kept == Set(try accepted.compactMap { try $0.text("id") }))
      #expect(try await app.send("GET", "/ready").text("status") == "ready")
      #expect(world.inventory.errorGroups().isEmpty, "a refusal is no failure")
    }
  }

  @Test func `pages of the dashboard that listen keep nobody else out`() async throws {
    try await visiting(.live, load: narrow) { world in
      let app = Address(port: try #require(world.client.port))
      // As many as are answered at once.
      let open = Countdown(2)
      let pages = (0..<2).map { _ in
        Task {
          try await app.event(at: "/mainstay/events", opened: { open.count() }) { _, _ in false }
        }
      }
      await open.reached()
      #expect(try await app.send("POST", "/api/items", "{\"title\": \"Lamp\"}").status == 202)
      for page in pages {
        page.cancel()
        _ = await page.result
      }
    }
  }

  @Test func `a person who is refused gets a page that says so`() async throws {
    var closed = Load()
    (closed.limit, closed.queue) = (1, 0)
    try await visiting(.live, load: closed) { world in
      let app = Address(port: try #require(world.client.port))
      var refused: Answer?
      while refused == nil {
        refused = try await withThrowingTaskGroup { group in
          for _ in 0..<20 {
            group.addTask { try await app.send("GET", "/", nil, ["Accept": "text/html"]) }
          }
          var refused: Answer?
          for try await answer in group where answer.status == 503 { refused = answer }
          return refused
        }
      }
      let page = try #require(refused)
      #expect(page.headers["content-type"] == "text/html; charset=utf-8")
      #expect(page.headers["retry-after"] != nil)
      #expect(String(decoding: page.body, as: UTF8.self).contains("<html lang=\"en\">"))
    }
  }
}
