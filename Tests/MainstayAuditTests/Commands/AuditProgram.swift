// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(TestSupport)
  import TestSupport
#endif

/// The program `mainstay-audit`, and others, run as a person would.
enum AuditProgram {
  struct End {
    let status: Int32
    let output: String
    let errors: String
  }

  /// Runs the audit in a folder.
  static func run(
    _ arguments: [String], in folder: Folder, below: String = "", input: String = "",
    environment: [String: String] = [:]
  ) async throws -> End {
    try await end(
      of: process(built, arguments, folder, below, environment), folder, input: input)
  }

  /// Runs the audit by a shell, where it is `$0`.
  static func run(shell script: String, in folder: Folder) async throws -> End {
    let arguments = ["-c", script, built.path]
    return try await end(
      of: process(URL(filePath: "/bin/sh"), arguments, folder, "", [:]), folder, input: "")
  }

  /// Runs a program that a shell would find.
  static func run(
    _ program: String, _ arguments: [String], in folder: Folder
  ) async throws -> End {
    try await end(
      of: process(URL(filePath: "/usr/bin/env"), [program] + arguments, folder, "", [:]), folder,
      input: "")
  }

  /// Starts the audit and leaves it running.
  static func start(_ arguments: [String], in folder: Folder) throws -> Started {
    let process = process(built, arguments, folder, "", [:])
    return try Started(process)
  }

  /// A program that runs, and the lines that it prints.
  struct Started {
    let process: Process
    private let lines: AsyncStream<String>
    private let end: AsyncStream<Int32>

    init(_ process: Process) throws {
      self.process = process
      let pipe = Pipe()
      process.standardOutput = pipe
      process.standardError = pipe
      process.standardInput = FileHandle.nullDevice
      let (lines, continuation) = AsyncStream.makeStream(of: String.self)
      self.lines = lines
      // A thread of its own: a handler of Dispatch may outlive the descriptor.
      let handle = pipe.fileHandleForReading
      Thread.detachNewThread {
        while case let data = handle.availableData, !data.isEmpty {
          continuation.yield(String(decoding: data, as: UTF8.self))
        }
        continuation.finish()
      }
      end = AuditProgram.ending(of: process)
      try AuditProgram.launch(process)
    }

    /// Waits until it has printed some words.
    func prints(_ words: String) async -> Bool {
      var printed = ""
      for await text in lines {
        printed += text
        if printed.contains(words) { return true }
      }
      return false
    }

    func stop(_ signal: Int32) async -> Int32 {
      kill(process.processIdentifier, signal)
      return await end.first { _ in true } ?? -1
    }
  }

  private static func process(
    _ program: URL, _ arguments: [String], _ folder: Folder, _ below: String,
    _ environment: [String: String]
  ) -> Process {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = URL(filePath: folder.path + "/" + below)
    let names = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
    let git = [
      "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null",
      "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
      "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
    ]
    process.environment = names.merging(git) { $1 }.merging(environment) { $1 }
    return process
  }

  private static func end(
    of process: Process, _ folder: Folder, input: String
  ) async throws -> End {
    // What is printed goes into files beside the folder, which never run full.
    let files = try ["input", "output", "errors"].map { name in
      let path = folder.path + "-\(UUID().uuidString)-" + name
      try Data((name == "input" ? input : "").utf8).write(to: URL(filePath: path))
      return path
    }
    defer { for file in files { try? FileManager.default.removeItem(atPath: file) } }
    process.standardInput = FileHandle(forReadingAtPath: files[0])
    process.standardOutput = FileHandle(forWritingAtPath: files[1])
    process.standardError = FileHandle(forWritingAtPath: files[2])
    let ending = ending(of: process)
    try launch(process)
    let status = await ending.first { _ in true } ?? -1
    return End(
      status: status, output: try String(contentsOfFile: files[1], encoding: .utf8),
      errors: try String(contentsOfFile: files[2], encoding: .utf8))
  }

  private static func ending(of process: Process) -> AsyncStream<Int32> {
    let (ends, continuation) = AsyncStream.makeStream(of: Int32.self)
    process.terminationHandler = { ended in
      continuation.yield(ended.terminationStatus)
      continuation.finish()
    }
    return ends
  }

  private static func launch(_ process: Process) throws {
    #if canImport(TestSupport)
      try Launch.run(process)
    #else
      try process.run()
    #endif
  }

  private static let built: URL = {
    // Test bundle and program are built into the same folder.
    let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? ""
    let parts = bundle.split(separator: "/").prefix { !$0.hasSuffix(".xctest") }
    return URL(filePath: "/" + parts.joined(separator: "/")).appending(path: "mainstay-audit")
  }()
}
