// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox
import TestSupport
import Testing

@Suite(.requirement("C21")) struct TombstonesTests {
  private let day = 86_400_000
  private func date(_ milliseconds: Int) -> Date {
    Date(timeIntervalSince1970: Double(milliseconds) / 1000)
  }

  @Test func `a deletion is remembered for 90 days`() {
    var tombstones = Tombstones()
    #expect(tombstones.retention == .seconds(90 * 86_400))
    tombstones.delete("a", at: .at(UInt64(10 * day)))
    #expect(tombstones["a"] == .at(UInt64(10 * day)) && tombstones["b"] == nil)
    #expect(tombstones.purge(at: date(100 * day)) == 0)
    #expect(tombstones.count == 1)
    #expect(tombstones.purge(at: date(100 * day + 1)) == 1)
    #expect(tombstones.count == 0)
  }

  @Test func `or as long as the longest of what depends on it`() {
    let (short, long) = (Duration.seconds(10), Duration.seconds(20))
    #expect(Tombstones(retention: short, offlinePeriod: long).retention == long)
    #expect(Tombstones(retention: short, timeToLive: long).retention == long)
    #expect(Tombstones(retention: short, idempotencyWindow: long).retention == long)
    #expect(Tombstones(retention: long, offlinePeriod: short).retention == long)
    #expect(Tombstones(retention: .seconds(Int64.max)).retention == .seconds(365 * 86_400))
  }

  @Test func `never is not a time`() async {
    await #expect(processExitsWith: .failure) { _ = Tombstones(retention: .zero) }
  }

  @Test func `of two deletions the later one is remembered`() {
    var tombstones = Tombstones()
    for time in [5, 9, 7] as [UInt64] { tombstones.delete("a", at: .at(time)) }
    #expect(tombstones["a"] == .at(9) && tombstones.count == 1)
  }

  @Test func `a later write brings a record back, an earlier one does not`() {
    var tombstones = Tombstones()
    tombstones.delete("a", at: .at(5))
    #expect(tombstones.revive("a", at: .at(4)) == false)
    #expect(tombstones.revive("a", at: .at(5)) == false)
    #expect(tombstones.count == 1)
    #expect(tombstones.revive("a", at: .at(6)) == true)
    #expect(tombstones.count == 0)
    #expect(tombstones.revive("b", at: .at(1)) == true)
  }

  @Test func `who was away for longer than the horizon takes everything anew`() {
    var tombstones = Tombstones(retention: .seconds(100))
    #expect(tombstones.horizon == nil)
    #expect(tombstones.plan(lastSync: nil) == .fullSnapshot)
    #expect(tombstones.plan(lastSync: date(1)) == .changes(since: date(1)))
    _ = tombstones.purge(at: date(500_000))
    #expect(tombstones.horizon == date(400_000))
    #expect(tombstones.plan(lastSync: date(400_000)) == .changes(since: date(400_000)))
    #expect(tombstones.plan(lastSync: date(399_999)) == .fullSnapshot)
    #expect(tombstones.plan(lastSync: nil) == .fullSnapshot)
  }

  @Test(.requirement("P12")) func `the horizon does not go back with the clock`() {
    var tombstones = Tombstones(retention: .seconds(100))
    _ = tombstones.purge(at: date(500_000))
    tombstones.delete("a", at: .at(450_000))
    #expect(tombstones.purge(at: date(200_000)) == 0)
    #expect(tombstones.horizon == date(400_000) && tombstones.count == 1)
  }

  @Test func `they come from JSON, and go back to it`() throws {
    var tombstones = Tombstones(retention: .seconds(100))
    tombstones.delete("a", at: .at(450_000))
    for _ in 0..<2 {
      let back = try JSONDecoder().decode(
        Tombstones.self, from: JSONEncoder().encode(tombstones))
      #expect(back == tombstones)
      _ = tombstones.purge(at: date(500_000))
    }
  }

  @Test(arguments: [
    #"{"stamps": {}}"#, #"{"retention": 0, "stamps": {}}"#, #"{"retention": -5, "stamps": {}}"#,
    #"{"retention": 5, "stamps": {"a": "now"}}"#, #"{"retention": 5}"#,
  ])
  func `anything else is an error`(json: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Tombstones.self, from: Data(json.utf8))
    }
  }
}
