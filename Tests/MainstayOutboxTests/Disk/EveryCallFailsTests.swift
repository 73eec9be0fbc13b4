// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// Each call to the disk fails, one after the other, in the manner of SQLite's own tests.
@Suite(.requirement("A54", "C13", "O32"), .ends(withinMinutes: 10)) struct EveryCallFailsTests {
  /// With small doses every so many calls are tried, and others for each way to fail.
  private static let stride = RandomDose.isTorture ? 1 : 13

  private static let failures: [(FaultyDisk.Call, FaultyDisk.Failure)] =
    FaultyDisk.Call.allCases.map { ($0, .error) } + [(.write, .full)]

  @Test(arguments: failures, [false, true])
  func `what was accepted is there once the disk is well, and errors say what is wrong`(
    failure: (call: FaultyDisk.Call, how: FaultyDisk.Failure), isForEver: Bool
  ) async throws {
    let usual = try await Self.calls(failure.call)
    #expect(usual > 0)
    var count = 0
    for nth in Swift.stride(from: 1, through: usual, by: min(Self.stride, max(usual / 5, 1))) {
      // The power goes too, before the disk is well.
      for isCut in RandomDose.isTorture ? [false, true] : [nth % 2 == 0] {
        let disk = try FaultyDisk()
        disk.put(besideAs: "-reserve")
        var scenario = DiskScenario()
        disk.fail(failure.call, failure.how, at: nth, forever: isForEver)
        await scenario.run(on: disk)
        disk.heal()
        if isCut { try disk.restart(seed: UInt64(nth)) }
        let violations = await scenario.violations(on: disk, isCut: isCut)
        #expect(violations == [], "\(failure) at \(nth), the power was cut: \(isCut)")
        if !scenario.errors.isEmpty { count += 1 }
      }
    }
    // A log that could not be cut short is none.
    if failure.call != .truncate { #expect(count > 0, "no failure was seen") }
  }

  @Test func `a disk that can only be read says so, and loses nothing`() async throws {
    let disk = try FaultyDisk()
    let store = SQLiteStore(at: disk.database)
    _ = try await store.open()
    let id = try await store.insert(.note("a"))
    disk.setReadOnly(true)
    let unavailable = OutboxError(.unavailable, details: "")
    await #expect(throws: unavailable) { _ = try await store.insert(.note("b")) }
    await #expect(throws: unavailable) { _ = try await store.claim() }
    #expect(try await store.operation(id)?.state == .ready)
    await #expect(throws: unavailable) { _ = try await SQLiteStore(at: disk.database).open() }
    await store.close()
    await #expect(throws: unavailable) { _ = try await SQLiteStore(at: disk.database).open() }
    disk.setReadOnly(false)
    let next = SQLiteStore(at: disk.database)
    #expect(try await next.open().salvage == nil)
    #expect(try await next.claim().map(\.text) == ["a"])
    await next.close()
  }

  /// How many calls there are where none fails.
  private static func calls(_ call: FaultyDisk.Call) async throws -> Int {
    let disk = try FaultyDisk()
    disk.put(besideAs: "-reserve")
    var scenario = DiskScenario()
    await scenario.run(on: disk)
    let count = disk.count(call)
    #expect(scenario.errors == [])
    #expect(await scenario.violations(on: disk, isCut: false) == [])
    return count
  }
}
