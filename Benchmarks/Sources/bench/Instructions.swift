// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Counts the instructions of one call, with valgrind's callgrind: the same whatever else the
/// machine does.
enum Instructions {
  /// Those of a call: what a thousand calls more cost; nil where valgrind cannot run them, as where
  /// a scenario needs threads.
  static func perCall(_ scenario: String) -> Double? {
    guard let many = try? total(scenario, calls: 1_200), let few = try? total(scenario, calls: 200)
    else { return nil }
    return (many - few) / 1_000
  }

  /// A copy of this program that valgrind can read: it does not understand what Swift writes for
  /// debuggers.
  private static let program = Result {
    let path = FileManager.default.temporaryDirectory.appending(
      path: "bench-\(ProcessInfo.processInfo.processIdentifier)"
    ).path
    _ = try ChildProcess.output(of: ["strip", "--strip-debug", "-o", path, ChildProcess.ownPath])
    return path
  }

  /// Deletes that copy.
  static func cleanUp() {
    if let path = try? program.get() { try? FileManager.default.removeItem(atPath: path) }
  }

  /// What a run prints at its end: one that had to wait for another thread comes to none.
  static let doneMark = "all calls are done"

  private static func total(_ scenario: String, calls: Int) throws -> Double {
    let output = try ChildProcess.output(of: [
      "timeout", "60", "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
      try program.get(),
      "--only", scenario, "--calls", String(calls),
    ])
    guard output.contains(doneMark),
      let line = output.split(separator: "\n").last(where: { $0.contains("Collected : ") }),
      let number = line.split(separator: " ").last.flatMap({ Double($0) })
    else { throw ChildProcess.Failed(arguments: ["valgrind"], output: output) }
    return number
  }
}
