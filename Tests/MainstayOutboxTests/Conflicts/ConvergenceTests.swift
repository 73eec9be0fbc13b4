// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// Law 10: devices that edit, go offline, die and send again, and a server that knows what it did.
@Suite(.requirement("C21", "O22")) struct ConflictStateMachineConvergenceTests {
  @Test func `all devices and the server end the same, and each change is done once`() throws {
    for seed in 0..<UInt64(RandomDose.cases) {
      var world = SyncWorld(seed: seed)
      for _ in 0..<80 { try world.step() }
      let isQuiet = world.settle()
      #expect(isQuiet, "seed \(seed): it does not come to rest")
      #expect(world.complaints.isEmpty, "seed \(seed): \(world.complaints)")
      for device in world.devices {
        #expect(device.machine.local == world.server.state, "seed \(seed)")
        #expect(device.machine.phase == .settled, "seed \(seed)")
      }
      if let counted = world.server.state.record?.quantity {
        #expect(counted == world.expectedCount, "seed \(seed)")
      }
    }
  }
}

/// One record, a server that takes a write only on condition of its version, and three devices.
private struct SyncWorld {
  struct Record: Codable, Equatable {
    var title = "t"
    var note = "n"
    var quantity = 0
    var tags: [String: Int] = [:]
  }

  static let policy = MergePolicy<Record>([
    .field("title", \.title), .field("note", \.note, .preferRemote),
    .field("quantity", \.quantity, .counter()), .field("tags", \.tags, .map()),
  ])

  struct Device {
    var machine: ConflictStateMachine<Record>
    /// The key of what is on its way; nil where nothing is.
    var key: Int?
  }

  var server = VersionedState<Record>(.present(Record()), version: "0")
  var devices: [Device]
  /// What has been counted by people, in all.
  var expectedCount = 0
  var complaints: [String] = []
  /// The answer to each key that was applied.
  private var applied: [Int: String] = [:]
  private var nextKey = 0
  private var nextVersion = 0
  private var generator: SeededGenerator
  private let date = Date(timeIntervalSince1970: 0)

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    let machine = ConflictStateMachine(
      record: "r", base: VersionedState<Record>(.present(Record()), version: "0"))
    devices = (0..<3).map { _ in Device(machine: machine) }
  }

  private mutating func number(_ range: Range<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  mutating func step() throws {
    let device = number(0..<devices.count)
    switch number(0..<10) {
    case 0..<3: edit(device)
    case 3..<6: send(device)
    case 6: try crash(device)
    case 7: decide(device)
    default:
      _ = devices[device].machine.received(server, policy: Self.policy, at: date)
    }
  }

  private mutating func edit(_ device: Int) {
    guard var record = devices[device].machine.local.record else { return }
    switch number(0..<4) {
    case 0: record.title = "t\(number(0..<3))"
    case 1: record.note = "n\(number(0..<3))"
    case 2:
      let change = number(-3..<4)
      record.quantity += change
      expectedCount += change
    default:
      let key = "k\(number(0..<2))"
      record.tags[key] = number(0..<3) == 0 ? nil : number(0..<3)
    }
    _ = devices[device].machine.edited(to: .present(record), policy: Self.policy, at: date)
  }

  /// The request may be lost, and so may the answer; it may arrive twice.
  private mutating func send(_ device: Int, isReliable: Bool = false) {
    guard let outgoing = devices[device].machine.began() else { return }
    let key = devices[device].key ?? nextKey
    if devices[device].key == nil { nextKey += 1 }
    devices[device].key = key
    let luck = isReliable ? 9 : number(0..<10)
    guard luck > 1 else { return }
    for _ in 0...(luck == 5 ? 1 : 0) { apply(outgoing, key) }
    guard luck > 3 else { return }
    devices[device].key = nil
    if let version = applied[key] {
      _ = devices[device].machine.acknowledged(version: version, policy: Self.policy, at: date)
    } else {
      _ = devices[device].machine.refused(
        by: server, policy: Self.policy, at: date, limit: 100, knowsRepetitions: true)
    }
  }

  private mutating func apply(_ outgoing: ConflictStateMachine<Record>.Outgoing, _ key: Int) {
    guard applied[key] == nil, outgoing.precondition == server.version else { return }
    nextVersion += 1
    server = VersionedState(outgoing.state, version: "\(nextVersion)")
    applied[key] = "\(nextVersion)"
  }

  /// What is on the disk is all that is left.
  private mutating func crash(_ device: Int) throws {
    devices[device].machine = try JSONDecoder().decode(
      ConflictStateMachine<Record>.self, from: JSONEncoder().encode(devices[device].machine))
  }

  /// A person takes one side or the other, field by field.
  private mutating func decide(_ device: Int) {
    guard let conflict = devices[device].machine.conflict else { return }
    var choices: [String: MergeSide] = [:]
    for field in conflict.fields { choices[field.field] = number(0..<2) == 0 ? .local : .remote }
    let result = Self.policy.merge(
      base: conflict.base, local: conflict.local, remote: conflict.remote.state,
      choosing: choices)
    if !result.isClean { complaints.append("\(choices) leave \(result.conflicts)") }
    if devices[device].machine.resolved(conflict, with: result.state) == nil {
      complaints.append("the conflict of \(device) is another one")
    }
  }

  /// The network is back: whether all comes to rest in a bounded time.
  mutating func settle() -> Bool {
    for _ in 0..<50 {
      for device in devices.indices {
        decide(device)
        send(device, isReliable: true)
        _ = devices[device].machine.received(server, policy: Self.policy, at: date)
      }
      let isQuiet = devices.allSatisfy { $0.machine.phase == .settled && $0.machine.base == server }
      if isQuiet { return true }
    }
    return false
  }
}
