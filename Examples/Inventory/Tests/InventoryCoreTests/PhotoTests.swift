// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import InventoryCore
import InventoryUpstream
import Mainstay
import MainstayOutbox
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 5)) struct PhotoTests {
  static let png = Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

  static func photo(bytes count: Int, seed: UInt8 = 1) -> Data {
    png + Data((0..<(count - png.count)).map { UInt8(truncatingIfNeeded: $0 &* 31) &+ seed })
  }

  @Test(arguments: [(FaultMode.healthy, 1.0), (.flaky, 0.5), (.dropAfterCommit, 0.5)])
  func `a photo is kept at once and uploaded in parts`(_ mode: FaultMode, _ rate: Double)
    async throws
  {
    try await inWorld { world in
      await world.fail(mode, rate: rate, seed: 3)
      let inventory = try await world.open { $0.client.photoPartBytes = 10_000 }
      let id = try await inventory.add(ItemDraft(title: "Lamp")).item.id
      let bytes = Self.photo(bytes: 45_678)
      let answer = try await inventory.setPhoto(bytes, of: id)
      #expect(answer.item.pending >= 1)
      #expect(try await inventory.store.photo(of: id)?.bytes == bytes)
      try await inventory.drained()
      await world.fail(.healthy)
      let effects = await world.upstream.store.ledger.applied
      #expect(effects.count == 2 && effects.allSatisfy { $0.applied == 1 })
      let there = world.origin.appending(path: "twins/\(id.text)/photo")
      #expect(try Data(contentsOf: there) == bytes)
      let photo = try await inventory.store.photo(of: id)
      #expect(photo?.type == "image/png" && photo?.bytes == bytes)
      await inventory.shutDown()
    }
  }

  @Test func `a newer photo takes the place of an older one`() async throws {
    try await inWorld { world in
      let inventory = try await world.open()
      let id = try await inventory.add(ItemDraft(title: "Lamp")).item.id
      _ = try await inventory.setPhoto(Self.photo(bytes: 100), of: id)
      let newer = Self.photo(bytes: 200, seed: 9)
      _ = try await inventory.setPhoto(newer, of: id)
      try await inventory.drained()
      #expect(try await inventory.store.photo(of: id)?.bytes == newer)
      await inventory.shutDown()
    }
  }

  /// How many photos are in the file.
  private func kept(_ world: World) throws -> Int? {
    let file = try world.database()
    return try file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM photo") }
  }

  /// A key under which the service knows other content, so that what comes with it is given up.
  private func usedKey(_ world: World) async throws -> IdempotencyKey {
    let key = IdempotencyKey()
    let stranger = world.stranger()
    let body = try JSONEncoder.inventory.encode(ItemFields(title: "Somebody’s"))
    _ = try await stranger.put(UUID(), body, ifVersion: nil, key: key)
    await stranger.shutDown()
    return key
  }

  @Test func `the photo of an item that is deleted goes too, unless it is still to be sent`()
    async throws
  {
    try await inWorld { world in
      let inventory = try await world.open()
      var ids: [UUID] = []
      for number in 1...3 {
        let id = try await inventory.add(ItemDraft(title: "Lamp \(number)")).item.id
        _ = try await inventory.setPhoto(Self.photo(bytes: 100), of: id)
        ids.append(id)
      }
      try await inventory.drained()
      #expect(try kept(world) == 3)
      await inventory.outbox.pause()
      _ = try await inventory.delete(ids[0])
      #expect(try kept(world) == 2, "at once, whether or not the service can be reached")
      _ = try await inventory.setPhoto(Self.photo(bytes: 200, seed: 9), of: ids[1])
      _ = try await inventory.delete(ids[1])
      #expect(try kept(world) == 2, "the newer one comes before the deletion")
      await inventory.outbox.resume()
      try await inventory.drained()
      #expect(try kept(world) == 1)
      let stranger = world.stranger()
      _ = try await stranger.delete(ids[2], key: IdempotencyKey())
      await stranger.shutDown()
      try await inventory.pull()
      #expect(try kept(world) == 0)
      #expect(try await inventory.deadLetters().isEmpty)
      await inventory.shutDown()
    }
  }

  @Test func `a photo that is discarded goes, and the one that the service has comes back`()
    async throws
  {
    try await inWorld { world in
      let inventory = try await world.open()
      let id = try await inventory.add(ItemDraft(title: "Lamp")).item.id
      let older = Self.photo(bytes: 100)
      _ = try await inventory.setPhoto(older, of: id)
      try await inventory.drained()
      let key = try await usedKey(world)
      _ = try await inventory.setPhoto(Self.photo(bytes: 200, seed: 9), of: id, key: key)
      _ = try await inventory.wait(for: id) { $0.sync == .rejected }
      #expect(try kept(world) == 2)
      let rejected = try await inventory.store.photoNumbers(of: [id])
      try await inventory.discard(try #require(try await inventory.deadLetters().first?.id))
      #expect(try kept(world) == 1)
      #expect(try await inventory.store.photo(of: id)?.bytes == older)
      #expect(try await inventory.store.item(id).sync == .synced)
      _ = try await inventory.setPhoto(Self.photo(bytes: 300, seed: 7), of: id)
      #expect(try await inventory.store.photoNumbers(of: [id]) != rejected)
      await inventory.shutDown()
    }
  }

  @Test func `a first photo that is discarded leaves none`() async throws {
    try await inWorld { world in
      let inventory = try await world.open()
      let id = try await inventory.add(ItemDraft(title: "Lamp")).item.id
      try await inventory.drained()
      let key = try await usedKey(world)
      _ = try await inventory.setPhoto(Self.photo(bytes: 100), of: id, key: key)
      _ = try await inventory.wait(for: id) { $0.sync == .rejected }
      try await inventory.discard(try #require(try await inventory.deadLetters().first?.id))
      #expect(try kept(world) == 0)
      #expect(try await inventory.store.photo(of: id) == nil)
      await inventory.shutDown()
    }
  }

  @Test func `a photo that an older version has left behind goes at the start`() async throws {
    try await inWorld { world in
      let first = try await world.open()
      let id = try await first.add(ItemDraft(title: "Lamp")).item.id
      _ = try await first.setPhoto(Self.photo(bytes: 100), of: id)
      try await first.drained()
      await first.shutDown()
      try await world.database().write { db in
        try db.execute(sql: "UPDATE item SET deleted_at = updated_at")
      }
      let second = try await world.open()
      #expect(try kept(world) == 0)
      await second.shutDown()
    }
  }

  static let types: [(head: [UInt8], type: String?)] = [
    ([0xff, 0xd8, 0xff, 0xe0], "image/jpeg"), (Array(png), "image/png"),
    (Array("GIF87a".utf8), "image/gif"), (Array("GIF89a..".utf8), "image/gif"),
    (Array("RIFF....WEBPVP8 ".utf8), "image/webp"),
    ([0, 0, 0, 24] + Array("ftypheic".utf8), "image/heic"),
    (Array("<svg xmlns=".utf8), nil), (Array("%PDF-1.7".utf8), nil), ([], nil), ([0xff], nil),
    (Array("RIFF....WAVEfmt ".utf8), nil),
  ]

  @Test(arguments: types.indices) func `its type is found out from its bytes`(_ index: Int) {
    let (head, type) = Self.types[index]
    #expect((try? ItemPhoto(Data(head)))?.type == type)
  }

  @Test func `more than 10 MB is refused with the limit`() throws {
    let limit = ItemPhoto.maximumBytes
    #expect(throws: Never.self) { try ItemPhoto(Self.png + Data(count: limit - 8)) }
    let error = try #require(throws: AppError.self) {
      try ItemPhoto(Self.png + Data(count: limit - 7))
    }
    #expect(error.httpStatus == 413 && error.message.description.contains("10 MB"))
  }
}
