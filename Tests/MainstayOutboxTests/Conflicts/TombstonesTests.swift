// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox
import MainstayTesting
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
    tombstones.delete("a", at: .at(UInt64(10 * day)), heard: date(10 * day))
    #expect(tombstones["a"] == .at(UInt64(10 * day)) && tombstones["b"] == nil)
    #expect(tombstones.purge(at: date(100 * day)) == 0)
    #expect(tombstones.count == 1)
    #expect(tombstones.purge(at: date(100 * day + 1)) == 1)
    #expect(tombstones.count == 0)
  }

  @Test func `a deletion that is told late is remembered from then on`() {
    var tombstones = Tombstones()
    // It was deleted offline on the first day, and told on day 60; another device was here on 59.
    tombstones.delete("a", at: .at(0), heard: date(60 * day))
    #expect(tombstones["a"] == .at(0) && tombstones.heard("a") == date(60 * day))
    #expect(tombstones.heard("b") == nil)
    #expect(tombstones.purge(at: date(100 * day)) == 0)
    #expect(tombstones.plan(lastSync: date(59 * day)) == .changes(since: date(59 * day)))
    #expect(tombstones.count == 1, "the changes since then tell of it")
    #expect(tombstones.purge(at: date(150 * day)) == 0)
    #expect(tombstones.purge(at: date(150 * day + 1)) == 1)
    #expect(tombstones.plan(lastSync: date(59 * day)) == .fullSnapshot)
  }

  @Test func `hearing of a deletion again does not make it younger, a later one does`() {
    var tombstones = Tombstones()
    tombstones.delete("a", at: .at(5), heard: date(10))
    tombstones.delete("a", at: .at(5), heard: date(20))
    tombstones.delete("a", at: .at(4), heard: date(30))
    #expect(tombstones["a"] == .at(5) && tombstones.heard("a") == date(10))
    tombstones.delete("a", at: .at(6), heard: date(40))
    #expect(tombstones["a"] == .at(6) && tombstones.heard("a") == date(40))
    tombstones.delete("a", at: .at(7), heard: date(15))
    #expect(tombstones["a"] == .at(7) && tombstones.heard("a") == date(40))
  }

  @Test func `what is heard by a clock that was set back is heard last`() {
    var tombstones = Tombstones(retention: .seconds(100))
    _ = tombstones.purge(at: date(500_000))
    tombstones.delete("a", at: .at(450_000), heard: date(200_000))
    #expect(tombstones.heard("a") == date(500_000))
    #expect(tombstones.purge(at: date(600_000)) == 0)
    #expect(tombstones.purge(at: date(600_001)) == 1)
  }

  @Test func `a device that was here before the clock was set back is told`() {
    var tombstones = Tombstones()
    let fast = tombstones.synchronised(at: date(12 * 3_600_000))
    #expect(fast == date(12 * 3_600_000))
    tombstones.delete("a", at: .at(5), heard: date(11 * 3_600_000))
    #expect(tombstones.heard("a") == fast)
    for now in [11, 13] {
      let plan = tombstones.plan(lastSync: fast, at: date(now * 3_600_000))
      #expect(plan == .changes(since: fast))
    }
    #expect(tombstones.synchronised(at: date(11 * 3_600_000)) == fast)
  }

  @Test func `who comes from a time that has not been takes everything anew`() {
    var tombstones = Tombstones()
    #expect(tombstones.plan(lastSync: date(9), at: date(8)) == .fullSnapshot)
    #expect(tombstones.plan(lastSync: date(9), at: date(9)) == .changes(since: date(9)))
    tombstones.delete("a", at: .at(5), heard: date(9))
    #expect(tombstones.plan(lastSync: date(9), at: date(8)) == .changes(since: date(9)))
  }

  @Test func `whatever the clock does, no device keeps what was deleted`() throws {
    for seed in 0..<UInt64(RandomDose.cases) {
      var random = SeededGenerator(seed: seed)
      var tombstones = Tombstones(retention: .seconds(3_000))
      // What each device has, and when it was last here.
      var devices = [(records: Set<String>, lastSync: Date?)](repeating: ([], nil), count: 3)
      var records: Set<String> = []
      var now = 1_000_000
      for number in 0..<60 {
        now += Int.random(in: -900_000...1_000_000, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: records.insert("\(number)")
        case 1:
          guard let record = records.sorted().randomElement(using: &random) else { continue }
          records.remove(record)
          tombstones.delete(record, at: .at(UInt64(number)), heard: date(now))
        case 2: _ = tombstones.purge(at: date(now))
        default:
          let index = Int.random(in: 0..<3, using: &random)
          sync(&devices[index], records, &tombstones, at: date(now))
          #expect(devices[index].records == records, "seed \(seed)")
        }
        guard number % 20 == 0 else { continue }
        tombstones = try JSONDecoder().decode(
          Tombstones.self, from: JSONEncoder().encode(tombstones))
      }
    }
  }

  /// A device does what the plan says: it takes a full list, or what is new and what is gone.
  private func sync(
    _ device: inout (records: Set<String>, lastSync: Date?), _ records: Set<String>,
    _ tombstones: inout Tombstones, at now: Date
  ) {
    switch tombstones.plan(lastSync: device.lastSync, at: now) {
    case .fullSnapshot: device.records = records
    case .changes(let since):
      let gone = device.records.filter { record in
        tombstones.heard(record).map { $0 >= since } ?? false
      }
      device.records = device.records.subtracting(gone).union(records)
    }
    device.lastSync = tombstones.synchronised(at: now)
  }

  @Test func `who does not say when a deletion was heard has heard of it now`() throws {
    var tombstones = Tombstones()
    let before = Date()
    tombstones.delete("a", at: .at(5))
    let heard = try #require(tombstones.heard("a"))
    #expect(before <= heard && heard <= Date())
  }

  @Test func `what was encoded without it takes the stamp for when it was heard`() throws {
    var tombstones = Tombstones(retention: .seconds(100))
    tombstones.delete("a", at: .at(450_000), heard: date(480_000))
    let data = try JSONEncoder().encode(tombstones)
    var older = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    older["heard"] = nil
    let back = try JSONDecoder().decode(
      Tombstones.self, from: JSONSerialization.data(withJSONObject: older))
    #expect(back["a"] == .at(450_000) && back.heard("a") == date(450_000))
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
    tombstones.delete("a", at: .at(450_000), heard: date(450_000))
    #expect(tombstones.purge(at: date(200_000)) == 0)
    #expect(tombstones.horizon == date(400_000) && tombstones.count == 1)
  }

  @Test func `they come from JSON, and go back to it`() throws {
    var tombstones = Tombstones(retention: .seconds(100))
    tombstones.delete("a", at: .at(450_000), heard: date(480_000))
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
    #"{"retention": 5, "stamps": {}, "heard": {"a": "now"}}"#,
  ])
  func `anything else is an error`(json: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Tombstones.self, from: Data(json.utf8))
    }
  }
}
