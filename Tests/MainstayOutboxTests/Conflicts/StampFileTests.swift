// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// A clock whose reservations lie in a file.
@Suite(.requirement("C21")) struct StampFileTests {
  private let folder: TemporaryFolder
  private let time = TimeOfDay()

  init() throws { folder = try TemporaryFolder() }

  private var url: URL { folder.url.appending(path: "clock #1.json") }

  private func clock() throws -> StampClock {
    try StampClock(
      storage: StampFile(at: url), installation: "here", now: { [time] in time.now })
  }

  @Test func `stamps go on after a restart, also by a clock that was set back`() throws {
    let first = try clock()
    let stamp = try first.stamp()
    time.advance(by: .seconds(-86_400))
    let second = try clock()
    #expect(second.beginning == .resumed && second.node == first.node)
    #expect(try second.stamp() > stamp)
  }

  @Test func `an older reservation does not replace a newer one`() throws {
    let file = StampFile(at: url)
    _ = try clock().stamp()
    let early = try #require(try file.load())
    time.advance(by: .seconds(60))
    _ = try clock().stamp()
    let late = try #require(try file.load())
    #expect(late.end > early.end)
    try file.save(early)
    #expect(try file.load() == late)
  }

  @Test func `many threads that save at once leave the latest`() async throws {
    let clock = try clock()
    let stamps = try await withThrowingTaskGroup(of: HybridLogicalClock.Stamp.self) { group in
      for _ in 0..<200 {
        group.addTask { [time] in
          time.advance(by: .seconds(2))
          return try clock.stamp()
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(stamps).count == 200)
    let kept = try #require(try StampFile(at: url).load())
    #expect(try kept.end > #require(stamps.max()))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(names == ["clock #1.json"])
  }

  @Test func `a file that cannot be read counts as none`() throws {
    try Data("{".utf8).write(to: url)
    #expect(try clock().beginning == .first)
    _ = try clock().stamp()
    #expect(try clock().beginning == .resumed)
  }

  @Test func `a folder that is gone is named`() throws {
    let storage = StampFile(at: folder.url.appending(path: "gone/clock.json"))
    let clock = try StampClock(storage: storage, installation: "here", now: { [time] in time.now })
    let error = #expect(throws: OutboxError.self) { try clock.stamp() }
    #expect(error?.code == .unavailable && error?.details.contains("gone/clock.json") == true)
  }
}
