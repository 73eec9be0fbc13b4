// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

extension BareMachine {
  /// A machine whose `swift build` has built already, for the scripts that start programs.
  static func built(
    tools: [String] = [], scripts: [String: String] = [:]
  ) throws -> BareMachine {
    let folder = BuiltProgram.built("inventory").deletingLastPathComponent().path
    let swift = """
      case "$*" in
        --version) echo 'Swift version 6.3 (swift-6.3-RELEASE)' ;;
        *--show-bin-path*) echo '\(folder)' ;;
      esac
      """
    return try BareMachine(
      tools: ["awk", "mkdir", "rm"] + tools, scripts: scripts.merging(["swift": swift]) { $1 })
  }

  /// Starts `Tools/run` as `make run` does in a terminal, and returns once it says what to do.
  ///
  /// - Parameters:
  ///   - environment: What the script is told.
  ///   - port: Reads from what was printed where the app listens, once all is there.
  /// - Returns: The script, which runs until it is stopped.
  /// - Throws: What keeps it from being started, or that it ended before.
  func startExample(
    _ environment: [String: String], port: (_ printed: String) -> Int?
  ) async throws -> BuiltProgram {
    // Threads of tests hold signals back, and servers of theirs ignore some. What they start
    // inherits both; what a terminal starts does neither.
    let unblocked = """
      import os, signal, sys
      for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
      signal.pthread_sigmask(signal.SIG_SETMASK, [])
      os.execvpe(sys.argv[2], sys.argv[2:], dict(os.environ, PATH=sys.argv[1]))
      """
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let script = Repository.current.root.appending(path: "Tools/run").path
    return try await BuiltProgram(
      at: URL(filePath: "/usr/bin/env"), ["python3", "-c", unblocked, self.path, script],
      environment: environment.merging(["PATH": path]) { $1 }, port: port)
  }
}
