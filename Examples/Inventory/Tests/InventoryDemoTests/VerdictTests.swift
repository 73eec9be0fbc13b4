// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryDemo
import Testing

@Suite struct VerdictTests {
  /// Something that went wrong, and what is said about it.
  struct Harm: Sendable, CustomTestStringConvertible {
    let breaks: Verdict.Condition
    let says: String
    let harm: @Sendable (inout Evidence) -> Void

    var testDescription: String { "\(breaks.rawValue): \(says)" }
  }

  static let run: [Harm] = [
    Harm(breaks: .happened, says: "killed 0 of 1 times") { $0.kills = 0 },
    Harm(breaks: .happened, says: "no marks of the phase healthy") { evidence in
      evidence.ledger.requests.removeAll { $0.key == Mark(.after, phase: 0).key }
    },
    Harm(breaks: .happened, says: "No request met the phase portal") { evidence in
      evidence.ledger.requests.removeAll { $0.at == 1500 }
    },
    Harm(breaks: .answered, says: "scan-5 was answered 500 instead of 202") { evidence in
      let action = Action(key: "scan-5", item: 5, kind: .scan(isbn: "9799000000042"))
      evidence.posts.append(Post(action, .refused(status: 500)))
    },
    Harm(breaks: .answered, says: "scan-5 got no answer while inventory was running: a reason") {
      let action = Action(key: "scan-5", item: 5, kind: .scan(isbn: "9799000000042"))
      $0.posts.append(Post(action, .failed("a reason")))
    },
    Harm(breaks: .answered, says: "edit-2 was answered with the items a, z") { evidence in
      evidence.posts.append(Post(Scene.lastEdit, .accepted(id: "z")))
    },
    Harm(breaks: .drained, says: "The queue did not get empty: 3 operations wait") { evidence in
      evidence.secondsToDrain = nil
      evidence.queue.pending = 3
    },
    Harm(breaks: .drained, says: "2 operations were given up") { $0.queue.dead = 2 },
    Harm(breaks: .drained, says: "1 conflicts are open") { $0.queue.conflicts = 1 },
    Harm(breaks: .drained, says: "does not balance") { $0.queue.isBalanced = false },
    Harm(breaks: .rate, says: "5 requests came within one second, where 2 are") { evidence in
      evidence.ledger.requests.insert(.init(at: 3099, status: 200), at: 17)
    },
  ]

  static let keys: [Harm] = [
    Harm(breaks: .kept, says: "edit-1 was accepted and is not in the ledger: it is lost") {
      $0.ledger.applied.removeAll { $0.key == "edit-1" }
    },
    Harm(breaks: .kept, says: "edit-2 was accepted and stands 2 times in the ledger") { evidence in
      evidence.ledger.applied.append(.init(key: "edit-2", twin: "a", applied: 0))
    },
    Harm(breaks: .known, says: "stranger was applied and never posted") { evidence in
      evidence.ledger.applied.append(.init(key: "stranger", twin: "z"))
    },
    Harm(breaks: .known, says: "edit-1 is about a and was applied to z") { evidence in
      evidence.ledger.applied[2].twin = "z"
    },
    Harm(breaks: .once, says: "scan-2 was applied 2 times") { $0.ledger.applied[1].applied = 2 },
    Harm(breaks: .once, says: "scan-3 was applied 3 times") { $0.ledger.applied[4].applied = 3 },
    Harm(breaks: .resent, says: "scan-1 was sent again after it was answered 201") { evidence in
      evidence.ledger.requests.insert(.init(at: 70, key: "scan-1", status: nil), at: 7)
    },
    Harm(breaks: .resent, says: "delete-2 was sent again after it was answered 200") { evidence in
      evidence.ledger.requests.insert(.init(at: 4500, key: "delete-2", status: 404), at: 17)
    },
    Harm(breaks: .order, says: "edit-2 was applied before edit-1, which was asked first") {
      $0.ledger.applied.swapAt(2, 5)
    },
    Harm(breaks: .order, says: "delete-2 was applied before scan-2") { evidence in
      evidence.ledger.applied.swapAt(1, 3)
    },
  ]

