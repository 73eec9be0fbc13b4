// SPDX-License-Identifier: Apache-2.0

import MainstayTesting

/// How tests may pass time, what they may skip and what they may see.
enum TestRules {
  /// Tests that may wait for real time to pass; none does.
  static let sleepers: [Allowance] = []

  /// Tests that do not always run; all do.
  static let conditional: [Allowance] = []

  static func sleeping(_ files: [SourceFile]) -> [Violation] {
    files.filter { !sleepers.spare($0) }.flatMap { file in
      sleeps(in: file).map {
        file.violation(
          at: $0, "a test sleeps", cure: "Advance a manual clock, or await the event itself")
      }
    }
  }

  private static func sleeps(in file: SourceFile) -> [Int] {
    let methods = [
      ["Task", ".", "sleep"], ["Task", "<", "Never", ",", "Never", ">", ".", "sleep"],
      ["Thread", ".", "sleep"], ["ContinuousClock", "(", ")", ".", "sleep"],
      ["SuspendingClock", "(", ")", ".", "sleep"],
    ]
    let functions = ["sleep", "usleep", "nanosleep"].flatMap { name in
      // `clock.sleep(…)` may be a manual clock, and `func sleep(…)` is one being written.
      file.places(of: [name, "("]).filter { index in
        index == 0 || ![".", "func"].contains(file.tokens[index - 1].text)
      }
    }
    return methods.flatMap { file.places(of: $0) } + functions
  }

  static func skipping(_ files: [SourceFile]) -> [Violation] {
    let ways = [
      [".", "disabled", "("], [".", "disabled", ","], [".", "enabled", "(", "if"], ["XCTSkip"],
    ]
    return files.filter { !conditional.spare($0) }.flatMap { file in
      ways.flatMap { file.places(of: $0) }.map {
        file.violation(
          at: $0, "a test does not always run",
          cure: "Set up what it needs in `Tools/setup`, or delete it")
      }
    }
  }

  /// Exit tests wait for the oldest child that has ended, also for one that others started and do
  /// not wait for, and then stand still for ever.
  ///
  /// `Tools/test` runs their files in a process of its own, which is of use only while nothing else
  /// in them starts programs.
  static func exitTestsBesidePrograms(_ files: [SourceFile]) -> [Violation] {
    let ways = [
      ["BuiltProgram"], ["Launch", ".", "run"], ["Process", "("], ["Command", ".", "output"],
      ["PostgresServer"], ["SecureServer"], ["CertificateAuthority"], ["Browser", "("],
    ]
    return files.filter { !$0.places(of: ["processExitsWith", ":"]).isEmpty }.flatMap { file in
      ways.flatMap { file.places(of: $0) }.map {
        file.violation(
          at: $0, "a file with exit tests starts a program", cure: "Give either a file of its own")
      }
    }
  }

  /// Internal parts that a test may reach: pure values with no other way in.
  static let pureParts = [
    "StateMachineTests.swift", "SlidingWindowTests.swift", "AlarmQueueTests.swift",
    "SHA256Tests.swift", "OpeningLimitTests.swift", "PostgresErrorReadingTests.swift",
  ]

  static func testableImports(_ files: [SourceFile]) -> [Violation] {
    files.filter { file in !pureParts.contains { file.path.hasSuffix($0) } }.flatMap { file in
      file.places(of: ["@", "testable"]).map {
        file.violation(
          at: $0, "a test sees internal declarations",
          cure: "Test through the public surface, or make the part a pure state machine")
      }
    }
  }
}
