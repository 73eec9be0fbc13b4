// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A program that is run to its end, or to a time limit, with its output in a file.
struct Command: Sendable {
  enum End: Sendable, Equatable {
    case exited(Int32)
    case signalled(Int32)
    case timedOut
    /// Stopped because its output held what was looked for.
    case stopped
  }

  var arguments: [String]
  var environment: [String: String] = [:]
  var log: URL
  /// The program is stopped as soon as its output holds this.
  var stop: String?

  /// Runs it in a group of its own, of which nothing is left when this returns.
  func run(timeLimit: Duration) async throws -> End {
    try Data().write(to: log)
    let output = try FileHandle(forWritingTo: log)
    defer { try? output.close() }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let id = process.processIdentifier
    // What is left of the group, such as the processes of exit tests, ends with it.
    defer { if getpgid(0) != id { kill(-id, SIGKILL) } }

    let end = ContinuousClock.now + timeLimit
    var reader = try LogReader(log)
    while process.isRunning {
      if let stop, try reader.newText().contains(stop) {
        kill(id, SIGKILL)
        process.waitUntilExit()
        return .stopped
      }
      if ContinuousClock.now >= end {
        kill(id, SIGKILL)
        process.waitUntilExit()
        return .timedOut
      }
      try await Task.sleep(for: .milliseconds(10))
    }
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal
      ? .signalled(process.terminationStatus) : .exited(process.terminationStatus)
  }
}

/// Reads what a growing file has got since the last time, with a little of what came before.
private struct LogReader {
  private let handle: FileHandle
  private var tail = Data()

  init(_ log: URL) throws { handle = try FileHandle(forReadingFrom: log) }

  mutating func newText() throws -> String {
    guard let new = try handle.readToEnd(), !new.isEmpty else { return "" }
    let text = tail + new
    tail = Data(text.suffix(16))
    return String(decoding: text, as: UTF8.self)
  }
}
