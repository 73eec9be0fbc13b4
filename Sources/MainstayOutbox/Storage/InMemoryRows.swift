// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

/// The rows of an in-memory store by their numbers, and where each of them stands.
struct InMemoryRows {
  typealias Row = InMemoryState.StoredRow

  private var all: [Int64: Row] = [:]
  private(set) var index = InMemoryIndex()

  var count: Int { all.count }
  var values: some Collection<Row> { all.values }
  /// All of them in order; for what has to do with all.
  var sorted: some Sequence<(key: Int64, value: Row)> { rows(after: .min) }

  subscript(number: Int64) -> Row? {
    get { all[number] }
    set {
      index.change(number, from: all[number], to: newValue)
      all[number] = newValue
    }
  }

  mutating func removeValue(forKey number: Int64) -> Row? {
    guard let row = all.removeValue(forKey: number) else { return nil }
    index.change(number, from: row, to: nil)
    return row
  }

  /// Those behind a number, in order.
  func rows(after number: Int64) -> some Sequence<(key: Int64, value: Row)> {
    index.numbers.elements(after: number).lazy.compactMap { [all] number in
      all[number].map { (number, $0) }
    }
  }
}

/// The dead letters of an in-memory store by their numbers, and where each of them stands.
struct InMemoryLetters {
  private var all: [Int64: DeadLetter] = [:]
  private(set) var numbers = SortedSet<Int64>()
  private(set) var ids: [OperationID: Int64] = [:]
  private(set) var keys: [IdempotencyKey: Int64] = [:]
  /// Those of an ordering key.
  private(set) var queues: [Data: SortedSet<Int64>] = [:]
  /// Those that hold their ordering key.
  private(set) var holders: [Data: SortedSet<Int64>] = [:]

  var count: Int { all.count }
  var values: some Collection<DeadLetter> { all.values }

  subscript(number: Int64) -> DeadLetter? {
    get { all[number] }
    set {
      if let old = all[number] { forget(old, number) }
      all[number] = newValue
      if let newValue { note(newValue, number) }
    }
  }

  /// A dead letter and its number; nil where there is none.
  func letter(of id: OperationID) -> (key: Int64, value: DeadLetter)? {
    ids[id].flatMap { number in all[number].map { (number, $0) } }
  }

  /// Those behind a number, in order.
  func letters(after number: Int64) -> some Sequence<(key: Int64, value: DeadLetter)> {
    numbers.elements(after: number).lazy.compactMap { [all] number in
      all[number].map { (number, $0) }
    }
  }

  private mutating func note(_ letter: DeadLetter, _ number: Int64) {
    numbers.insert(number)
    ids[letter.id] = number
    keys[letter.operation.idempotencyKey] = number
    guard let key = letter.operation.orderingBytes else { return }
    queues[key, default: SortedSet()].insert(number)
    if letter.holdsKey { holders[key, default: SortedSet()].insert(number) }
  }

  private mutating func forget(_ letter: DeadLetter, _ number: Int64) {
    numbers.remove(number)
    ids[letter.id] = nil
    keys[letter.operation.idempotencyKey] = nil
    guard let key = letter.operation.orderingBytes else { return }
    queues.remove(number, from: key)
    holders.remove(number, from: key)
  }
}

/// What operations of an in-memory store need, and what needs them.
struct InMemoryNeeds {
  typealias Needed = [Int64: EnqueueOptions.Dependencies.IfGivenUp]

  private(set) var all: [Int64: Needed] = [:]
  private(set) var dependents: [Int64: SortedSet<Int64>] = [:]

  /// What one needs; nil where that is nothing.
  subscript(number: Int64) -> Needed? {
    get { all[number] }
    set {
      let (old, new) = (all[number] ?? [:], newValue ?? [:])
      for needed in old.keys where new[needed] == nil { dependents.remove(number, from: needed) }
      for needed in new.keys where old[needed] == nil {
        dependents[needed, default: SortedSet()].insert(number)
      }
      all[number] = new.isEmpty ? nil : new
    }
  }

  func isNeeded(_ number: Int64) -> Bool { dependents[number] != nil }
}