  static let sides: [Harm] = [
    Harm(breaks: .equal, says: "scan-1 (a): the sides differ in title: Emma and Pride") {
      $0.items["a"]?.fields.title = "Emma"
    },
    Harm(breaks: .equal, says: "the sides differ in author: nothing and Somebody") { evidence in
      evidence.twins["a"]?.fields?.author = "Somebody"
    },
    Harm(breaks: .equal, says: "scan-3 (c): its state is pending instead of synced") {
      $0.items["c"]?.sync = "pending"
    },
    Harm(breaks: .equal, says: "scan-3 (c): its enrichment is failed") {
      $0.items["c"]?.enrichment = "failed"
    },
    Harm(breaks: .equal, says: "scan-3 (c): only the service has it") { $0.items["c"] = nil },
    Harm(breaks: .equal, says: "nobody’s (z): the service never heard of it") { evidence in
      evidence.items["z"] = ItemReading(Fields(barcode: "1", title: "Lamp"))
    },
    Harm(breaks: .equal, says: "the service has deleted it, the app has not") { evidence in
      evidence.items["b"] = ItemReading(Fields(barcode: "9799000000011", title: "Lamp"))
    },
    Harm(breaks: .equal, says: "delete-2 (b): it was deleted, and the service has it") {
      let fields = Fields(barcode: "9799000000011", title: "Sense and Sensibility")
      $0.items["b"] = ItemReading(fields)
      $0.twins["b"]?.fields = fields
    },
    Harm(breaks: .equal, says: "edit-2 (a): the service does not have it") { evidence in
      evidence.items["a"] = nil
      evidence.twins["a"]?.fields = nil
    },
    Harm(breaks: .equal, says: "edit-2 (a): it wrote the notes second, which is first") {
      $0.items["a"]?.fields.notes = "first"
      $0.twins["a"]?.fields?.notes = "first"
    },
    Harm(breaks: .equal, says: "edit-1 (a): it wrote the location Attic, which is nothing") {
      $0.items["a"]?.fields.location = nil
      $0.twins["a"]?.fields?.location = nil
    },
    Harm(breaks: .equal, says: "edit-1 (a): it wrote the quantity 2, which is 4") { evidence in
      evidence.items["a"]?.fields.quantity = 4
      evidence.twins["a"]?.fields?.quantity = 4
    },
  ]

  @Test func `all holds where nothing is wrong`() {
    let verdict = Verdict(Scene.evidence)
    #expect(verdict.holds && verdict.broken.isEmpty)
    #expect(verdict.table.accepted == 5 && verdict.table.unanswered == 2)
    #expect(verdict.table.applied == 6 && verdict.table.replayed == 1)
    #expect(verdict.table.lost == 0 && verdict.table.duplicated == 0)
    #expect(verdict.table.fastest == 4)
  }

  @Test(arguments: run + keys + sides)
  func `what is broken is said, and nothing else`(_ harm: Harm) {
    var evidence = Scene.evidence
    harm.harm(&evidence)
    let verdict = Verdict(evidence)
    #expect(!verdict.holds)
    #expect(verdict.broken.map(\.condition) == [harm.breaks], "\(verdict.broken.map(\.text))")
    #expect(verdict.broken.first?.text.contains(harm.says) == true, "\(verdict.broken)")
  }

  @Test func `every condition is broken by one of these`() {
    let broken = Set((Self.run + Self.keys + Self.sides).map(\.breaks))
    #expect(broken == Set(Verdict.Condition.allCases))
  }

  @Test func `a key that was applied after a refusal is unknown too`() {
    var evidence = Scene.evidence
    evidence.posts.removeAll { $0.key == "edit-1" }
    evidence.posts.insert(Post(Scene.edit, .refused(status: 500)), at: 2)
    let conditions = Verdict(evidence).broken.map(\.condition)
    #expect(conditions == [.answered, .known])
  }

  @Test func `the table counts what is lost and what was done twice`() {
    var evidence = Scene.evidence
    evidence.ledger.applied.removeAll { $0.key == "edit-1" }
    evidence.ledger.applied[0].applied = 2
    evidence.queue.dead = 3
    evidence.queue.conflicts = 4
    let table = Verdict(evidence).table
    #expect(table.lost == 1 && table.duplicated == 1 && table.dead == 3 && table.conflicts == 4)
  }

  @Test func `people read a table, what is broken, and how to repeat it`() {
    var evidence = Scene.evidence
    let plan = Plan(seed: 9, size: Plan.Size(scans: 12, kills: 2))
    let text = Verdict(evidence).text(plan)
    let lines = text.split(separator: "\n")
    #expect(
      lines[0] == """
        accepted | unanswered | applied | replayed | lost | duplicated | dead | conflicts | \
        seconds to drain
        """)
    #expect(lines[2].split(separator: "|").map { $0.filter { $0 != " " } }.last == "1.5")
    #expect(text.contains("All conditions hold"))
    #expect(text.contains("make demo DEMO_FLAGS='--seed 9 --scans 12 --kills 2'"))
    evidence.secondsToDrain = nil
    evidence.kills = 0
    let broken = Verdict(evidence).text(plan)
    #expect(broken.contains("never") && broken.contains("Broken (drained): The queue did not"))
    #expect(broken.contains("Broken (happened): inventory was killed 0 of 1 times."))
  }

  @Test func `programs read the same as JSON`() throws {
    struct Document: Decodable {
      struct Broken: Decodable {
        let condition: String
        let key: String?
      }

      let seed: UInt64
      let holds: Bool
      let broken: [Broken]
      let table: [String: Double]
    }
    var evidence = Scene.evidence
    evidence.ledger.applied[1].applied = 2
    let json = try Verdict(evidence).json(Plan(seed: 9))
    let document = try JSONDecoder().decode(Document.self, from: Data(json.utf8))
    #expect(document.seed == 9 && !document.holds)
    #expect(document.broken.map(\.condition) == ["once"])
    #expect(document.broken.map(\.key) == ["scan-2"])
    #expect(document.table["duplicated"] == 1 && document.table["secondsToDrain"] == 1.5)
  }
}
