// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

/// What stays in memory after many calls under a time limit that never fired.
enum Memory {
  static let calls = 500_000

  /// The ways to limit time that are compared.
  static let names = [
    "memory-timeout", "memory-naive-timeout", "memory-capture", "memory-capture-stalled",
  ]

  /// What is measured in microseconds, in a process of its own too.
  static let times = ["slow-capture-stalled", "slow-capture-stalled-8-tasks"]

  /// Measures one of them in this process, in megabytes; nil where it cannot be read.
  static func growth(_ name: String) async throws -> Double? {
    switch name {
    case "memory-capture": return await growthOfCaptures(on: ErrorMonitor())
    case "memory-capture-stalled":
      return await growthOfCaptures(on: MonitoringScenarios.stalledMonitor())
    case "slow-capture-stalled": return await slowCaptureWhileStalled(tasks: 1)
    case "slow-capture-stalled-8-tasks": return await slowCaptureWhileStalled(tasks: 8)
    default: break
    }
    let timeout = Timeout(.seconds(30))
    let isNaive = name == "memory-naive-timeout"
    return try await Task.detached {
      // What the first calls set up is no growth.
      for index in 0..<1_000 { keep(try await timeout.run { try await suspendedWork(index) }) }
      guard let before = resident else { return nil }
      for index in 0..<calls {
        if isNaive {
          keep(try await naiveTimeout(.seconds(30)) { try await suspendedWork(index) })
        } else {
          keep(try await timeout.run { try await suspendedWork(index) })
        }
      }
      return resident.map { $0 - before }
    }.value
  }

  /// Measures all, each in a process of its own, since memory that was freed hides what is taken.
  static func measure() throws -> [String: Double] {
    var found: [String: Double] = [:]
    for name in names + times {
      let output = try ChildProcess.output(of: [ChildProcess.ownPath, "--memory-of", name])
      found[name] = Double(output.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    return found
  }

  /// Resident memory of this process in megabytes.
  static var resident: Double? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
      return nil
    }
    let words = text.split(separator: " ")
    guard words.count > 1, let pages = Double(words[1]) else { return nil }
    return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1e6
  }
}
