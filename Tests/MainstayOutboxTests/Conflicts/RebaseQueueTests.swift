// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// What is done to a list of numbers depends on the list.
enum ListChange: RebasingOperation, Codable, Equatable {
  case append(Int)
  case double
  case remove(Int)

  struct Impossible: Error {}

  func apply(to list: inout [Int]) throws {
    switch self {
    case .append(let number): list.append(number)
    case .double: list = list.map { $0 &* 2 }
    case .remove(let number):
      guard let index = list.firstIndex(of: number) else { throw Impossible() }
      list.remove(at: index)
    }
  }
}

@Suite(.requirement("C21")) struct RebaseQueueTests {
  private func queue(_ changes: ListChange...) throws -> RebaseQueue<ListChange> {
    var queue = RebaseQueue<ListChange>(server: [1])
    for change in changes { _ = try queue.append(change) }
    return queue
  }

  @Test func `readers see pending changes at once, numbered from one`() throws {
    var queue = try queue()
    #expect(try queue.append(.append(2)) == 1)
    #expect(try queue.append(.double) == 2)
    #expect(queue.document == [2, 4] && queue.server == [1])
    #expect(queue.pending.map(\.number) == [1, 2])
  }

  @Test func `pending changes are done again on what the others did`() throws {
    var queue = try queue(.append(2), .double)
    #expect(queue.rebase(onto: [1, 7], acknowledged: 0) == true)
    #expect(queue.document == [2, 14, 4] && queue.pending.count == 2)
    #expect(queue.rebase(onto: [1, 7, 2], acknowledged: 1) == true)
    #expect(queue.document == [2, 14, 4] && queue.pending.map(\.number) == [2])
    #expect(queue.rebase(onto: [2, 14, 4], acknowledged: 2) == true)
    #expect(queue.document == [2, 14, 4] && queue.pending.isEmpty)
    #expect(queue.server == [2, 14, 4] && queue.acknowledged == 2)
  }

  @Test func `an older version is ignored`() throws {
    var queue = try queue(.append(2))
    #expect(queue.rebase(onto: [1, 2], acknowledged: 1) == true)
    #expect(queue.rebase(onto: [1], acknowledged: 0) == false)
    #expect(queue.document == [1, 2] && queue.acknowledged == 1)
    #expect(queue.rebase(onto: [1, 2, 3], acknowledged: 1) == true)
    #expect(queue.document == [1, 2, 3])
  }

  @Test func `what cannot be done is not added`() throws {
    var queue = try queue()
    #expect(throws: ListChange.Impossible.self) { try queue.append(.remove(9)) }
    #expect(queue.pending.isEmpty && queue.document == [1])
    #expect(try queue.append(.double) == 1)
  }

  @Test func `what cannot be done any more is told, and the others are done`() throws {
    var queue = try queue(.remove(1), .append(5))
    #expect(queue.rebase(onto: [3], acknowledged: 0) == true)
    #expect(queue.document == [3, 5])
    #expect(queue.rejected.map(\.pending.number) == [1] && queue.pending.count == 2)
    #expect(queue.rejected.first?.error is ListChange.Impossible)
    // It may be possible again later, or be discarded.
    #expect(queue.rebase(onto: [3, 1], acknowledged: 0) == true)
    #expect(queue.rejected.isEmpty && queue.document == [3, 5])
    #expect(queue.discard(1) == true)
    #expect(queue.discard(1) == false)
    #expect(queue.document == [3, 1, 5] && queue.pending.map(\.number) == [2])
  }

  @Test func `numbers that were forgotten are not used again`() throws {
    var queue = try queue(.append(2))
    #expect(queue.rebase(onto: [1, 2, 3], acknowledged: 40) == true)
    #expect(queue.pending.isEmpty)
    #expect(try queue.append(.append(4)) == 41)
    #expect(RebaseQueue<ListChange>(server: [], acknowledged: 7).acknowledged == 7)
    var other = RebaseQueue<ListChange>(server: [], acknowledged: 7)
    #expect(try other.append(.double) == 8)
  }

  @Test func `a number at the end of all numbers is not believed`() throws {
    var queue = try queue(.append(2))
    #expect(queue.rebase(onto: [], acknowledged: .max) == false)
    #expect(queue.rebase(onto: [], acknowledged: .max / 2) == false)
    #expect(queue.rebase(onto: [], acknowledged: .max / 2 - 1) == true)
    #expect(throws: Never.self) { try queue.append(.append(2)) }
    // Nor is what a first sync is told.
    var first = RebaseQueue<ListChange>(server: [], acknowledged: .max)
    #expect(first.acknowledged == UInt64.max / 2 - 1)
    #expect(try first.append(.append(2)) == UInt64.max / 2)
  }

  @Test func `a queue survives on a disk`() throws {
    var queue = try queue(.append(2), .remove(2), .append(3))
    _ = queue.rebase(onto: [1], acknowledged: 1)
    let back = try JSONDecoder().decode(
      RebaseQueue<ListChange>.self, from: JSONEncoder().encode(queue))
    #expect(back.document == queue.document && back.pending == queue.pending)
    #expect(back.rejected.map(\.pending) == queue.rejected.map(\.pending))
    #expect(back.acknowledged == 1 && back.server == [1])
    var again = back
    #expect(try again.append(.double) == 4)
  }

  @Test(
    arguments: [
      (5, [5], 6), (5, [7, 6], 7), (5, [6, 6], 6), (5, [6], 5), (5, [], 4),
      (5, [], Int(Int64.max)),
    ] as [(Int, [Int], Int)])
  func `numbers out of order are an error`(acknowledged: Int, pending: [Int], last: Int) {
    let changes = pending.map { #"{"number": \#($0), "operation": {"double": {}}}"# }
    let json = """
      {"server": [], "acknowledged": \(acknowledged), "lastNumber": \(last),
       "pending": [\(changes.joined(separator: ","))]}
      """
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(RebaseQueue<ListChange>.self, from: Data(json.utf8))
    }
  }

  @Test func `the last number that is legal is read`() throws {
    let json = """
      {"server": [], "acknowledged": 5, "lastNumber": \(UInt64.max / 2 - 1), "pending": []}
      """
    var queue = try JSONDecoder().decode(RebaseQueue<ListChange>.self, from: Data(json.utf8))
    #expect(try queue.append(.double) == UInt64.max / 2)
  }

  /// Devices and a server that does each change once, in the order of its device.
  @Test func `all devices and the server end the same, and nothing is done twice`() throws {
    struct Server {
      var list = [0]
      var done: [Int: UInt64] = [:]
      var total = 0

      /// The change, unless it was done before or one before it is missing.
      mutating func take(_ pending: RebaseQueue<ListChange>.Pending, from device: Int) {
        guard pending.number == done[device, default: 0] + 1 else { return }
        done[device] = pending.number
        if (try? pending.operation.apply(to: &list)) != nil { total += 1 }
      }
    }
    for seed in 0..<UInt64(RandomDose.cases) {
      var generator = SeededGenerator(seed: seed)
      var server = Server()
      var devices = (0..<3).map { _ in RebaseQueue<ListChange>(server: [0]) }
      for step in 0..<60 {
        let device = Int.random(in: 0..<3, using: &generator)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<4:
          let change =
            [ListChange.append(step), .double, .remove(0)]
            .randomElement(using: &generator) ?? .double
          _ = try? devices[device].append(change)
        case 4..<7:  // Some arrive, perhaps once more, and the answer may be lost.
          for pending in devices[device].pending where Bool.random(using: &generator) {
            server.take(pending, from: device)
          }
        case 7:  // The process dies.
          devices[device] = try JSONDecoder().decode(
            RebaseQueue<ListChange>.self, from: JSONEncoder().encode(devices[device]))
        default:
          _ = devices[device].rebase(
            onto: server.list, acknowledged: server.done[device, default: 0])
        }
      }
      for device in devices.indices {
        devices[device].pending.forEach { server.take($0, from: device) }
      }
      for device in devices.indices {
        let isTaken = devices[device].rebase(
          onto: server.list, acknowledged: server.done[device, default: 0])
        #expect(isTaken, "seed \(seed)")
        #expect(devices[device].document == server.list, "seed \(seed)")
        #expect(devices[device].pending.isEmpty, "seed \(seed)")
      }
    }
  }
}
