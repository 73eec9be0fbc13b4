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

  /// When a program is taken for one that never ends.
  ///
  /// It goes by the time that the processor spent on it where that is known, since time that passes
  /// says little on a machine that is busy with other work.
  struct Limits: Sendable {
    /// How much time of the processor it may use.
    var processor: Duration
    /// How long it may go without using any.
    var idle: Duration
    /// How long it may take in all.
    var total: Duration

    /// For what is expected to end.
    static let generous = Limits(
      processor: .seconds(7200), idle: .seconds(1800), total: .seconds(7200))
  }

  /// Runs it in a group of its own, of which nothing is left when this returns.
  ///
  /// - Returns: How it ended, and the time of the processor that it used as far as it is known.
  func run(_ limits: Limits) async throws -> (end: End, used: Duration) {
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

    var reader = try LogReader(log)
    var watch = HangWatch(limits: limits, process: id)
    while process.isRunning {
      let holdsStop = try stop.map { try reader.newText().contains($0) } ?? false
      if holdsStop || watch.looksHung() {
        kill(id, SIGKILL)
        process.waitUntilExit()
        return (holdsStop ? .stopped : .timedOut, watch.used)
      }
      try await Task.sleep(for: .milliseconds(10))
    }
    process.waitUntilExit()
    let end: End =
      process.terminationReason == .uncaughtSignal
      ? .signalled(process.terminationStatus) : .exited(process.terminationStatus)
    return (end, watch.used)
  }
}

/// Tells a process that hangs from one that is slow.
private struct HangWatch {
  let limits: Command.Limits
  let process: pid_t
  private(set) var used = Duration.zero
  private let start = ContinuousClock.now
  private var lastProgress = ContinuousClock.now

  init(limits: Command.Limits, process: pid_t) {
    self.limits = limits
    self.process = process
  }

  mutating func looksHung() -> Bool {
    let now = ContinuousClock.now
    let latest = Self.processorTime(of: process)
    if let latest, latest > used {
      used = latest
      lastProgress = now
    }
    let isIdle = latest != nil && now - lastProgress >= limits.idle
    return isIdle || used >= limits.processor || now - start >= limits.total
  }

  /// The time that the processor spent on a process and its children that have ended; nil where it
  /// cannot be read.
  private static func processorTime(of process: pid_t) -> Duration? {
    // The name of the program stands in brackets, and may itself hold spaces.
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let fields = text.split(separator: ")").last?.split(separator: " "), fields.count > 14
    else { return nil }
    let ticks = fields[11...14].compactMap { Int64($0) }.reduce(0, +)
    return .seconds(Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK))))
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
