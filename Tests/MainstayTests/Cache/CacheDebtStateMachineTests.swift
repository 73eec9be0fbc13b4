// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Mainstay

@Suite(.ends(withinMinutes: 2), .requirement("O39")) struct CacheDebtStateMachineTests {
  private typealias Item = CacheDebtStateMachine.Item

  private let partition = CachePartition.account(1)

  private func item(_ name: String, isRemoval: Bool = false) -> Item {
    Item(selection: .key(CacheEntry.Key(name, of: partition)), isRemoval: isRemoval)
  }

  private func lookup(_ name: String) -> CacheEntry.Lookup {
    CacheEntry.Lookup(
      entry: CacheEntry(key: CacheEntry.Key(name, of: partition), bytes: Data([1]), form: "Book"),
      age: .seconds(5), isExpired: false,
      ticket: CacheEntry.Ticket(removals: 0, number: 1, reading: .zero))
  }

  @Test func `the store is left alone for a while after it has refused`() {
    var debt = CacheDebtStateMachine()
    #expect(debt.next(at: .zero) == nil)
    debt.owe(item("a"), of: partition)
    debt.owe(item("a"), of: partition)
    debt.owe(item("b"), of: partition)
    #expect(debt.next(at: .seconds(10)) == item("a"))
    #expect(debt.next(at: .seconds(10.5)) == nil)
    #expect(debt.next(at: .seconds(11)) == item("a"))
    debt.paid(item("a"))
    #expect(debt.next(at: .seconds(11)) == item("b"))
    // A clock that went back holds nothing up.
    #expect(debt.next(at: .seconds(1)) == item("b"))
    debt.paid(item("b"))
    #expect(debt == CacheDebtStateMachine())
  }

  @Test func `what is owed is left out of what was read`() {
    var debt = CacheDebtStateMachine()
    debt.owe(item("a"), of: partition)
    debt.owe(item("b", isRemoval: true), of: partition)
    debt.owe(item("b"), of: partition)
    let expired = debt.applied(to: lookup("a"))
    #expect(expired.isExpired && expired.entry == lookup("a").entry && expired.age == .seconds(5))
    #expect(debt.applied(to: lookup("b")).entry == nil)
    #expect(debt.applied(to: lookup("c")) == lookup("c"))
  }

  @Test(arguments: [false, true])
  func `more than can be remembered is the whole partition`(isRemoval: Bool) {
    var debt = CacheDebtStateMachine()
    for number in 0...CacheDebtStateMachine.limit {
      debt.owe(item("\(number)", isRemoval: isRemoval), of: partition)
    }
    #expect(debt.items == [Item(selection: .partition(partition), isRemoval: isRemoval)])
    #expect((debt.applied(to: lookup("other")).entry == nil) == isRemoval)
  }

  @Test func `one removal among many expiries removes what it is about and nothing else`() {
    var debt = CacheDebtStateMachine()
    debt.owe(item("x", isRemoval: true), of: partition)
    for number in 0...CacheDebtStateMachine.limit { debt.owe(item("\(number)"), of: partition) }
    debt.owe(item("z", isRemoval: true), of: partition)
    let other = debt.applied(to: lookup("y"))
    #expect(other.entry == lookup("y").entry && other.isExpired)
    for name in ["x", "z"] { #expect(debt.applied(to: lookup(name)).entry == nil) }
    // The store hears of all three.
    var told: [Item] = []
    while let item = debt.next(at: .zero) {
      told.append(item)
      debt.paid(item)
    }
    #expect(
      told == [
        item("x", isRemoval: true), Item(selection: .partition(partition), isRemoval: false),
        item("z", isRemoval: true),
      ])
  }
}
