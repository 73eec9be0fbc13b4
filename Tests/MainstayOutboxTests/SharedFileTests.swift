// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// Several owners of one file, such as an app and its extension.
@Suite(.requirement("O7"), .ends(withinMinutes: 5)) struct SharedFileTests {
  @Test func `what one enqueues another one runs, soon and by itself`() async throws {
    var shop = try Workshop()
    let runs = Box<[String]>([])
    let app = try await shop.open(shop.worker { note, _ in runs.change { $0.append(note.text) } })
    shop.configuration.startsPaused = true
    let other = try await shop.open()
    try await other.enqueue(Note(text: "a"))
    // The clock of the outbox stands still: it is the file that tells.
    await app.wait { $0.pending == 0 && !runs.value.isEmpty }
    #expect(runs.value == ["a"])
    await other.wait { $0.pending == 0 }
    await other.shutDown()
    await app.shutDown()
  }

  @Test func `what waits for a constraint of one runs in another, where it holds`() async throws {
    var shop = try Workshop()
    let runs = Box<[String]>([])
    let worker = shop.worker { note, _ in runs.change { $0.append(note.text) } }
    shop.configuration.startsPaused = true
    let app = try await shop.open(worker)
    (shop.configuration.startsPaused, shop.configuration.unmetConstraints) =
      (false, ["signed-in:ann"])
    let other = try await shop.open(worker)
    let id = try await other.enqueue(
      Note(text: "a"), options: EnqueueOptions(constraints: ["signed-in:ann"]))
    await other.wait { $0.waiting == 1 }
    #expect(try await app.explain(id)?.obstacles == [.paused])
    // Nobody tells the app that anything holds: it always did there.
    await app.resume()
    await app.wait { $0.pending == 0 }
    #expect(runs.value == ["a"])
    await other.shutDown()
    await app.shutDown()
  }
}
