// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox
import Testing

/// What tools read of an outbox: numbers of seconds and plain names.
@Suite struct OutboxSnapshotCodingTests {
  private let encoder = JSONEncoder()
  private let decoder = JSONDecoder()

  private func object(_ value: some Encodable) throws -> [String: Any] {
    let data = try encoder.encode(value)
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  private var snapshot: OutboxSnapshot {
    var snapshot = OutboxSnapshot()
    (snapshot.pending, snapshot.ready, snapshot.dead, snapshot.bytes) = (3, 2, 1, 40)
    snapshot.causes.delay = 1
    snapshot.oldestAge = .milliseconds(90_007)
    snapshot.estimate = DrainEstimate(
      likely: .seconds(2), shortest: .milliseconds(1500), longest: .seconds(4))
    return snapshot
  }

  @Test func `spans are numbers of seconds, and come back as they were`() throws {
    let snapshot = snapshot
    let object = try object(snapshot)
    #expect(object["oldestAge"] as? Double == 90.007)
    #expect((object["estimate"] as? [String: Any])?["shortest"] as? Double == 1.5)
    #expect(object["bytes"] as? Int == 40)
    let again = try decoder.decode(OutboxSnapshot.self, from: encoder.encode(snapshot))
    #expect(again == snapshot)
  }

  @Test func `an empty outbox has neither a span nor an estimate`() throws {
    let object = try object(OutboxSnapshot())
    #expect(object["oldestAge"] == nil && object["estimate"] == nil)
    let data = try encoder.encode(OutboxSnapshot())
    #expect(try decoder.decode(OutboxSnapshot.self, from: data) == OutboxSnapshot())
  }

  @Test func `the forms of earlier builds are read`() throws {
    let text = """
      {"pending":1,"ready":1,"running":0,"scheduled":0,"blocked":0,"waiting":0,"conflicted":0,
      "parked":0,"dead":0,"bytes":7,"causes":{"delay":0,"failure":0,"unreachable":0,"policy":0,
      "constraint":0,"lanePaused":0,"laneNeedsUser":0,"laneThrottled":0,"kindPaused":0},
      "oldestAge":[4,16213023705161793536]}
      """
    let snapshot = try decoder.decode(OutboxSnapshot.self, from: Data(text.utf8))
    #expect(snapshot.oldestAge == .seconds(90))
    let reason = try decoder.decode(
      OutboxReceipt.Reason.self, from: Data(#"{"rawValue":"done"}"#.utf8))
    #expect(reason == .done)
  }

  @Test func `reasons and warnings are their names`() throws {
    let receipt = OutboxReceipt(
      kind: "note", reason: .discarded, count: 1, bytes: 2, first: .distantPast,
      last: .distantPast)
    #expect(try object(receipt)["reason"] as? String == "discarded")
    let again = try decoder.decode(OutboxReceipt.self, from: encoder.encode(receipt))
    #expect(again == receipt)
    var report = OpeningReport()
    report.warnings = [.sharedByOldSQLite]
    #expect(try object(report)["warnings"] as? [String] == ["sharedByOldSQLite"])
    #expect(try decoder.decode(OpeningReport.self, from: encoder.encode(report)) == report)
  }

  @Test func `a span that none can be is refused`() throws {
    let text = #"{"likely":1e300,"shortest":1,"longest":2}"#
    #expect(throws: DecodingError.self) {
      try decoder.decode(DrainEstimate.self, from: Data(text.utf8))
    }
  }
}
