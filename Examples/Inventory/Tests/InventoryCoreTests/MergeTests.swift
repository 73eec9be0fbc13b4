// SPDX-License-Identifier: Apache-2.0

import InventoryCore
import MainstayTesting
import TestSupport
import Testing

/// The laws of putting two sides together.
@Suite(.requirement("C21")) struct MergeTests {
  private func fields(_ generator: inout SeededGenerator) -> ItemFields {
    func text() -> String? { ["a", "b", "c", nil].randomElement(using: &generator) ?? nil }
    var fields = ItemFields(title: text() ?? "t", author: text())
    fields.year = Bool.random(using: &generator) ? .random(in: 1900...1902, using: &generator) : nil
    fields.location = text()
    fields.notes = text()
    fields.quantity = .random(in: 0...20, using: &generator)
    return fields
  }

  private func each(_ law: (ItemFields, ItemFields, ItemFields) -> Void) {
    var generator = SeededGenerator(seed: 21)
    for _ in 0..<RandomDose.cases {
      law(fields(&generator), fields(&generator), fields(&generator))
    }
  }

  @Test func `the change of one side alone is kept`() {
    each { base, other, _ in
      let here = FieldMerge(base: base, local: other, remote: base)
      let there = FieldMerge(base: base, local: base, remote: other)
      #expect(here.fields == other && here.conflicts.isEmpty)
      #expect(there.fields == other && there.conflicts.isEmpty)
      #expect(FieldMerge(base: base, local: base, remote: base).fields == base)
    }
  }

  @Test func `the same text of both sides is kept, and counts still add up`() {
    each { base, other, _ in
      let merge = FieldMerge(base: base, local: other, remote: other)
      #expect(merge.conflicts.isEmpty && merge.fields.title == other.title)
      #expect(merge.fields.quantity == max(0, 2 * other.quantity - base.quantity))
    }
  }

  @Test func `both sides see the same conflicts, mirrored`() {
    each { base, local, remote in
      let here = FieldMerge(base: base, local: local, remote: remote)
      let there = FieldMerge(base: base, local: remote, remote: local)
      #expect(here.conflicts.map(\.name) == there.conflicts.map(\.name))
      #expect(here.conflicts.map(\.local) == there.conflicts.map(\.remote))
      #expect(here.fields.quantity == there.fields.quantity)
      if here.conflicts.isEmpty { #expect(here.fields == there.fields) }
      // Whoever takes the other side's values ends where the other ends who takes their own.
      #expect(here.takingRemote() == there.fields)
    }
  }

  @Test func `nothing is invented and no change is lost`() {
    each { base, local, remote in
      let merge = FieldMerge(base: base, local: local, remote: remote)
      let names = merge.conflicts.map(\.name)
      #expect([base.title, local.title, remote.title].contains(merge.fields.title))
      #expect([base.author, local.author, remote.author].contains(merge.fields.author))
      if local.title != base.title {
        #expect(merge.fields.title == local.title || names.contains("title"))
      }
      if remote.title != base.title {
        #expect(merge.fields.title == remote.title || names.contains("title"))
      }
      #expect((0...1_000_000).contains(merge.fields.quantity))
    }
  }

  @Test func `merging the result again changes nothing`() {
    each { base, local, remote in
      let merged = FieldMerge(base: base, local: local, remote: remote).fields
      let again = FieldMerge(base: remote, local: merged, remote: remote)
      #expect(again.fields == merged && again.conflicts.isEmpty)
    }
  }

  @Test func `without a base only equal fields are sure`() {
    each { _, local, remote in
      let merge = FieldMerge(base: nil, local: local, remote: remote)
      #expect(merge.conflicts.map(\.name).contains("title") == (local.title != remote.title))
      #expect(merge.conflicts.map(\.name).contains("year") == (local.year != remote.year))
      #expect(merge.fields.quantity == max(local.quantity, remote.quantity))
    }
  }

  @Test func `counts stay in their range whatever they are told`() {
    func counted(_ count: Int) -> ItemFields { ItemFields(title: "t", quantity: count) }
    for base in [0, 7, 1_000_000] {
      for (local, remote) in [(1_000_000, 1_000_000), (0, 0), (1_000_000, 0), (0, 1_000_000)] {
        let merge = FieldMerge(
          base: counted(base), local: counted(local), remote: counted(remote))
        #expect((0...1_000_000).contains(merge.fields.quantity) && merge.conflicts.isEmpty)
      }
    }
  }
}
