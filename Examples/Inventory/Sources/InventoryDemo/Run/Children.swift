// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// The programs that were started and have not ended.
///
/// Whoever ends the demo ends them too; none is left behind.
package final class Children: Sendable {
  private let running = Locked<Set<Int32>>([])
  private let isEnding = Locked(false)

  package init() {}

  /// Kills all of them, and lets no other one live.
  package func end() {
    isEnding.withLock { $0 = true }
    for pid in running.withLock({ Array($0) }) { kill(pid, SIGKILL) }
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: Its file.
  ///   - arguments: What it is told.
  ///   - log: The file to which its complaints are added.
  /// - Returns: The program, as soon as it listens.
  /// - Throws: `DemoFailure` where it cannot be started or ends before it listens.
  func start(_ program: URL, _ arguments: [String], log: URL) async throws -> ChildProgram {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    process.standardError = try Self.open(log)
    let (ends, ended) = AsyncStream.makeStream(of: Int32.self)
    process.terminationHandler = { process in
      ended.yield(process.terminationStatus)
      ended.finish()
    }
    do { try process.run() } catch {
      throw DemoFailure("\(program.path) could not be started: \(error). Build it first.")
    }
    let pid = process.processIdentifier
    running.withLock { _ = $0.insert(pid) }
    if isEnding.withLock({ $0 }) { kill(pid, SIGKILL) }
    let end = Task {
      let status = await ends.first { _ in true } ?? -1
      running.withLock { _ = $0.remove(pid) }
      return status
    }
    guard let port = await Self.port(output) else {
      let name = program.lastPathComponent
      throw DemoFailure(
        "\(name) ended with status \(await end.value) before it listened; see \(log.path).")
    }
    return ChildProgram(port: port, pid: pid, output: output, end: end)
  }

  private static func open(_ log: URL) throws -> FileHandle {
    if !FileManager.default.fileExists(atPath: log.path) {
      _ = FileManager.default.createFile(atPath: log.path, contents: nil)
    }
    let handle = try FileHandle(forWritingTo: log)
    try handle.seekToEnd()
    return handle
  }

  /// The port that its first line names; nil where it ended without a line.
  private static func port(_ output: Pipe) async -> Int? {
    let (parts, continuation) = AsyncStream.makeStream(of: String.self)
    output.fileHandleForReading.readabilityHandler = { handle in
      let data = handle.availableData
      if data.isEmpty {
        continuation.finish()
      } else {
        continuation.yield(String(decoding: data, as: UTF8.self))
      }
    }
    var printed = ""
    for await part in parts {
      printed += part
      if printed.contains("\n") { break }
    }
    output.fileHandleForReading.readabilityHandler = nil
    return Int(printed.split(separator: ":").last?.filter(\.isNumber) ?? "")
  }
}

/// A program that was started and listens.
struct ChildProgram: Sendable {
  let port: Int
  private let pid: Int32
  /// Held open: a program that prints must not end of it.
  private let output: Pipe
  private let end: Task<Int32, Never>

  fileprivate init(port: Int, pid: Int32, output: Pipe, end: Task<Int32, Never>) {
    self.port = port
    self.pid = pid
    self.output = output
    self.end = end
  }

  /// Sends it a signal and waits for its end; the status it ended with, or the signal.
  @discardableResult
  func stop(_ signal: Int32) async -> Int32 {
    kill(pid, signal)
    return await end.value
  }
}
