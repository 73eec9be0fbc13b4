// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import Mainstay
import TestSupport
import Testing

/// What pages are told of items that changed, and the rounds in which that is done.
@Suite(.ends(withinMinutes: 5)) struct ItemNewsTests {
  private struct Told: Decodable, Equatable {
    let id: String
    var title: String?
    var deleted: String?
  }

  private func told(_ feed: ChangeFeed, _ count: Int) async throws -> [Told] {
    var told: [Told] = []
    for await event in feed.subscribe(after: 0).prefix(count) {
      told.append(try JSONDecoder().decode(Told.self, from: event.data))
    }
    return told
  }

  @Test func `items that change at once are told of once, as they are by then`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try await ItemStore(
      at: folder.appending(path: "items.sqlite"), now: { Date(timeIntervalSince1970: 0) })
    var ids: [UUID] = []
    for title in ["Lamp", "Chair", "Table"] {
      let draft = try ItemDraft(json: Data("{\"title\": \"\(title)\"}".utf8))
      ids.append(try await store.create(draft).item.id)
    }
    _ = try await store.delete(ids[1])
    let feed = ChangeFeed()
    let news = ItemNews(store, feed)
    await news.tell([ids[2], ids[0], ids[1], ids[0]])
    await news.tell([])
    let stranger = UUID()
    await news.note(stranger)
    await news.settle()
    #expect(
      try await told(feed, 4) == [
        Told(id: ids[2].text, title: "Table"), Told(id: ids[0].text, title: "Lamp"),
        Told(id: ids[1].text, deleted: "true"), Told(id: stranger.text, deleted: "true"),
      ])
    store.close()
    await news.tell(ids)
  }

  @Test func `whoever asks during a round is served by the next one`() async {
    let (begun, began) = AsyncStream.makeStream(of: Void.self)
    let (gate, opens) = AsyncStream.makeStream(of: Void.self)
    let work = Numbered()
    let rounds = Rounds {
      let number = work.next()
      began.yield()
      for await _ in gate { break }
      return number
    }
    var beginnings = begun.makeAsyncIterator()
    await rounds.start()
    _ = await beginnings.next()
    await rounds.start()
    await rounds.start()
    let late = Task { await rounds.join() }
    opens.finish()
    #expect([2, 3].contains(await late.value))
    await rounds.settle()
    // The two that only asked share the second, unless that had begun before the third asked.
    #expect(await rounds.join() <= 4)
  }

  private final class Numbered: Sendable {
    private let count = Locked(0)

    func next() -> Int {
      count.withLock { number in
        number += 1
        return number
      }
    }
  }

  @Test func `an id is written as everybody writes it, in small letters`() {
    for _ in 0..<200 {
      let id = UUID()
      #expect(id.text == id.uuidString.lowercased())
    }
  }
}
